import { describe, expect, it } from 'vitest';
import type { RuleFilter, RuleRequest } from '../../../contract/schedule-rule.ts';
import { readStoredRule } from '../../../contract/stored-schedule.ts';
import { byRule, matches, ruleScheduleId, scheduleOf } from '../../../mission/schedule/rule.ts';
import { type PassParts, storedPass } from './records.ts';

const rule = (filter?: RuleFilter): RuleRequest => ({
  id: 'each',
  target: 'sat1',
  start: 'aos + 30 s',
  run: 'set',
  targets: { sat: 'sat1' },
  ...(filter !== undefined && { filter }),
});

type Row = [RuleFilter | undefined, PassParts, boolean];

describe('a stored rule', () => {
  const read = (filter: unknown) => {
    const stored = { ...rule(), filter, updated_at: '2026-01-01T00:00:00.000Z' };
    return readStoredRule('each', Buffer.from(JSON.stringify(stored)));
  };

  it.each<RuleFilter | undefined>([
    undefined,
    {},
    { status: 'booked', min_elevation: '20 deg', station: 'kiruna', uplink: false },
  ])('is read with filter %j', (filter) => {
    expect(read(filter)?.filter).toEqual(filter);
  });

  it.each<unknown>([
    null,
    'booked',
    { status: 1 },
    { min_elevation: 20 },
    { min_elevation: null },
    { station: ['kiruna'] },
    { uplink: 'yes' },
  ])('is left out with filter %j', (filter) => {
    expect(read(filter)).toBeUndefined();
  });
});

describe('which passes a rule is about', () => {
  it.each<Row>([
    [undefined, {}, true],
    [{}, {}, true],
    [undefined, { status: 'predicted', uplink: false, max_elevation: '1 deg' }, true],
    [undefined, { target: 'sat2' }, false],
  ])('MC-RULE-003 filter %j, pass %j: %s', (filter, pass, expected) => {
    expect(matches(rule(filter), storedPass(pass))).toBe(expected);
  });

  it.each<Row>([
    [{ status: 'booked' }, { status: 'booked' }, true],
    [{ status: 'booked' }, { status: 'predicted' }, false],
    [{ min_elevation: '20 deg' }, { max_elevation: '20 deg' }, true],
    [{ min_elevation: '20 deg' }, { max_elevation: '19.99 deg' }, false],
    [{ min_elevation: '0.5 rad' }, { max_elevation: '29 deg' }, true],
    [{ min_elevation: '0.5 rad' }, { max_elevation: '28 deg' }, false],
    [{ station: 'kiruna' }, { station: 'kiruna' }, true],
    [{ station: 'kiruna' }, { station: 'svalbard' }, false],
    [{ uplink: true }, { uplink: true }, true],
    [{ uplink: true }, { uplink: undefined }, true],
    [{ uplink: true }, { uplink: false }, false],
    [{ uplink: false }, { uplink: false }, true],
    [{ uplink: false }, { uplink: undefined }, false],
    [{ status: 'booked', station: 'kiruna' }, { status: 'booked', station: 'kiruna' }, true],
    [{ status: 'booked', station: 'kiruna' }, { status: 'booked', station: 'svalbard' }, false],
    [{ status: 'booked', station: 'kiruna' }, { status: 'predicted', station: 'kiruna' }, false],
    [{ min_elevation: '20 deg', uplink: true }, { max_elevation: '40 deg', uplink: false }, false],
  ])('MC-RULE-002 filter %j, pass %j: %s', (filter, pass, expected) => {
    expect(matches(rule(filter), storedPass(pass))).toBe(expected);
  });

  it.each<RuleFilter | undefined>([undefined, {}, { status: 'cancelled' }, { status: 'booked' }])(
    'MC-RULE-004 filter %j never matches a cancelled pass',
    (filter) => {
      expect(matches(rule(filter), storedPass({ status: 'cancelled' }))).toBe(false);
    },
  );
});

describe('the schedule that a rule makes of a pass', () => {
  it('MC-RULE-009 is <rule>-<pass>, by rule <id>, with the run of the rule', () => {
    expect(ruleScheduleId('each', 'p1')).toBe('each-p1');
    expect(byRule('each')).toBe('rule each');
    const asked = { inputs: { level: 3 }, library: 'ops', environment: 'flight' };
    expect(scheduleOf({ ...rule({ status: 'booked' }), ...asked }, storedPass())).toEqual({
      id: 'each-p1',
      pass: 'p1',
      start: 'aos + 30 s',
      run: 'set',
      targets: { sat: 'sat1' },
      ...asked,
    });
  });

  it('MC-RULE-001 leaves out what the rule does not say', () => {
    expect(Object.keys(scheduleOf(rule(), storedPass()))).toEqual(['id', 'pass', 'start', 'run', 'targets']);
  });
});
