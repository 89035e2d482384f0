/** A bus that hangs: its connection stands, and nothing comes. What a process remembers must not look new meanwhile. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { subject } from '../../contract/bus/subjects.ts';
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

const ALARM = '/v1/alarms/sat1/obc.temperature/acknowledge';
const ASKED = [
  ['POST', '/v1/encode', { target: 'sat1', telecommand: 'obc.ping' }],
  ['POST', '/v1/decode', { target: 'sat1', frame: '00' }],
  ['POST', ALARM, undefined],
  ['GET', '/v1/sim/gw-1/faults', undefined],
] as const;
const ask = ([method, path, body]: (typeof ASKED)[number], user: string) =>
  call(method, `${world.url}${path}`, body, { 'x-mcs-user': user });

it('MC-GEN-017 messaging/ask.Q6 whoever is asked over it is not blamed, and is asked nothing that was refused', async () => {
  await answered();
  const received: string[] = [];
  const alarms = world.bus.serve(subject.alarmControl('sat1'), async ({ data }) => {
    received.push(JSON.parse(Buffer.from(data).toString()).by);
    return Buffer.from(JSON.stringify({ outcome: 'accepted' }));
  });
  await until(async () => (await ask(ASKED[2], 'ada')).status === 202, {
    what: 'the alarm service to answer',
  });
  await world.nats.freeze();
  try {
    const underWay = ASKED.map((each) => ask(each, 'eve'));
    await until(async () => (await get(VALUES)).status === 503, { what: 'the silence to be known' });
    const spent = ownTime();
    for (const each of ASKED) expect(codes(await ask(each, 'joe')), each[1]).toEqual(['api::unavailable']);
    expect(codes(await call('POST', `${world.url}/v1/units/bench-07/selftest`))).toEqual([
      'api::unavailable',
    ]);
    expect(spent()).toBeLessThan(BUS_BEAT_MS);
    for (const answer of await Promise.all(underWay)) {
      expect(codes(answer)).toEqual(['api::unavailable']);
      expect(answer.body).toMatchObject({ errors: [{ help: expect.stringContaining('may still be done') }] });
    }
  } finally {
    world.nats.thaw();
  }
  await answered();
  await until(async () => (await ask(ASKED[2], 'zoe')).status === 202, {
    what: 'the alarm service to answer',
  });
  await alarms.stop();
  expect(received).toContain('zoe');
  expect(received).not.toContain('joe');
});
