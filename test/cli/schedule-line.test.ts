/** Schedules and rules as lines: every state in words, what a narrow terminal leaves out, text that is only text. */

import { describe, expect, it } from 'vitest';
import { filterText, refusalLines, ruleColumns } from '../../cli/rule-line.ts';
import { countdown, scheduleColumns } from '../../cli/schedule-columns.ts';
import { scheduleLines } from '../../cli/schedule-show.ts';
import type { Schedule } from '../../contract/schedule.ts';
import type { Rule } from '../../contract/schedule-rule.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 0);
const PLAIN = { colour: false, width: undefined };

function aSchedule(more: Partial<Schedule> = {}): Schedule {
  return {
    id: 'image-morning',
    pass: 'sat1-kiruna-20260102T0304',
    start: 'aos + 30 s',
    run: 'take_image',
    targets: { sat: 'sat1' },
    environment: 'flight',
    state: 'scheduled',
    reasons: [],
    target: 'sat1',
    ir: 'ab',
    max_duration: '95 s',
    sends: true,
    needs_validation: false,
    fire_at: '2026-01-02T03:04:35.000Z',
    by: 'ada',
    updated_at: '2026-01-01T00:00:00.000Z',
    ...more,
  };
}

function aRule(more: Partial<Rule['passes']> = {}): Rule {
  return {
    id: 'image-each',
    target: 'sat1',
    filter: { min_elevation: '20 deg', uplink: true },
    start: 'aos + 1 min',
    run: 'take_image',
    targets: { sat: 'sat1' },
    by: 'ada',
    updated_at: '2026-01-01T00:00:00.000Z',
    passes: { matched: 3, created: 3, refused: [], refused_count: more.refused?.length ?? 0, ...more },
  };
}

describe('a list of schedules', () => {
  it('schedule-columns.C1 MC-SCH-009 says every state in words, with why', () => {
    const columns = scheduleColumns(false);
    const schedules = [
      aSchedule(),
      aSchedule({ id: 's2', state: 'at_risk', reasons: ['LOS comes first', 'it has no validation'] }),
      aSchedule({ id: 's3', state: 'fired', run_id: '01J' }),
      aSchedule({ id: 's4', state: 'missed', reasons: ['the pass is over'] }),
      aSchedule({ id: 's5', state: 'cancelled', reasons: ['cancelled by eve'] }),
    ];
    for (const each of schedules) columns.add(each);
    const lines = [columns.heading(PLAIN), ...schedules.map((each) => columns.line(each, NOW, PLAIN))];
    const middle = 'sat1-kiruna-20260102T0304  sat1    take_image  ada';
    expect(lines).toEqual([
      'STATE           STARTS  DAY         AT         SCHEDULE       PASS                       TARGET  PROCEDURE   BY   REASONS',
      `scheduled      in 4:35  2026-01-02  03:04:35Z  image-morning  ${middle}`,
      `AT RISK        in 4:35  2026-01-02  03:04:35Z  s2             ${middle}  LOS comes first; it has no validation`,
      `fired                -  2026-01-02  03:04:35Z  s3             ${middle}  run 01J`,
      `MISSED               -  2026-01-02  03:04:35Z  s4             ${middle}  the pass is over`,
      `CANCELLED            -  2026-01-02  03:04:35Z  s5             ${middle}  cancelled by eve`,
    ]);
  });

  it('schedule-columns.C2 counts down to what may still start', () => {
    expect(countdown(aSchedule(), NOW)).toBe('in 4:35');
    expect(countdown(aSchedule(), NOW - 3 * 86_400_000)).toBe('in 3d 0h');
    expect(countdown(aSchedule(), NOW + 3_600_000)).toBe('due');
    expect(countdown(aSchedule({ state: 'missed' }), NOW)).toBe('-');
  });

  it('columns.C1 keeps state, start, schedule, procedure and reasons where it is narrow, and says what it hides', () => {
    const columns = scheduleColumns(false);
    const row = aSchedule({ state: 'at_risk', reasons: ['it starts before the run of another one is over'] });
    columns.add(row);
    const look = { colour: false, width: 64 };
    const line = columns.line(row, NOW, look);
    expect(line).toBe('AT RISK      in 4:35  image-morning  take_image  it starts befo…');
    expect(columns.heading(look)).toBe('STATE         STARTS  SCHEDULE       PROCEDURE   REASONS');
    expect(columns.leftOut(64)).toEqual(['DAY', 'AT', 'PASS', 'TARGET', 'BY']);
  });

  it('pass-look.L1 shows what the service says as text', () => {
    const columns = scheduleColumns(false);
    const odd = aSchedule({ run: 'a\u001b[2J', by: 'e\u0007ve', reasons: ['x\u009b1m'], state: 'at_risk' });
    const lines = [
      columns.line(odd, NOW, PLAIN),
      ...scheduleLines({ schedule: odd }, { local: false, now: NOW }),
    ];
    for (const line of lines) expect(line).not.toMatch(/\p{Cc}/u);
    const refused = [{ pass: 'p\u001b1', reasons: ['\u001b]0;x'], at: '2026-01-01T00:00:00Z' }];
    expect(refusalLines(aRule({ refused }), false).join('')).not.toMatch(/\p{Cc}/u);
  });
});

describe('one schedule', () => {
  const lines = (more: Partial<Schedule>, run?: object) =>
    scheduleLines(
      { schedule: aSchedule(more), ...(run !== undefined && { run: run as never }) },
      { local: false, now: NOW },
    ).join('\n');

  it('MC-SCH-009 has each reason in a line, and says that a supervisor is needed', () => {
    const text = lines({
      state: 'at_risk',
      needs_validation: true,
      reasons: ['LOS comes first', 'it has no validation'],
    });
    expect(text).toMatch(
      /^image-morning\n {2}state +AT RISK\n {2}because +LOS comes first\n +it has no validation\n/,
    );
    expect(text).toMatch(/\n {2}starts +2026-01-02 03:04:35Z {2}\(in 4:35\)\n/);
    expect(text).toMatch(/\n {2}validation +NEEDED, by a supervisor: mcs schedule validate image-morning\n/);
    expect(text).toMatch(/\n +not stored any more\n/);
  });

  it('shows for what a validation holds, and where the run is', () => {
    const window = { aos: '2026-01-02T03:04:05Z', los: '2026-01-02T03:14:05Z' };
    const validation = { by: 'eve', at: '2026-01-01T12:00:00Z', pass: 'p', ir: 'ab', ...window };
    const run = { run: '01J', procedure: 'take_image', suspended: false };
    const fired = { state: 'fired', run_id: '01J', needs_validation: true, validation } as const;
    expect(lines(fired, { ...run, step: 'shoot' })).toMatch(
      /validation +by eve at 2026-01-01 12:00:00Z, for AOS 2026-01-02 03:04:05Z, LOS 2026-01-02 03:14:05Z\n {2}run +01J {2}running at shoot {2}\(mcs run follow 01J\)\n/,
    );
    expect(lines(fired, { ...run, finished: false, reason: 'no signal' })).toMatch(
      /01J {2}FAILED: no signal /,
    );
    expect(lines(fired, run)).toMatch(/01J {2}submitted /);
    expect(lines(fired)).toMatch(/01J {2}not known to the service any more\n/);
    expect(lines(fired)).toMatch(/\n {2}was due +2026-01-02 03:04:35Z\n/);
  });
});

describe('a rule', () => {
  it('MC-RULE-002 says in words what a pass must be', () => {
    expect(filterText(undefined)).toBe('every pass');
    expect(filterText({ status: 'booked', uplink: false, min_elevation: '20 deg', station: 'kiruna' })).toBe(
      'booked, RX only, as high as 20 deg, over kiruna',
    );
    const columns = ruleColumns();
    columns.add(aRule());
    expect(columns.line(aRule(), NOW, PLAIN)).toBe(
      'image-each  sat1    aos + 1 min  take_image        3        3        0  ada  with uplink, as high as 20 deg',
    );
  });

  it('rule-line.R1 names the earliest passes it refused, and how many more', () => {
    const refused = [1, 2, 3, 4, 5].map((n) => ({
      pass: `p${n}`,
      reasons: ['too short', 'RX only'],
      at: '2026-01-01T00:00:00Z',
    }));
    expect(refusalLines(aRule({ refused }), false)).toEqual([
      ...[1, 2, 3].map((n) => `image-each: no schedule on p${n}: too short; RX only (2026-01-01 00:00:00Z)`),
      'image-each: no schedule on 2 more (mcs rule list --json has 5 with their reasons)',
    ]);
    expect(refusalLines(aRule(), false)).toEqual([]);
  });
});
