/** The times that readers of a stream live by, by how many there are. */

import { expect, it } from 'vitest';
import { PACE, paceOf } from '../../bus/pull.ts';

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
