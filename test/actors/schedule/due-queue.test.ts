import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DueQueue } from '../../../actors/schedule/due-queue.ts';
import { turnOf } from '../../../actors/schedule/turns.ts';
import { SCHEDULE_STANDBY_MS } from '../../../contract/limits/schedule.ts';

describe('what is due', () => {
  it('MC-SCH-047 comes out in the order of its times, each name once at its earliest, and nothing before it is due', () => {
    const step = fc.oneof(
      fc.record({ put: fc.integer({ min: 0, max: 50 }), name: fc.constantFrom('a', 'b', 'c') }),
      fc.record({ take: fc.integer({ min: 0, max: 60 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const queue = new DueQueue();
        const model = new Map<string, number>();
        for (const each of steps) {
          if ('put' in each) {
            queue.put(each.put, each.name);
            model.set(each.name, Math.min(each.put, model.get(each.name) ?? each.put));
          } else {
            const taken = queue.take(each.take);
            const earliest = Math.min(...model.values());
            if (earliest > each.take) expect(taken).toBeUndefined();
            else {
              expect(model.get(taken!)).toBe(earliest);
              model.delete(taken!);
            }
          }
          expect(queue.size).toBe(model.size);
          // An entry that another one has replaced may only wake it too early.
          if (model.size > 0) expect(queue.next).toBeLessThanOrEqual(Math.min(...model.values()));
        }
      }),
    );
  });
});

it('due-queue.D1 a name that is put again at its time is kept once, so that nobody wakes for nothing', () => {
  const queue = new DueQueue();
  for (let n = 0; n < 1_000; n += 1) queue.put(5, 'a');
  expect(queue.take(5)).toBe('a');
  expect(queue.next).toBeUndefined();
});

describe('whose turn it is', () => {
  const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 6 });

  it('MC-SCH-050 of any schedulers one acts at once and each other one later, no two at the same moment', () => {
    fc.assert(
      fc.property(names, fc.string(), (schedulers, name) => {
        const turns = schedulers.map((instance) => turnOf(name, { instance, schedulers: () => schedulers }));
        expect(turns.toSorted((one, other) => one - other)).toEqual(
          schedulers.map((_, rank) => rank * SCHEDULE_STANDBY_MS),
        );
      }),
    );
  });

  it('MC-SCH-050 one that is not known among the living yet acts after those it ranks behind', () => {
    expect(turnOf('s1', { instance: 'one', schedulers: () => [] })).toBe(0);
    expect(turnOf('s1', { instance: 'one', schedulers: () => ['one'] })).toBe(0);
  });

  it('shares the schedules out', () => {
    const schedulers = ['one', 'two', 'three'];
    const first = Array.from({ length: 300 }, (_, n) =>
      schedulers.find((instance) => turnOf(`s${n}`, { instance, schedulers: () => schedulers }) === 0),
    );
    for (const each of schedulers) expect(first.filter((name) => name === each).length).toBeGreaterThan(50);
  });
});
