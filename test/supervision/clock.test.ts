import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HeapClock } from '../../supervision/clock.ts';

describe('HeapClock', () => {
  it('fires timers by due time, equal ones in the order they were set (H1)', () => {
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

  it('stands at the due time while a timer fires, and fires what that timer sets (H2)', () => {
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
