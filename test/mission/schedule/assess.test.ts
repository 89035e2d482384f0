/** The fit rules of section 4.6, one by one and all at once. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoredSchedule } from '../../../contract/stored-schedule.ts';
import { assess, lateReasons, type Surroundings } from '../../../mission/schedule/assess.ts';
import { AOS, at, MINUTE, type PassParts, storedPass, storedSchedule, validation } from './records.ts';

const FLIGHT: Surroundings['environment'] = { name: 'flight', kind: 'in_orbit' };
const BENCH: Surroundings['environment'] = { name: 'bench' };

function around(more: Partial<Surroundings> = {}): Surroundings {
  return {
    pass: storedPass(),
    others: [],
    resolution: { outcome: 'same' },
    environment: FLIGHT,
    marginMs: 30_000,
    ...more,
  };
}

const reasonsOf = (schedule: Partial<StoredSchedule>, more: Partial<Surroundings> = {}): readonly string[] =>
  assess(storedSchedule(schedule), around(more)).reasons;
const onPass = (pass: PassParts): Partial<Surroundings> => ({ pass: storedPass(pass) });

describe('whether a schedule fits its pass', () => {
  it('MC-SCH-042 MC-LIM-009 it ends exactly at LOS less the margin: it fits, and one ms more is too long', () => {
    // From 30 s on, 570 s are left, of which 30 s are the margin.
    expect(reasonsOf({ max_duration: '540 s' })).toEqual([]);
    expect(reasonsOf({ max_duration: '540.001 s' })).toEqual([
      expect.stringContaining('the run may take 540.001 s'),
    ]);
    expect(reasonsOf({ max_duration: '540.001 s' }, { marginMs: 29_999 })).toEqual([]);
    expect(reasonsOf({ max_duration: '540 s', start: 'aos + 31 s' })).toHaveLength(1);
  });

  it.each<[string, Partial<StoredSchedule>, string[]]>([
    ['a run before it that is over', { id: 's0', fire_at: at(0), max_duration: '30 s' }, []],
    [
      'a run before it that is not surely over',
      { id: 's0', fire_at: at(0), max_duration: '30.001 s' },
      ['s0'],
    ],
    ['a run behind it', { id: 's0', fire_at: at(31_000), max_duration: '1 min' }, []],
    ['one at the same time, created before', { id: 's9', created_at: at(-31 * MINUTE) }, ['s9']],
    ['one at the same time, created later', { id: 's0', created_at: at(-29 * MINUTE) }, []],
    ['one of the same moment, of an earlier name', { id: 's0' }, ['s0']],
    ['one of the same moment, of a later name', { id: 's2' }, []],
    ['one at risk', { id: 's0', fire_at: at(0), state: 'at_risk' }, ['s0']],
    ['one that was fired', { id: 's0', fire_at: at(0), state: 'fired' }, ['s0']],
    ['one that was cancelled', { id: 's0', fire_at: at(0), state: 'cancelled' }, []],
    ['one that was missed', { id: 's0', fire_at: at(0), state: 'missed' }, []],
    ['itself', {}, []],
  ])('MC-SCH-043 MC-SCH-061 beside %s', (_what, other, expected) => {
    const reasons = reasonsOf({}, { others: [storedSchedule(other)] });
    expect(reasons.map((reason) => /schedule (\w+)/.exec(reason)?.[1])).toEqual(expected);
  });

  it.each<[string, PassParts, string]>([
    ['behind the year 9999', { aos: '9999-12-31T23:00:00Z', los: '9999-12-31T23:59:59Z' }, 'aos + 2 h'],
    [
      'before the year 1',
      { aos: '0001-01-01T00:00:00+14:00', los: '0001-01-01T01:00:00+14:00' },
      'aos + 30 s',
    ],
  ])(
    'schedule/assess.F4 its pass would start it %s: it keeps its start, and does not fit',
    (_what, pass, start) => {
      const found = assess(storedSchedule({ start }), around(onPass(pass)));
      expect([found.fireAt, found.reasons[0]]).toEqual([
        at(30_000),
        `start "${start}" on pass p1 of sat1 is outside of the years 1 to 9999`,
      ]);
    },
  );

  it('schedule/assess.F4 MC-SCH-042 a run as long as no calendar is too long', () => {
    const max_duration = '1e200 s';
    const others = [storedSchedule({ id: 's0', fire_at: at(0), max_duration })];
    const reasons = reasonsOf({ max_duration }, { others });
    expect(reasons).toEqual([
      expect.stringContaining('until 9999-12-31T23:59:59.999Z'),
      expect.stringContaining('schedule s0'),
    ]);
  });

  it('MC-SCH-043 one that was fired late ends late', () => {
    // Drawn 25 s behind AOS, from the time in its identifier.
    const late = storedSchedule({
      id: 's0',
      state: 'fired',
      fire_at: at(0),
      max_duration: '10 s',
      run_id: ulidAt(AOS + 25_000),
    });
    expect(reasonsOf({}, { others: [late] })).toEqual([expect.stringContaining(at(35_000))]);
    const prompt = { ...late, run_id: ulidAt(AOS) };
    expect(reasonsOf({}, { others: [prompt] })).toEqual([]);
  });

  it.each<[string, PassParts, Surroundings['environment'], boolean]>([
    ['a booked pass in orbit', {}, FLIGHT, true],
    ['a predicted pass in orbit', { status: 'predicted' }, FLIGHT, false],
    ['a predicted pass elsewhere', { status: 'predicted' }, BENCH, true],
  ])('MC-SCH-044 %s', (_what, pass, environment, fits) => {
    const reasons = reasonsOf({}, { ...onPass(pass), environment });
    expect(reasons).toEqual(fits ? [] : [expect.stringContaining('needs a booking')]);
  });

  it.each<[boolean, boolean | undefined, boolean]>([
    [true, true, true],
    [true, undefined, true],
    [true, false, false],
    [false, false, true],
  ])('MC-SCH-045 MC-PASS-049 it sends: %s, uplink: %s, fits: %s', (sends, uplink, fits) => {
    const reasons = reasonsOf({ sends }, onPass({ uplink }));
    expect(reasons).toEqual(fits ? [] : [expect.stringContaining('receive-only')]);
  });

  it('MC-SCH-031 its pass is not stored any more', () => {
    const found = assess(storedSchedule(), around({ pass: undefined }));
    expect(found).toEqual({ reasons: ['pass p1 of sat1 is not stored any more'], fireAt: at(30_000) });
  });

  it('MC-SCH-038 its pass is cancelled', () => {
    const found = assess(storedSchedule(), around(onPass({ status: 'cancelled' })));
    expect(found.cancelled).toBe('pass p1 of sat1 is cancelled');
  });

  it('MC-SCH-052 it is due at AOS and its offset, also when AOS moves', () => {
    expect(assess(storedSchedule(), around()).fireAt).toBe(at(30_000));
    const moved = onPass({ aos: at(10_000), los: at(11 * MINUTE) });
    expect(assess(storedSchedule(), around(moved)).fireAt).toBe(at(40_000));
    // By where it is now, not by where it was.
    const before = storedSchedule({ id: 's0', fire_at: at(35_000), max_duration: '1 min' });
    expect(reasonsOf({}, { ...moved, others: [before] })).toHaveLength(1);
  });

  it('MC-SCH-056 its run does not resolve any more, with what resolution says', () => {
    const reasons = ['no procedure "set"', 'no role "sat"'];
    expect(reasonsOf({}, { resolution: { outcome: 'none', reasons } })).toEqual(reasons);
  });

  it('MC-SCH-056 its run is another one now: that one is measured', () => {
    const plan = {
      ir: 'c'.repeat(64),
      content: 'd'.repeat(64),
      config: 'r2',
      max_duration: '9.5 min',
      sends: false,
      needs_validation: true,
    };
    const found = assess(storedSchedule(), around({ resolution: { outcome: 'another', plan } }));
    expect(found.plan).toEqual(plan);
    expect(found.reasons).toEqual([
      expect.stringContaining('the run may take 570 s'),
      'it sends a hazardous telecommand and needs the validation of a supervisor',
    ]);
  });

  it('MC-SCH-048 every reason is given at once: pass, window, other runs, validation', () => {
    const reasons = reasonsOf(
      { needs_validation: true, max_duration: '10 min' },
      {
        ...onPass({ status: 'predicted', uplink: false }),
        others: [storedSchedule({ id: 's0', fire_at: at(0), max_duration: '1 min' })],
      },
    );
    expect(reasons).toEqual([
      expect.stringContaining('needs a booking'),
      expect.stringContaining('the run may take'),
      expect.stringContaining('receive-only'),
      expect.stringContaining('schedule s0'),
      expect.stringContaining('validation of a supervisor'),
    ]);
  });
});

describe('the validation of a schedule', () => {
  const needing = { needs_validation: true };

  it('MC-SCH-046 MC-SCH-054 one that needs it fits while it holds', () => {
    expect(reasonsOf(needing)).toEqual([
      'it sends a hazardous telecommand and needs the validation of a supervisor',
    ]);
    const found = assess(storedSchedule({ ...needing, validation: validation() }), around());
    expect([found.reasons, found.validation]).toEqual([[], validation()]);
  });

  it.each<[string, Partial<StoredSchedule>, Partial<Surroundings>, string]>([
    ['another AOS', {}, onPass({ aos: at(10_000) }), 'AOS is'],
    ['another LOS', {}, onPass({ los: at(11 * MINUTE) }), 'LOS is'],
    ['another run', { ir: 'c'.repeat(64) }, {}, 'gives another run'],
    ['another pass', { pass: 'p2' }, onPass({ id: 'p2' }), 'pass p1 is not stored any more'],
    ['no pass', {}, { pass: undefined }, 'pass p1 is not stored any more'],
  ])('MC-SCH-056 falls at %s', (_what, schedule, surroundings, why) => {
    const found = assess(
      storedSchedule({ ...needing, validation: validation(), ...schedule }),
      around(surroundings),
    );
    expect(found.validation).toBeUndefined();
    expect(found.fell).toContain(why);
    expect(found.reasons).toContain(found.fell);
    expect(found.fallen).toEqual(validation());
  });

  it('MC-SCH-056 the same moment in other words is no difference', () => {
    const written = validation({ aos: '2026-01-02T13:00:00+01:00' });
    expect(assess(storedSchedule({ ...needing, validation: written }), around()).validation).toEqual(written);
  });

  it('MC-SCH-057 does not stand again when the window does', () => {
    const fell = assess(
      storedSchedule({ ...needing, validation: validation() }),
      around(onPass({ aos: at(10_000) })),
    ).fell!;
    const again = assess(storedSchedule({ ...needing, fell }), around());
    expect([again.reasons, again.fell]).toEqual([[fell], fell]);
    const fallen = validation();
    expect(assess(storedSchedule({ ...needing, fell, fallen }), around()).fallen).toEqual(fallen);
    const anew = assess(storedSchedule({ ...needing, fell, fallen, validation: validation() }), around());
    expect([anew.reasons, anew.fell, anew.fallen]).toEqual([[], undefined, undefined]);
  });

  it('MC-SCH-059 of one that needs none falls without putting it at risk', () => {
    const found = assess(
      storedSchedule({ validation: validation() }),
      around(onPass({ los: at(11 * MINUTE) })),
    );
    expect([found.reasons, found.validation]).toEqual([[], undefined]);
  });
});

describe('at the start', () => {
  it('MC-SCH-035 MC-SCH-036 it begins late as long as it is over in time', () => {
    const last = AOS + 10 * MINUTE - 30_000 - 2 * MINUTE;
    expect(lateReasons(storedSchedule(), around(), last)).toEqual([]);
    expect(lateReasons(storedSchedule(), around(), last + 1)).toEqual([
      expect.stringContaining('the run may take 2 min'),
    ]);
  });

  it('MC-SCH-037 its pass is not stored any more', () => {
    expect(lateReasons(storedSchedule(), around({ pass: undefined }), AOS)).toEqual([
      'pass p1 of sat1 is not stored any more',
    ]);
  });
});

it('MC-SCH-061 of runs on one pass each fits only beside those that come before it: none starts while one before it may run', () => {
  const placed = fc.record({
    start: fc.integer({ min: 0, max: 400 }),
    seconds: fc.integer({ min: 1, max: 60 }),
    created: fc.integer({ min: 0, max: 5 }),
  });
  fc.assert(
    fc.property(fc.array(placed, { maxLength: 8 }), (runs) => {
      const schedules = runs.map(({ start, seconds, created }, n) =>
        storedSchedule({
          id: `s${n}`,
          start: `aos + ${start} s`,
          fire_at: at(start * 1_000),
          max_duration: `${seconds} s`,
          created_at: at(-created * 1_000),
        }),
      );
      const fitting = schedules.filter((each) => reasonsOf(each, { others: schedules }).length === 0);
      const spans = fitting
        .map(({ fire_at, max_duration }) => [Date.parse(fire_at), Number.parseInt(max_duration, 10) * 1_000])
        .sort(([one], [other]) => one! - other!);
      for (let n = 1; n < spans.length; n += 1)
        expect(spans[n]![0]).toBeGreaterThanOrEqual(spans[n - 1]![0]! + spans[n - 1]![1]!);
      if (schedules.length > 0) expect(fitting.length).toBeGreaterThan(0);
    }),
  );
});

function ulidAt(ms: number): string {
  const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  let rest = ms;
  let time = '';
  for (let place = 0; place < 10; place += 1) {
    time = digits[rest % 32]! + time;
    rest = Math.floor(rest / 32);
  }
  return `${time}${'0'.repeat(16)}`;
}
