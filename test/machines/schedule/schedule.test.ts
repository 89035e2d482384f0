/** The chart of a schedule against the table of section 3.4, on every path, and what it records on the way. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SCHEDULE_CHANGES_KEPT } from '../../../contract/limits/schedule.ts';
import { SCHEDULE_STATES } from '../../../contract/schedule.ts';
import { FINAL_STATES, type StoredSchedule } from '../../../contract/stored-schedule.ts';
import { type Finding, openEffects, type ScheduleChartEvent } from '../../../machines/schedule/protocol.ts';
import { isSameRecord, wouldChange } from '../../../machines/schedule/record.ts';
import { scheduleMachine } from '../../../machines/schedule/schedule.ts';
import { createdSchedule, snapshotOf, steppedSchedule } from '../../../machines/schedule/step.ts';
import { type Driven, drive, type EventOf, explore, walkTable } from '../../harness/harness.ts';
import { AOS, at, MINUTE, storedSchedule, validation } from '../../mission/schedule/records.ts';

type Event = EventOf<typeof scheduleMachine>;
type Chart = Driven<typeof scheduleMachine>;

const RUN = '01KE0000000000000000000000';
const FITS: Finding = { reasons: [], fireAt: at(30_000) };
const UNFIT: Finding = { reasons: ['too long'], fireAt: at(30_000) };
const OFF: Finding = {
  reasons: ['pass p1 is cancelled'],
  fireAt: at(30_000),
  cancelled: 'pass p1 is cancelled',
};

const evaluated = (found: Finding): Event => ({ type: 'evaluated', found });
const reached = (found: Finding, reasons: readonly string[] = []): Event => ({
  type: 'start.reached',
  found,
  reasons,
  run: RUN,
});
const cancel: Event = { type: 'operator.cancel', by: 'ada' };
const validate = (found: Finding): Event => ({ type: 'operator.validate', by: 'eve', found });
const submitted: Event = { type: 'submitted', run: RUN };

/** What is known of it when it is created. */
const input = (found: Finding) => {
  const {
    state: _,
    reasons: __,
    changes: ___,
    updated_at: ____,
    fire_at: _____,
    ...record
  } = storedSchedule();
  return { record, at: AOS - 30 * MINUTE, found };
};
const chart = (found: Finding): Chart =>
  drive(scheduleMachine, { input: input(found), at: AOS - 30 * MINUTE });
const recordOf = ({ context }: Chart): StoredSchedule => context.record;
const last = (driven: Chart): StoredSchedule => driven.records.at(-1)!.stored;

const PASS_CANCELLED = [evaluated(OFF), reached(OFF), reached(OFF, ['late'])];
const EVENTS: readonly Event[] = [
  evaluated(FITS),
  evaluated(UNFIT),
  ...PASS_CANCELLED,
  reached(FITS),
  reached(FITS, ['late']),
  reached(UNFIT),
  reached(UNFIT, ['late']),
  cancel,
  validate(FITS),
  validate(UNFIT),
  submitted,
];

type Row = Parameters<typeof walkTable<typeof scheduleMachine>>[1]['rows'][number];

const BOTH = ['scheduled', 'at_risk'] as const;
const ROWS: readonly Row[] = [
  { from: 'scheduled', on: evaluated(UNFIT), to: 'at_risk' },
  { from: 'at_risk', on: evaluated(FITS), to: 'scheduled' },
  { from: 'scheduled', on: reached(FITS), to: 'fired' },
  { from: 'scheduled', on: reached(FITS, ['late']), to: 'missed' },
  { from: 'scheduled', on: reached(UNFIT), to: 'missed' },
  { from: 'scheduled', on: reached(UNFIT, ['late']), to: 'missed' },
  { from: 'at_risk', on: reached(FITS), to: 'missed' },
  { from: 'at_risk', on: reached(FITS, ['late']), to: 'missed' },
  { from: 'at_risk', on: reached(UNFIT), to: 'missed' },
  { from: 'at_risk', on: reached(UNFIT, ['late']), to: 'missed' },
  ...BOTH.flatMap((from) => [...PASS_CANCELLED, cancel].map((on): Row => ({ from, on, to: 'cancelled' }))),
  { from: 'scheduled', on: validate(FITS), to: 'scheduled' },
  { from: 'scheduled', on: validate(UNFIT), to: 'at_risk' },
  { from: 'at_risk', on: validate(FITS), to: 'scheduled' },
  { from: 'at_risk', on: validate(UNFIT), to: 'at_risk' },
  // Beyond the table: the submission of the run, which changes no state that anybody is shown.
  { from: 'fired', on: submitted, to: 'submitted' },
];

describe('the table of section 3.4', () => {
  it('MC-SCH-029 created and it fits: scheduled', () => {
    const driven = chart(FITS);
    expect([driven.state, recordOf(driven).state, recordOf(driven).reasons]).toEqual([
      'scheduled',
      'scheduled',
      [],
    ]);
    expect(driven.records).toMatchObject([{ state: 'scheduled', transition: true }]);
  });

  it('MC-SCH-030 created and it needs a validation: at_risk, with the reason', () => {
    const driven = chart(UNFIT);
    expect([driven.state, recordOf(driven).state]).toEqual(['at_risk', 'at_risk']);
    expect(recordOf(driven).reasons).toEqual(['too long']);
    expect(driven.effects).toEqual([]);
  });

  it.each([
    ['created fitting', FITS],
    ['created at risk', UNFIT],
  ])(
    'MC-SCH-032 MC-SCH-033 MC-SCH-034 MC-SCH-035 MC-SCH-036 MC-SCH-037 MC-SCH-038 MC-SCH-039 MC-SCH-040 goes where the table says and nowhere else, %s',
    (_how, found) => {
      const walked = walkTable(scheduleMachine, {
        input: input(found),
        at: AOS - 30 * MINUTE,
        rows: ROWS,
        alien: EVENTS,
      });
      expect(walked.states.toSorted()).toEqual(
        ['at_risk', 'cancelled', 'fired', 'missed', 'scheduled', 'submitted'].toSorted(),
      );
      expect(walked.unlisted).toBeGreaterThan(0);
    },
  );

  it('MC-SCH-040 no final state is left by what is found or by a command', () => {
    const explored = explore(scheduleMachine, { input: input(FITS), at: AOS - 30 * MINUTE, events: EVENTS });
    explored.everyPath(({ from, before, after, step }) => {
      if (!['cancelled', 'missed', 'submitted', 'fired'].includes(from)) return;
      if ('send' in step && step.send.type === 'submitted') return;
      if (before !== after) expect(after).toEqual(before);
    });
    expect(explored.unreached).toEqual([]);
  });

  it('MC-SCH-040 is over behind a final state, fired only once its run is submitted', () => {
    const over = (...events: Event[]) => chart(FITS).send(...events).ended;
    expect([over(), over(evaluated(UNFIT)), over(reached(FITS))]).toEqual([false, false, false]);
    expect([over(cancel), over(reached(UNFIT)), over(reached(FITS), submitted)]).toEqual([true, true, true]);
  });
});

describe('what is recorded', () => {
  it('MC-SCH-048 each change of state with its reasons, its time and who made it', () => {
    const driven = chart(FITS);
    driven.advance('1 min').send(evaluated(UNFIT));
    expect(last(driven)).toMatchObject({
      state: 'at_risk',
      reasons: ['too long'],
      updated_at: at(-29 * MINUTE),
    });
    driven.advance('1 min').send(validate(FITS));
    driven.advance('1 min').send(cancel);
    expect(last(driven)).toMatchObject({ state: 'cancelled', reasons: ['cancelled by ada'] });
    expect(last(driven).changes).toEqual([
      { at: at(-30 * MINUTE), state: 'scheduled', reasons: [] },
      { at: at(-29 * MINUTE), state: 'at_risk', reasons: ['too long'] },
      { at: at(-28 * MINUTE), state: 'scheduled', reasons: [], by: 'eve' },
      { at: at(-27 * MINUTE), state: 'cancelled', reasons: ['cancelled by ada'], by: 'ada' },
    ]);
  });

  it('MC-SCH-039 a cancel without a name', () => {
    const driven = chart(FITS);
    driven.send({ type: 'operator.cancel' });
    expect(last(driven)).toMatchObject({ state: 'cancelled', reasons: ['cancelled'] });
  });

  it('MC-SCH-038 says that its pass is cancelled', () => {
    const driven = chart(UNFIT);
    driven.send(evaluated(OFF));
    expect(last(driven)).toMatchObject({ state: 'cancelled', reasons: ['pass p1 is cancelled'] });
  });

  it('MC-SCH-048 nothing where an evaluation finds nothing new, and other reasons in the same state', () => {
    const driven = chart(UNFIT);
    driven.send(evaluated(UNFIT), evaluated(UNFIT));
    expect(driven.records).toHaveLength(1);
    driven.send(evaluated({ ...UNFIT, reasons: ['not booked'] }));
    expect(driven.records.at(-1)).toMatchObject({ transition: false, stored: { reasons: ['not booked'] } });
  });

  it('MC-SCH-048 a transition exactly where its state becomes another', () => {
    const noted = (found: Finding, ...events: Event[]) =>
      chart(found)
        .send(...events)
        .records.map(({ state, transition }) => [state, transition]);
    const scheduled = ['scheduled', true];
    const atRisk = ['at_risk', true];
    expect(noted(UNFIT)).toEqual([atRisk]);
    expect(noted(FITS, validate(FITS))).toEqual([scheduled, ['scheduled', false]]);
    expect(noted(UNFIT, validate(UNFIT))).toEqual([atRisk, ['at_risk', false]]);
    expect(noted(FITS, reached(FITS), submitted)).toEqual([scheduled, ['fired', true], ['fired', false]]);
    expect(noted(FITS, reached(UNFIT))).toEqual([scheduled, ['missed', true]]);
    expect(noted(FITS, cancel)).toEqual([scheduled, ['cancelled', true]]);
  });

  it('the revision of the record of which it was found, where it was found of one', () => {
    const driven = chart(FITS);
    driven.send({ type: 'evaluated', found: UNFIT, seen: 7 });
    driven.send({ type: 'start.reached', found: UNFIT, reasons: [], run: RUN, seen: 0 });
    expect(driven.records.map(({ seen }) => seen)).toEqual([undefined, 7, 0]);
    expect(driven.records[0]).not.toHaveProperty('seen');
  });

  it('MC-SCH-052 another start is recorded without a change of state', () => {
    const driven = chart(FITS);
    driven.send(evaluated({ ...FITS, fireAt: at(40_000) }));
    expect(driven.records.at(-1)).toMatchObject({ transition: false, stored: { fire_at: at(40_000) } });
  });

  it('MC-SCH-049 MC-SCH-051 the run before it is submitted, and the one that was', () => {
    const driven = chart(FITS);
    driven.send(reached(FITS));
    expect(driven.emitted.slice(-2)).toMatchObject([
      { type: 'record', stored: { state: 'fired', reasons: [], run_id: RUN } },
      { type: 'effect.submit', run: RUN, ir: 'a'.repeat(64), config: 'r1', pass: 'p1', procedure: 'set' },
    ]);
    expect(openEffects(recordOf(driven))).toEqual(driven.effects);
    const other = '01KE0000000000000000000001';
    driven.send({ type: 'submitted', run: other });
    expect(last(driven)).toMatchObject({ state: 'fired', run_id: other, submitted: true });
    expect(openEffects(recordOf(driven))).toEqual([]);
  });

  it('MC-SCH-036 MC-SCH-037 a missed one says what kept it, and what came first', () => {
    const missed = (found: Finding, ...events: Event[]) => last(chart(found).send(...events)).reasons;
    expect(missed(FITS, reached(FITS, ['late']))).toEqual(['late']);
    expect(missed(UNFIT, reached(UNFIT, ['late']))).toEqual(['too long']);
    // At risk to the last, and in order a moment too late.
    expect(missed(UNFIT, reached(FITS))).toEqual(['it fits only since its start is past; before: too long']);
  });

  it('MC-SCH-033 MC-SCH-057 a validation that holds, and why it fell', () => {
    const driven = chart(UNFIT);
    driven.send(validate({ ...FITS, validation: validation() }));
    expect(last(driven)).toMatchObject({ state: 'scheduled', validation: validation() });
    driven.send(evaluated({ reasons: ['it fell'], fireAt: at(30_000), fell: 'it fell' }));
    expect(last(driven)).toMatchObject({ state: 'at_risk', fell: 'it fell', reasons: ['it fell'] });
    expect(last(driven).validation).toBeUndefined();
    const fallen = validation();
    driven.send(evaluated({ reasons: ['it fell'], fireAt: at(30_000), fell: 'it fell again', fallen }));
    expect(last(driven)).toMatchObject({ fell: 'it fell again', fallen });
    driven.send(validate({ ...FITS, validation: validation({ at: at(-1) }) }));
    for (const gone of ['fell', 'fallen']) expect(last(driven)).not.toHaveProperty(gone);
  });

  it('a validation given again, and one that is not enough', () => {
    const again = validation({ at: at(-1) });
    expect(last(chart(FITS).send(validate({ ...FITS, validation: again })))).toMatchObject({
      state: 'scheduled',
      validation: again,
      changes: [{}, { state: 'scheduled', by: 'eve' }],
    });
    const short = { ...UNFIT, reasons: ['not booked'], validation: again };
    expect(last(chart(UNFIT).send(validate(short)))).toMatchObject({
      state: 'at_risk',
      reasons: ['not booked'],
      validation: again,
      changes: [{}, { state: 'at_risk', by: 'eve' }],
    });
  });

  it('MC-SCH-056 another run of a configuration that was published since', () => {
    const plan = {
      ir: 'c'.repeat(64),
      content: 'd'.repeat(64),
      config: 'r2',
      max_duration: '3 min',
      sends: false,
      needs_validation: false,
    };
    const driven = chart(FITS);
    driven.send(evaluated({ ...FITS, plan }));
    expect(last(driven)).toMatchObject({ state: 'scheduled', ...plan });
    driven.send(evaluated({ ...FITS, plan }));
    expect(driven.records).toHaveLength(2);
  });

  it('no more than the last changes of state', () => {
    const driven = chart(FITS);
    for (let n = 0; n < SCHEDULE_CHANGES_KEPT; n += 1) driven.send(evaluated(UNFIT), evaluated(FITS));
    expect(last(driven).changes).toHaveLength(SCHEDULE_CHANGES_KEPT);
    expect(last(driven).changes.at(-1)).toMatchObject({ state: 'scheduled' });
  });
});

describe('one step on a record', () => {
  const steps = fc.array(fc.constantFrom(...EVENTS), { maxLength: 8 });

  it('MC-SCH-040 MC-SCH-041 is what the chart makes of it, whatever came before', () => {
    fc.assert(
      fc.property(fc.constantFrom(FITS, UNFIT), steps, (found, events) => {
        const driven = chart(found);
        let record = createdSchedule(input(found));
        expect(record).toEqual(recordOf(driven));
        for (const event of events) {
          const timed = { ...event, at: AOS } as ScheduleChartEvent;
          const stepped = steppedSchedule(record, timed);
          driven.send(timed as Event);
          expect(stepped).toEqual(recordOf(driven));
          expect(last(driven)).toEqual(stepped);
          const isFinal = FINAL_STATES.has(record.state);
          if (isFinal && timed.type !== 'submitted') expect(stepped).toBe(record);
          expect(snapshotOf(stepped).value).toBe(driven.state);
          record = stepped;
        }
      }),
    );
  });

  it('MC-SCH-048 is made exactly where the chart would change something', () => {
    fc.assert(
      fc.property(steps, fc.constantFrom(FITS, UNFIT, OFF), (events, found) => {
        const record = events.reduce(
          (each, event) => steppedSchedule(each, { ...event, at: AOS } as ScheduleChartEvent),
          createdSchedule(input(FITS)),
        );
        if (FINAL_STATES.has(record.state)) return;
        const stepped = steppedSchedule(record, { type: 'evaluated', at: AOS + 1, found });
        expect(wouldChange(record, found)).toBe(stepped !== record);
      }),
    );
  });

  /** Of a record that says this, and of what is found the same of it: one thing at a time is another. */
  const held = validation();
  const known = { fire_at: FITS.fireAt, validation: held, fell: 'it fell' };
  const same = { fireAt: FITS.fireAt, validation: held, fell: 'it fell' };
  it.each<[string, Partial<StoredSchedule>, Finding, boolean]>([
    ['nothing, while it fits', {}, { ...same, reasons: [] }, false],
    ['nothing, while it is at risk', { reasons: ['a', 'b'] }, { ...same, reasons: ['a', 'b'] }, false],
    ['a reason less', { reasons: ['a', 'b'] }, { ...same, reasons: ['a'] }, true],
    ['a reason more', { reasons: ['a'] }, { ...same, reasons: ['a', 'b'] }, true],
    ['the order of its reasons', { reasons: ['a', 'b'] }, { ...same, reasons: ['b', 'a'] }, true],
    ['why the validation fell', {}, { ...same, reasons: [], fell: 'otherwise' }, true],
    ['when it was validated', {}, { ...same, reasons: [], validation: { ...held, at: at(0) } }, true],
    ['its pass', { reasons: ['off'] }, { ...same, reasons: ['off'], cancelled: 'off' }, true],
    ['that it fits, of a record without its reason', { state: 'at_risk' }, { ...same, reasons: [] }, true],
  ])('MC-SCH-048 what is found is another: %s', (_what, more, found, isAnother) => {
    const state = more.reasons === undefined ? 'scheduled' : 'at_risk';
    const record = storedSchedule({ ...known, state, ...more });
    expect(wouldChange(record, found)).toBe(isAnother);
    const stepped = steppedSchedule(record, { type: 'evaluated', at: AOS, found });
    expect(stepped !== record).toBe(isAnother);
  });

  it('two records say the same where each word is the same', () => {
    const record = storedSchedule();
    expect([isSameRecord(record, record), isSameRecord(record, storedSchedule())]).toEqual([true, true]);
    expect(isSameRecord(record, storedSchedule({ fire_at: at(30_001) }))).toBe(false);
  });

  it('stands where the record does', () => {
    for (const state of SCHEDULE_STATES) expect(snapshotOf(storedSchedule({ state })).value).toBe(state);
    expect(snapshotOf(storedSchedule({ state: 'fired', submitted: true })).value).toBe('submitted');
  });
});
