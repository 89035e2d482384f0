import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HeapClock, realClock } from '../../supervision/clock.ts';

const DAY_MS = 86_400_000;

describe('HeapClock', () => {
  it('fires timers by due time, equal ones in the order they were set (clock.H1)', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(50), { maxLength: 60 }), (delays) => {
        const clock = new HeapClock(1_000);
        const fired: { at: number; delay: number; n: number }[] = [];
        for (const [n, delay] of delays.entries()) {
          clock.setTimeout(() => fired.push({ at: clock.now(), delay, n }), delay);
        }
        clock.advance(100);
        const expected = delays
          .map((delay, n) => ({ at: 1_000 + delay, delay, n }))
          .sort((a, b) => a.delay - b.delay || a.n - b.n);
        expect(fired).toEqual(expected);
      }),
    );
  });

  it('stands at the due time while a timer fires, and fires what that timer sets (clock.H2)', () => {
    const clock = new HeapClock();
    const at: number[] = [];
    clock.setTimeout(() => {
      at.push(clock.now());
      clock.setTimeout(() => at.push(clock.now()), 5);
    }, 10);
    clock.advance(20);
    expect(at).toEqual([10, 15]);
    expect(clock.now()).toBe(20);
  });

  it('takes a delay longer than any Node timer (clock.H3)', () => {
    const clock = new HeapClock();
    const at: number[] = [];
    clock.setTimeout(() => at.push(clock.now()), 100 * DAY_MS);
    clock.advance(100 * DAY_MS - 1);
    expect(at).toEqual([]);
    clock.advance(1);
    expect(at).toEqual([100 * DAY_MS]);
  });

  it('does not fire what was cancelled', () => {
    const clock = new HeapClock();
    let fired = 0;
    const timer = clock.setTimeout(() => (fired += 1), 5);
    clock.setTimeout(() => clock.clearTimeout(timer), 4);
    clock.advance(10);
    expect(fired).toBe(0);
    expect(clock.next()).toBeUndefined();
  });
});

describe('the clock of the machine', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it.each([0, 1, 24 * DAY_MS, 2 ** 31 - 1, 2 ** 31, 30 * DAY_MS, 100 * DAY_MS])(
    'fires once after %d ms, also where a Node timer would overflow (clock.H3)',
    (delayMs) => {
      const begun = realClock.now();
      const fired: number[] = [];
      realClock.setTimeout(() => fired.push(realClock.now() - begun), delayMs);
      vi.advanceTimersByTime(Math.max(0, delayMs - 1));
      expect(fired).toEqual(delayMs === 0 ? [0] : []);
      vi.advanceTimersByTime(200 * DAY_MS);
      expect(fired).toEqual([delayMs]);
    },
  );

  it.each([1, 40])('does not fire what was cancelled after %d days of sixty (clock.H3)', (days) => {
    let fired = 0;
    const timer = realClock.setTimeout(() => (fired += 1), 60 * DAY_MS);
    vi.advanceTimersByTime(days * DAY_MS);
    realClock.clearTimeout(timer);
    vi.advanceTimersByTime(200 * DAY_MS);
    expect(fired).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});
