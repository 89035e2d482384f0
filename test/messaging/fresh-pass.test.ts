/** The pass of a schedule as it is asked for before an end: an answer that took long is none. */

import { expect, it } from 'vitest';
import { SCHEDULE_FRESH_MS, SCHEDULE_FRESH_ROUNDS } from '../../contract/limits/schedule.ts';
import { Outage } from '../../contract/outage.ts';
import type { StoredPass } from '../../contract/pass.ts';
import { freshPass } from '../../messaging/fresh-pass.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';

const pass: StoredPass = {
  id: 'p1',
  target: 'sat1',
  station: 'north',
  aos: '2026-03-01T12:00:00.000Z',
  los: '2026-03-01T12:10:00.000Z',
  max_elevation: '40 deg',
  source: 'fds',
  status: 'predicted',
  contributions: {},
};

/** Answers that take so long each, with the pass in these states one after the other. */
function world(takeMs: readonly number[], states: readonly StoredPass['status'][]) {
  let [now, asked] = [0, 0];
  const get = async () => {
    const status = states[asked] ?? states.at(-1)!;
    now += takeMs[asked] ?? takeMs.at(-1)!;
    asked += 1;
    return {
      key: 'sat1.p1',
      value: Buffer.from(JSON.stringify({ ...pass, status })),
      revision: asked,
      at: 0,
    };
  };
  const bus = { bucket: () => ({ get }) } as unknown as Bus;
  const clock = { monotonic: () => now } as unknown as Clock;
  return { tools: { bus, clock }, asked: () => asked };
}

const on = { target: 'sat1', pass: 'p1' };

it('MC-SCH-038 is asked for again where the process slept before it had the answer', async () => {
  const { tools, asked } = world([SCHEDULE_FRESH_MS + 1, 5], ['booked', 'cancelled']);
  expect((await freshPass(tools, on))?.status).toBe('cancelled');
  expect(asked()).toBe(2);
});

it('MC-SCH-038 counts as an outage where every answer takes too long', async () => {
  const { tools, asked } = world([SCHEDULE_FRESH_MS + 1], ['booked']);
  await expect(freshPass(tools, on)).rejects.toBeInstanceOf(Outage);
  expect(asked()).toBe(SCHEDULE_FRESH_ROUNDS);
});
