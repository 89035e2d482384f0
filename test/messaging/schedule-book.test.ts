import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type BucketDefinition, buckets } from '../../contract/bus/buckets.ts';
import { SCHEDULE_STATES } from '../../contract/schedule.ts';
import type { StoredSchedule } from '../../contract/stored-schedule.ts';
import { isOpen, ScheduleBook } from '../../messaging/schedule-book.ts';
import { byStart, takesPlace } from '../../mission/schedule/schedule.ts';
import type { Bus, Entry } from '../../ports/bus.ts';
import { memoryLog } from '../http/fixture.ts';
import { at, storedSchedule } from '../mission/schedule/records.ts';
import { ManualClock } from '../support/manual-clock.ts';

type Changed = (key: string, entry: Entry | undefined) => void;

function bookOf() {
  const watches = new Map<string, Changed>();
  const bucket = ({ name }: BucketDefinition) => ({
    watch: async (_filter: string, changed: Changed) => {
      watches.set(name, changed);
      return { ready: Promise.resolve(), stop: async () => {} };
    },
  });
  const bus = { connected: true, onConnection: () => () => {}, bucket } as unknown as Bus;
  const log = memoryLog();
  const book = new ScheduleBook({ bus, clock: new ManualClock(0), log });
  let revision = 0;
  const put = (key: string, value: object | undefined): void => {
    revision += 1;
    const entry = value && { key, value: Buffer.from(JSON.stringify(value)), revision, at: 0 };
    watches.get(buckets.schedules.name)!(key, entry);
  };
  return { book, put, log };
}

it('MC-SCH-013 MC-SCH-061 lists by start, has those of a pass and those that are open, whatever came and went', async () => {
  const change = fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd'),
    gone: fc.boolean(),
    broken: fc.boolean(),
    pass: fc.constantFrom('p1', 'p2'),
    target: fc.constantFrom('sat1', 'sat2'),
    state: fc.constantFrom(...SCHEDULE_STATES),
    submitted: fc.boolean(),
    start: fc.integer({ min: 0, max: 3 }),
    read: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 20 }), async (changes) => {
      const { book, put } = bookOf();
      await book.ready;
      const model = new Map<string, StoredSchedule>();
      for (const { id, gone, broken, pass, target, state, submitted, start, read } of changes) {
        const run_id = '01KE0000000000000000000000';
        const fired = state === 'fired' ? { run_id, submitted } : {};
        const targets = { sat: target, relay: 'sat1' };
        const stored = storedSchedule({ id, pass, target, targets, state, fire_at: at(start), ...fired });
        model.delete(id);
        if (!gone && !broken) model.set(id, stored);
        put(id, gone ? undefined : broken ? { id } : stored);
        if (!read) continue;
        const all = [...model.values()];
        expect(book.schedules()).toEqual(all.sort(byStart));
        const open = all.filter(isOpen).map((each) => each.id);
        expect([...book.open.keys()].toSorted()).toEqual(open.toSorted());
        const onPass = all.filter((each) => each.target === target && each.pass === pass);
        expect([...book.onPass(target, pass)].sort(byStart)).toEqual(onPass);
        for (const name of ['sat1', 'sat2']) {
          const had = all.filter((each) => takesPlace(each) && Object.values(each.targets).includes(name));
          expect(book.ofTarget(name)).toEqual(had.sort(byStart));
        }
        expect(book.get(id)).toEqual(model.get(id));
      }
    }),
  );
});

it('reports each change with what was there before, and in the log what cannot be read', async () => {
  const { book, put, log } = bookOf();
  await book.ready;
  const seen: [string, string | undefined, string | undefined][] = [];
  const off = book.onChange((id, now, before) => void seen.push([id, now?.state, before?.state]));
  put('s1', storedSchedule());
  put('s1', storedSchedule({ state: 'cancelled' }));
  put('s1', undefined);
  put('broken', { id: 'broken' });
  off();
  put('s1', storedSchedule());
  expect(seen).toEqual([
    ['s1', 'scheduled', undefined],
    ['s1', 'cancelled', 'scheduled'],
    ['s1', undefined, 'cancelled'],
    ['broken', undefined, undefined],
  ]);
  expect(log.lines.map(({ message }) => message)).toEqual(['malformed schedule: left out']);
});
