/** Which schedules on other passes a schedule is said to meet: against looking at every one. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SCHEDULE_MEETINGS } from '../../../contract/limits/schedule.ts';
import { SCHEDULE_STATES } from '../../../contract/schedule.ts';
import type { StoredSchedule } from '../../../contract/stored-schedule.ts';
import { meetingsOf } from '../../../mission/schedule/meeting.ts';
import { byStart, endOf, startOf, takesPlace } from '../../../mission/schedule/schedule.ts';
import { at, storedSchedule } from './records.ts';

const run_id = '01KE0000000000000000000000';
const ofTarget =
  (others: readonly StoredSchedule[]) =>
  (target: string): readonly StoredSchedule[] =>
    others
      .filter((each) => takesPlace(each) && Object.values(each.targets).includes(target))
      .toSorted(byStart);

it('MC-SCH-043 names the runs on other passes that may have a target at the same time, and no run on its own pass', () => {
  const other = storedSchedule({ id: 's2', pass: 'p2', fire_at: at(60_000), max_duration: '3 min' });
  const on = (more: Partial<StoredSchedule> = {}): string[] =>
    meetingsOf(storedSchedule(), ofTarget([storedSchedule(), { ...other, ...more }]));
  expect(on()).toEqual([
    'the run of schedule s2, on pass p2 of sat1, may have sat1 until 2026-01-02T12:04:00.000Z',
  ]);
  expect(on({ pass: 'p1' })).toEqual([]);
  // It begins as this one is surely over.
  expect([on({ fire_at: at(150_000) }), on({ fire_at: at(149_999) }).length]).toEqual([[], 1]);
  expect(on({ state: 'cancelled' })).toEqual([]);
  expect(on({ targets: { sat: 'sat2' } })).toEqual([]);
  const shared = { sends: false };
  expect(on(shared)).toHaveLength(1);
  expect(meetingsOf(storedSchedule(shared), ofTarget([{ ...other, ...shared }]))).toEqual([]);
  // Of another target, whose run has this one too.
  expect(on({ target: 'sat2', pass: 'p1', targets: { sat: 'sat2', relay: 'sat1' } })).toHaveLength(1);
  for (const state of ['fired', 'missed', 'cancelled'] as const)
    expect(meetingsOf(storedSchedule({ state, run_id }), ofTarget([other]))).toEqual([]);
});

it('MC-SCH-043 finds those that looking at every one finds', () => {
  const planned = fc.record({
    pass: fc.constantFrom('p1', 'p2', 'p3'),
    target: fc.constantFrom('sat1', 'sat2'),
    start: fc.integer({ min: 0, max: 20 }),
    length: fc.integer({ min: 0, max: 8 }),
    state: fc.constantFrom(...SCHEDULE_STATES),
    sends: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(planned, { maxLength: 12 }), (all) => {
      const schedules = all.map(({ pass, target, start, length, state, sends }, n) =>
        storedSchedule({
          id: `s${n}`,
          pass,
          target,
          targets: { sat: target },
          sends,
          state,
          ...(state === 'fired' && { run_id }),
          fire_at: at(start * 60_000),
          max_duration: `${length} min`,
        }),
      );
      for (const one of schedules) {
        const met = schedules.filter(
          (other) =>
            (one.state === 'scheduled' || one.state === 'at_risk') &&
            other.id !== one.id &&
            other.target === one.target &&
            other.pass !== one.pass &&
            takesPlace(other) &&
            (one.sends || other.sends) &&
            startOf(other) < endOf(one) &&
            endOf(other) > startOf(one),
        );
        const named = meetingsOf(one, ofTarget(schedules)).map((text) => /schedule (s\d+),/.exec(text)![1]);
        expect(named).toEqual(
          met
            .toSorted(byStart)
            .slice(0, SCHEDULE_MEETINGS)
            .map(({ id }) => id),
        );
      }
    }),
  );
});
