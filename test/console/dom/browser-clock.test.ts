/** browser-clock.B1: what waits for a length of time, where the clock of the browser is set meanwhile. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { measured, oncePerFrame } from '../../../console/browser-clock.ts';
import { Connection } from '../../../console/operator/data/connection.ts';
import { ServiceClock } from '../../../console/operator/data/service-clock.ts';

const AT = Date.parse('2026-03-01T12:00:00.000Z');
const HOUR = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers({ now: AT });
  vi.stubGlobal('document', { visibilityState: 'visible', addEventListener: () => undefined });
  vi.stubGlobal('requestAnimationFrame', (fire: () => void) => setTimeout(fire, 16));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('a clock that is set back by an hour', () => {
  it.each([0, 200])('does not keep a page from drawing that draws every %i ms', (leastMs) => {
    const draw = vi.fn();
    const soon = oncePerFrame(draw, leastMs);
    soon();
    vi.advanceTimersByTime(1_000);
    vi.setSystemTime(Date.now() - HOUR);
    soon();
    vi.advanceTimersByTime(1_000);
    expect(draw).toHaveBeenCalledTimes(2);
  });

  it('does not hide that the service has not answered since', async () => {
    let isAway = false;
    vi.stubGlobal('fetch', async () => {
      if (isAway) throw new TypeError('away');
      return new Response(JSON.stringify({ missing: [] }), { headers: { date: new Date(AT).toUTCString() } });
    });
    const connection = new Connection(
      new ServiceClock(() => Date.now()),
      () => undefined,
      () => undefined,
    );
    await vi.advanceTimersByTimeAsync(5_000);
    expect(connection.state.lost).toBe(false);
    isAway = true;
    vi.setSystemTime(Date.now() - HOUR);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(connection.state.lost).toBe(true);
    expect(connection.state.silentMs).toBeLessThan(10_000);
  });
});

it('sleep and a clock that is set forward count as time that has passed', () => {
  const since = measured();
  vi.advanceTimersByTime(1_500);
  expect(Math.round(since())).toBe(1_500);
  vi.setSystemTime(Date.now() + HOUR);
  expect(Math.round(since())).toBe(HOUR + 1_500);
});
