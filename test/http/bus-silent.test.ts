/** A bus that hangs: its connection stands, and nothing comes. What a process remembers must not look new meanwhile. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { BUS_BEAT_MS, BUS_SILENT_BEATS } from '../../contract/limits/bus.ts';
import { call, codes, follow } from '../support/client.ts';
import { ownTime } from '../support/own-time.ts';
import { until } from '../support/until.ts';
import { startWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const VALUES = '/v1/targets/sat1/values';
const REMEMBERED = [VALUES, '/v1/runs', '/v1/passes', '/v1/schedules', '/v1/mission'];
const get = (path: string) => call('GET', `${world.url}${path}`);

async function answered(): Promise<void> {
  for (const path of REMEMBERED)
    await until(async () => (await get(path)).status === 200, { what: `${path} to be answered` });
}

it('MC-GEN-017 bus/pulse.U1 U2 values and lists are answered 503 within seconds, watches of values are closed, and all of it comes back', async () => {
  await answered();
  const watch = follow(`${world.url}${VALUES}/watch`);
  await watch.opened;
  await world.nats.freeze();
  const spent = ownTime();
  try {
    await until(async () => (await get(VALUES)).status === 503, { what: 'old values to be refused' });
    // A beat until the first question, and one for the machine.
    expect(spent()).toBeLessThan((BUS_SILENT_BEATS + 2) * BUS_BEAT_MS);
    expect(world.bus.connected).toBe(true);
    for (const path of REMEMBERED) expect(codes(await get(path)), path).toEqual(['api::unavailable']);
    expect(await watch.closed).toEqual({ code: 1013, reason: 'the message bus does not answer' });
    await expect(follow(`${world.url}${VALUES}/watch`).opened).rejects.toMatchObject({ status: 503 });
    const ready = await fetch(`${world.url}/readyz`);
    expect([ready.status, await ready.text()]).toEqual([
      503,
      expect.stringContaining('the bus does not answer'),
    ]);
  } finally {
    world.nats.thaw();
  }
  await answered();
  await follow(`${world.url}${VALUES}/watch`).opened;
});
