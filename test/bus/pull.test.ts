/** The times that readers of a stream live by, by how many there are. */

import { expect, it } from 'vitest';
import { PACE, paceOf, watchfulPaceOf } from '../../bus/pull.ts';

it('cursors.U2 lets the server say less often that it is alive where very many readers hear it', () => {
  expect(paceOf(PACE, 500)).toBe(PACE);
  const many = paceOf(PACE, 4_500);
  expect(4_500 / (many.heartbeatMs / 1_000)).toBeLessThan(4_500 / (PACE.heartbeatMs / 1_000) / 1.9);
  for (const pace of [PACE, paceOf(PACE, 700), many]) {
    expect(pace.silenceMs, 'two are missed').toBeGreaterThan(2 * pace.heartbeatMs);
    expect(pace.silenceMs, 'noticed before the pull is renewed').toBeLessThan(pace.renewMs);
    expect(pace.silenceMs).toBeLessThan(10_000);
    expect(pace.expiresMs, 'as nats-server asks').toBeGreaterThan(2 * pace.heartbeatMs);
  }
});

it('cursors.U2 a lost consumer of a stream with copies is noticed within three seconds where few read, and as ever where many do', () => {
  const few = watchfulPaceOf(PACE, 200);
  expect([few.heartbeatMs, few.silenceMs]).toEqual([1_000, 3_000]);
  for (const readers of [201, 700, 4_500])
    expect(watchfulPaceOf(PACE, readers)).toMatchObject({
      heartbeatMs: paceOf(PACE, readers).heartbeatMs,
      silenceMs: paceOf(PACE, readers).silenceMs,
    });
});

it('cursor.C6 thousands of readers do not ask for their consumers five times each', () => {
  expect(PACE.createAgainMs).toBe(Number.POSITIVE_INFINITY);
  const again = [1, 200, 400, 1_000].map((readers) => watchfulPaceOf(PACE, readers).createAgainMs);
  expect(again).toEqual([400, 400, 800, 2_000]);
});
