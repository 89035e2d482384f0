/** What many of a process do once in a period, with one timer for all of them. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinRounds } from '../../ports/shared-rounds.ts';
import { HeapClock } from '../../supervision/clock.ts';
import { ProcessClock } from '../simulation/process-clock.ts';
import { ManualClock } from '../support/manual-clock.ts';

const PERIOD_MS = 1_000;

/** `count` that join at once, each with the times of its turns. */
function joined(clock: ManualClock | ProcessClock, count: number) {
  const turns = Array.from({ length: count }, (): number[] => []);
  const leave = turns.map((own) => joinRounds(clock, PERIOD_MS, () => void own.push(clock.monotonic())));
  return { turns, leave };
}

describe('rounds that many share', () => {
  it('shared-rounds.R1 call each once in every period, the first time within one', () => {
    for (const count of [1, 2, 19, 20, 21, 450]) {
      const clock = new ManualClock(12_345);
      const { turns } = joined(clock, count);
      for (let period = 1; period <= 5; period += 1) {
        clock.advance(PERIOD_MS);
        expect(turns.map((own) => own.length)).toEqual(turns.map(() => period));
      }
      for (const own of turns)
        expect(own.slice(1).map((at, n) => at - own[n]!)).toEqual([1_000, 1_000, 1_000, 1_000]);
    }
  });

  it('shared-rounds.R1 spread what is done evenly over the period, also behind those that left', () => {
    const clock = new ManualClock(0);
    const { turns, leave } = joined(clock, 400);
    for (const each of leave.slice(0, 200)) each();
    const { turns: more } = joined(clock, 200);
    clock.advance(PERIOD_MS);
    const perMoment = new Map<number, number>();
    for (const [at] of [...turns.slice(200), ...more]) perMoment.set(at!, (perMoment.get(at!) ?? 0) + 1);
    expect([...perMoment.values()]).toEqual(Array.from({ length: 20 }, () => 20));
    expect(turns.slice(0, 200).flat()).toEqual([]);
  });

  it('shared-rounds.R2 have one timer however many join, and none once all have left', () => {
    const clock = new ManualClock(0);
    expect(clock.waiting).toBe(0);
    const { turns, leave } = joined(clock, 1_000);
    expect(clock.waiting).toBe(1);
    clock.advance(5 * PERIOD_MS);
    expect(clock.waiting).toBe(1);
    for (const each of leave) each();
    expect(clock.waiting).toBe(0);
    for (const each of leave) each();
    const before = turns.flat().length;
    clock.advance(5 * PERIOD_MS);
    expect(turns.flat().length).toBe(before);
  });

  it('shared-rounds.R2 wait for nothing at moments at which nobody is placed', () => {
    const clock = new ManualClock(0);
    let timers = 0;
    const counted = Object.assign(Object.create(clock) as ManualClock, {
      setTimeout: (fire: () => void, ms: number) => {
        timers += 1;
        return clock.setTimeout(fire, ms);
      },
      clearTimeout: (timer: never) => clock.clearTimeout(timer),
      monotonic: () => clock.monotonic(),
    });
    joinRounds(counted, PERIOD_MS, () => undefined);
    clock.advance(10 * PERIOD_MS);
    expect(timers).toBe(11);
  });

  it('shared-rounds.R3 call everybody once whom a process that stood still has missed', () => {
    const world = new HeapClock(0);
    const clock = new ProcessClock(world, 0);
    const { turns } = joined(clock, 40);
    world.advance(PERIOD_MS);
    clock.pause();
    world.advance(20 * PERIOD_MS);
    clock.resume({ arrivalsFirst: false, pullsExpired: false });
    world.advance(1);
    expect(turns.map((own) => own.length)).toEqual(turns.map(() => 2));
    world.advance(PERIOD_MS);
    expect(turns.map((own) => own.length)).toEqual(turns.map(() => 3));
  });

  it('shared-rounds.R3 give the others their turn where one throws, and throw it to the clock', () => {
    const clock = new ManualClock(0);
    joinRounds(clock, PERIOD_MS, () => {
      throw new Error('the first');
    });
    const { turns } = joined(clock, 60);
    const errors: unknown[] = [];
    for (let ms = 0; ms < 3 * PERIOD_MS; ms += 10) {
      try {
        clock.advance(10);
      } catch (error) {
        errors.push(error);
      }
    }
    expect(errors.map(String)).toEqual(['Error: the first', 'Error: the first', 'Error: the first']);
    expect(turns.map((own) => own.length)).toEqual(turns.map(() => 3));
  });

  it('rounds of one period are not those of another one, nor those of another clock', () => {
    const [clock, other] = [new ManualClock(0), new ManualClock(0)];
    const seen: string[] = [];
    joinRounds(clock, 1_000, () => void seen.push('second'));
    joinRounds(clock, 5_000, () => void seen.push('five seconds'));
    joinRounds(other, 1_000, () => void seen.push('elsewhere'));
    clock.advance(5_000);
    expect(seen.filter((each) => each === 'second')).toHaveLength(5);
    expect(seen.filter((each) => each === 'five seconds')).toHaveLength(1);
    expect(seen).not.toContain('elsewhere');
  });

  it('shared-rounds.R1 whoever joins and leaves meanwhile: no turn is missed, none comes twice', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            at: fc.integer({ min: 0, max: 5_000 }),
            forMs: fc.integer({ min: 1, max: 6_000 }),
          }),
          { minLength: 1, maxLength: 60 },
        ),
        fc.integer({ min: 0, max: 99_999 }),
        (stays, begins) => {
          const clock = new ManualClock(begins);
          const lives = stays.map(({ at, forMs }) => {
            const turns: number[] = [];
            clock.setTimeout(() => {
              const leave = joinRounds(clock, PERIOD_MS, () => void turns.push(clock.monotonic()));
              clock.setTimeout(leave, forMs);
            }, at);
            return { turns, from: begins + at, until: begins + at + forMs };
          });
          clock.advance(12_000);
          expect(clock.waiting).toBe(0);
          for (const { turns, from, until } of lives) {
            const whole = Math.floor((until - from) / PERIOD_MS);
            expect(turns.length).toBeGreaterThanOrEqual(Math.max(0, whole - 1));
            expect(turns.length).toBeLessThanOrEqual(whole + 1);
            for (const [n, turn] of turns.entries()) {
              expect(turn).toBeGreaterThanOrEqual(from);
              expect(turn).toBeLessThanOrEqual(until);
              expect(turn - (n === 0 ? from : turns[n - 1]!)).toBeLessThanOrEqual(PERIOD_MS);
            }
          }
        },
      ),
      // One that joined in the very moment that was due took its turn from the other.
      {
        examples: [
          [
            [
              { at: 4_458, forMs: 1 },
              { at: 523, forMs: 4_936 },
            ],
            52_542,
          ],
        ],
      },
    );
  });
});
