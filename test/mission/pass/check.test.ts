import { describe, expect, it } from 'vitest';
import { readInstant, utcText } from '../../../contract/instant.ts';
import { ERRORS_LISTED } from '../../../contract/limits/request.ts';
import type { Pass, PassSnapshot } from '../../../contract/pass.ts';
import type { Mission } from '../../../mission/mission.ts';
import { passFaults, snapshotFaults } from '../../../mission/pass/check.ts';

const mission = {
  targets: new Map([
    ['sat1', {}],
    ['sat2', {}],
  ]),
} as unknown as Mission;
const PASS: Pass = {
  id: 'p1',
  target: 'sat1',
  station: 'kiruna',
  aos: '2026-01-02T03:04:05Z',
  los: '2026-01-02T03:14:05Z',
  max_elevation: '47.3 deg',
  source: 'fds',
  status: 'predicted',
};
const SNAPSHOT: PassSnapshot = {
  source: 'fds',
  target: 'sat1',
  from: '2026-01-02T00:00:00Z',
  to: '2026-01-03T00:00:00Z',
  passes: [PASS],
};

const said = (faults: readonly { code: string; path?: string }[]): string[] =>
  faults.map(({ code, path }) => `${code} ${path}`);

describe('a submitted pass (MC-PASS-002 MC-PASS-003 MC-PASS-004 MC-PASS-005 MC-PASS-007 MC-PASS-008 MC-PASS-009)', () => {
  it.each<[string, Partial<Pass>]>([
    ['as it is', {}],
    ['MC-PASS-003 at the horizon', { max_elevation: '0 deg' }],
    ['MC-PASS-003 overhead', { max_elevation: '90 deg' }],
    ['MC-PASS-003 in radian', { max_elevation: '0.5 rad' }],
    [
      'MC-PASS-007 MC-PASS-008 with everything',
      {
        transceiver: 'tx-a',
        protocol: 'ax25',
        rates: { uplink: '9600 bit/s', downlink: '1.5 Mbit/s' },
      },
    ],
    ['MC-PASS-004 MC-PASS-005 a booking', { source: 'provider', status: 'booked' }],
    ['MC-PASS-005 a cancelled prediction', { status: 'cancelled' }],
    ['in another zone', { aos: '2026-01-02T04:04:05+01:00' }],
    [
      'pass/check.V3 as the first that can be said',
      { aos: '0001-01-01T00:00:00Z', los: '0001-01-01T00:10:00Z' },
    ],
    [
      'pass/check.V3 as the last that every start is before',
      { aos: '9999-11-30T23:50:00Z', los: '9999-11-30T23:59:59.999Z' },
    ],
  ])('is accepted %s', (_what, more) => {
    expect(passFaults(mission, { ...PASS, ...more })).toEqual([]);
  });

  it.each<[string, Partial<Pass>, string]>([
    ['MC-PASS-002 ends as it begins', { los: PASS.aos }, 'pass::invalid /aos'],
    ['MC-PASS-002 ends before it begins', { los: '2026-01-02T03:00:00Z' }, 'pass::invalid /aos'],
    ['MC-PASS-002 has a day that is not', { aos: '2026-02-30T03:04:05Z' }, 'pass::invalid /aos'],
    [
      'MC-PASS-003 has an elevation below the horizon',
      { max_elevation: '-0.1 deg' },
      'pass::invalid /max_elevation',
    ],
    ['MC-PASS-003 has one past overhead', { max_elevation: '90.1 deg' }, 'pass::invalid /max_elevation'],
    ['MC-PASS-003 has one without unit', { max_elevation: '47' }, 'pass::invalid /max_elevation'],
    ['MC-PASS-003 has a length for it', { max_elevation: '47 m' }, 'pass::invalid /max_elevation'],
    ['MC-PASS-008 has a rate of zero', { rates: { uplink: '0 bit/s' } }, 'pass::invalid /rates/uplink'],
    ['MC-PASS-008 has a rate below it', { rates: { downlink: '-1 bit/s' } }, 'pass::invalid /rates/downlink'],
    [
      'MC-PASS-008 has a frequency for it',
      { rates: { downlink: '9600 Hz' } },
      'pass::invalid /rates/downlink',
    ],
    ['MC-PASS-009 is a booked prediction', { status: 'booked' }, 'pass::invalid /status'],
    [
      'MC-PASS-002 pass/check.V3 begins before the year 1, UTC',
      { aos: '0001-01-01T00:00:00+14:00' },
      'pass::invalid /aos',
    ],
    [
      'MC-PASS-002 pass/check.V3 ends so late that a start on it may be behind the year 9999',
      { los: '9999-12-01T00:00:00Z' },
      'pass::invalid /los',
    ],
    [
      'MC-PASS-002 pass/check.V3 ends behind the year 9999, UTC',
      { los: '9999-12-31T23:59:59-23:59' },
      'pass::invalid /los',
    ],
    ['MC-PASS-010 is of an unknown target', { target: 'sat9' }, 'pass::unknown-target /target'],
  ])('is refused that %s', (_what, more, fault) => {
    expect(said(passFaults(mission, { ...PASS, ...more }))).toEqual([fault]);
  });

  it('MC-PASS-002 says to what its times are taken where it is shorter than that', () => {
    const window = { aos: '2026-01-02T03:04:05.123456789Z', los: '2026-01-02T03:04:05.123456999Z' };
    expect(passFaults(mission, { ...PASS, ...window })[0]!.message).toBe(
      `/aos ${window.aos} is not before los ${window.los}: times are taken to the millisecond`,
    );
    expect(passFaults(mission, { ...PASS, los: PASS.aos })[0]!.message).not.toContain('millisecond');
  });

  it('is refused with every fault at once, each with what to do', () => {
    const faults = passFaults(mission, { ...PASS, target: 'sat', los: PASS.aos, max_elevation: 'high' });
    expect(said(faults)).toEqual([
      'pass::unknown-target /target',
      'pass::invalid /aos',
      'pass::invalid /max_elevation',
    ]);
    expect(faults.every(({ help }) => help !== undefined)).toBe(true);
  });
});

describe('a snapshot (MC-PASS-043 MC-PASS-044 MC-PASS-045)', () => {
  it('is accepted with every pass of its interval, also one that reaches out of it, and with none', () => {
    const reaching = { ...PASS, id: 'p2', aos: '2026-01-01T23:50:00Z', los: '2026-01-02T00:00:01Z' };
    expect(snapshotFaults(mission, { ...SNAPSHOT, passes: [PASS, reaching] })).toEqual([]);
    expect(snapshotFaults(mission, { ...SNAPSHOT, passes: [] })).toEqual([]);
  });

  it.each<[string, Partial<PassSnapshot>, string[]]>([
    [
      'MC-PASS-043 a pass of another target',
      { passes: [PASS, { ...PASS, id: 'p2', target: 'sat2' }] },
      ['pass::invalid /passes/1/target'],
    ],
    ['MC-PASS-044 a pass that only touches the interval', { from: PASS.los }, ['pass::invalid /passes/0']],
    ['MC-PASS-044 a pass behind the interval', { to: '2026-01-02T01:00:00Z' }, ['pass::invalid /passes/0']],
    ['MC-PASS-045 an interval that ends as it begins', { to: SNAPSHOT.from }, ['pass::invalid /from']],
    ['an interval without a time', { to: 'tomorrow' }, ['pass::invalid /to']],
    [
      'a pass that is refused by itself',
      { passes: [{ ...PASS, max_elevation: '100 deg' }] },
      ['pass::invalid /passes/0/max_elevation'],
    ],
    [
      'MC-PASS-010 an unknown target, once',
      { target: 'sat9', passes: [{ ...PASS, target: 'sat9' }] },
      ['pass::unknown-target /target'],
    ],
  ])('is refused whole for %s', (_what, more, faults) => {
    expect(said(snapshotFaults(mission, { ...SNAPSHOT, ...more }))).toEqual(faults);
  });

  it('is refused whole for an identifier that it has twice', () => {
    expect(said(snapshotFaults(mission, { ...SNAPSHOT, passes: [PASS, PASS] }))).toEqual([
      'pass::invalid /passes/1/id',
    ]);
  });

  it('stops looking when there are more faults than anybody is shown', () => {
    const passes = Array.from({ length: 5_000 }, (_, n) => ({ ...PASS, id: `p${n}`, max_elevation: 'x' }));
    expect(snapshotFaults(mission, { ...SNAPSHOT, passes }).length).toBe(ERRORS_LISTED + 1);
  });
});

describe('a time', () => {
  it.each([
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
    ['2026-01-02T03:04:05.678901234Z', Date.UTC(2026, 0, 2, 3, 4, 5, 678)],
    ['2026-01-02t03:04:05z', Date.UTC(2026, 0, 2, 3, 4, 5)],
    ['2026-01-02T03:04:05-01:30', Date.UTC(2026, 0, 2, 4, 34, 5)],
  ])('%s is read', (text, ms) => {
    expect(readInstant(text)).toBe(ms);
  });

  it.each([
    '2023-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-02T24:00:00Z',
    '2026-01-02T03:60:05Z',
    '2026-01-02T03:04:60Z',
    '2026-01-02T03:04:05',
    '2026-01-02 03:04:05Z',
    '2026-01-02T03:04:05+24:00',
    '0000-01-02T03:04:05Z',
    '2026-01-02',
    'now',
    '',
  ])('%s is not', (text) => {
    expect(readInstant(text)).toBeUndefined();
  });

  it.each([
    ['2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05.000Z'],
    ['2026-01-02T03:04:05.678901234-01:30', '2026-01-02T04:34:05.678Z'],
    ['2026-01-02T03:04:05-00:00', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02t03:04:05Z', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04:05z', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z'],
    ['2026-01-02T03:04:05.678901234Z', '2026-01-02T03:04:05.678901234Z'],
    ['now', 'now'],
  ])('MC-GEN-002 instant.I3 %s is in UTC %s', (text, utc) => {
    expect(utcText(text)).toBe(utc);
  });
});
