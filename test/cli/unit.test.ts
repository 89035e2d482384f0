/** `mcs unit`: what becomes of an update or a reboot, tables, reports, and malformed command lines. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { unit } from '../../cli/unit.ts';
import { reportLines } from '../../cli/unit-call.ts';
import { unitColumns } from '../../cli/unit-columns.ts';
import { UnitProgress } from '../../cli/unit-progress.ts';
import type { UnitView } from '../../contract/unit.ts';

function aUnit(more: Partial<UnitView> = {}): UnitView {
  return {
    serial: 'bench-07',
    software: { name: 'bench-unit', version: '1.4.0' },
    hardware_revision: 'C2',
    alive: true,
    health: { state: 'ok' },
    last_heard: '2026-01-02T03:04:05.000Z',
    registered_at: '2026-01-02T00:00:00.000Z',
    heartbeat_period_ms: 1_000,
    boot: 'b1',
    gateways: [
      { name: 'uhf-07', registered: true, health: { state: 'up' }, links: [{ target: 'sat1', link: 'uhf' }] },
    ],
    ...more,
  };
}

const at = (version: string) => ({ software: { name: 'bench-unit', version } });
const busy = (phase: string, percent?: number) => ({
  activity: { verb: 'update', phase, ...(percent !== undefined && { percent }) },
});

describe('the progress of an update', () => {
  it('unit-progress.P1 is what the unit is busy with, down, and back with the version', () => {
    const progress = new UnitProgress(aUnit(), '1.5.0');
    const steps = [
      progress.step(aUnit(busy('fetching', 12.7))),
      progress.step(aUnit(busy('installing', 40))),
      progress.step(aUnit({ alive: false })),
      progress.step(aUnit({ ...at('1.5.0'), boot: 'b2' })),
    ];
    expect(steps).toEqual([
      { text: 'update: fetching 12 %' },
      { text: 'update: installing 40 %' },
      { text: 'down' },
      { text: 'back with version 1.5.0', end: 'done' },
    ]);
  });

  it('unit-progress.P1 has failed where the unit comes back with another version', () => {
    const progress = new UnitProgress(aUnit(), '1.5.0');
    expect(progress.step(aUnit({ boot: 'b2' }))).toEqual({
      text: 'back with version 1.4.0, not 1.5.0',
      end: 'failed',
    });
  });

  it('unit-progress.P1 of the version that is there already waits for the start behind it', () => {
    const progress = new UnitProgress(aUnit(), '1.4.0');
    expect(progress.step(aUnit()).end).toBeUndefined();
    expect(progress.step(aUnit({ boot: 'b2' })).end).toBe('done');
  });

  it('unit-progress.P2 a unit that does not say when it started is back once it was away', () => {
    const { boot: _, ...plain } = aUnit();
    const progress = new UnitProgress(plain, undefined);
    expect(progress.step(plain).end).toBeUndefined();
    expect(progress.step({ ...plain, alive: false }).text).toBe('down');
    expect(progress.step(plain).end).toBeUndefined();
    expect(progress.step({ ...plain, registered_at: '2026-01-02T03:05:00.000Z' }).end).toBe('done');
    const updated = new UnitProgress(plain, '1.5.0');
    expect(updated.step({ ...plain, ...at('1.5.0') }).end).toBe('done');
  });

  it('goes on where the fleet has lost the unit', () => {
    const progress = new UnitProgress(undefined, undefined);
    expect(progress.step(undefined)).toEqual({ text: 'down' });
    expect(progress.step(aUnit()).end).toBe('done');
  });
});

describe('what is printed', () => {
  it('MC-UNIT-005 MC-UNIT-006 a unit with its health, what it does, its gateways and their links', () => {
    const columns = unitColumns(false);
    const unitNow = aUnit({
      health: { state: 'degraded', reason: 'fan 2 stands still' },
      ...busy('installing', 40),
    });
    columns.add(unitNow);
    const look = { colour: false, width: undefined };
    expect(columns.line(unitNow, 0, look).split(/ {2,}/)).toEqual([
      'bench-07',
      'yes',
      'degraded: fan 2 stands still',
      'bench-unit 1.4.0',
      'C2',
      '2026-01-02 03:04:05Z',
      'update: installing 40 %',
      'uhf-07 up (sat1.uhf)',
    ]);
    expect(columns.line(aUnit({ alive: false }), 0, look)).toContain('  NO');
  });

  it('MC-UNIT-008 a report, also one of a unit that says something else', () => {
    expect(reportLines({ passed: false, checks: [{ name: 'fan', passed: false, detail: 'rpm 0' }] })).toEqual(
      ['FAILED  fan  rpm 0', 'the self-test FAILED'],
    );
    expect(reportLines({ passed: true, checks: [{ name: 'fan', passed: true }] }).at(-1)).toBe(
      'the self-test passed',
    );
    expect(reportLines({ wattage: 7 } as object)).toEqual(['{"wattage":7}']);
  });
});

describe('a malformed command line', () => {
  let said = '';
  beforeEach(() => {
    said = '';
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      said += String(text);
      return true;
    });
  });
  afterEach(() => void vi.restoreAllMocks());

  it.each([
    [[]],
    [['explode']],
    [['list', 'x']],
    [['selftest']],
    [['reboot', 'a', 'b']],
    [['reboot', 'a', '--wait', 'soon']],
    [['reboot', 'a', '--version', '1.0.0']],
    [['update', 'a', '--image', 'file:///x']],
    [['enrol', 'a']],
    [['remove']],
    [['image', 'x']],
    [['simulate', 'a.b', '--nats', 'nats://x']],
    [['simulate', 'a', '--nats', 'nats://x', '--fault', 'fire']],
    [['simulate', 'a', '--nats', 'nats://x', '--period', 'often']],
  ])('%j ends with 2 and says how it is written', async (args) => {
    expect(await unit(args)).toBe(2);
    expect(said).toContain('mcs unit ');
  });
});
