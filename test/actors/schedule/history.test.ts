/** What a record remembers, replayed through the chart as the inspector does. */

import { describe, expect, it } from 'vitest';
import { createScheduleBinding } from '../../../actors/schedule/binding.ts';
import { logOf } from '../../../actors/schedule/history.ts';
import type { ScheduleChange, StoredSchedule } from '../../../contract/stored-schedule.ts';
import { replay } from '../../../supervision/inspection/replay.ts';
import { storedSchedule } from '../../mission/schedule/records.ts';

const RUN = '01J5ZK3M8QW7V9XH2C4T6R8YAC';
const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

function aRecord(changes: readonly ScheduleChange[], more: Partial<StoredSchedule> = {}): StoredSchedule {
  const { state, reasons } = changes.at(-1)!;
  const times = { fire_at: at(50), created_at: at(0), updated_at: at(0) };
  return storedSchedule({
    ...times,
    start: 'aos',
    run: 'take_image',
    state,
    reasons: [...reasons],
    changes,
    ...more,
  });
}

const change = (second: number, state: ScheduleChange['state'], reasons: string[] = [], by?: string) => ({
  at: at(second),
  state,
  reasons,
  ...(by !== undefined && { by }),
});

function replayed(record: StoredSchedule) {
  const binding = createScheduleBinding({ schedules: { get: () => undefined } } as never);
  const { steps, final } = replay(binding, record.id, logOf(record)!);
  return {
    final,
    steps: steps.map(({ event, detail, active, taken }) => [event, detail, active.join(' '), taken.length]),
  };
}

describe('the history of a schedule', () => {
  it('MC-SCH-035 goes through the chart to its submission, with the run', () => {
    const changes = [
      change(0, 'scheduled'),
      change(1, 'at_risk', ['LOS comes first']),
      change(2, 'scheduled'),
      change(50, 'fired'),
    ];
    const fired = replayed(aRecord(changes, { run_id: RUN, submitted: true }));
    expect(fired).toEqual({
      final: true,
      steps: [
        ['scheduled', undefined, 'schedule.scheduled', 1],
        ['at_risk', 'LOS comes first', 'schedule.at_risk', 1],
        ['scheduled', undefined, 'schedule.scheduled', 1],
        ['fired', undefined, 'schedule.fired', 1],
        ['submitted', `run ${RUN}`, 'schedule.submitted', 1],
      ],
    });
  });

  it('is not over while the run is not known to be submitted', () => {
    const changes = [change(0, 'scheduled'), change(50, 'fired')];
    const { final, steps } = replayed(aRecord(changes, { run_id: RUN }));
    expect([final, steps.at(-1)?.[2]]).toEqual([false, 'schedule.fired']);
  });

  it('MC-SCH-036 MC-SCH-039 says why one is missed, and who has cancelled one', () => {
    const missed = replayed(aRecord([change(0, 'scheduled'), change(50, 'missed', ['too late', 'RX only'])]));
    expect(missed).toMatchObject({
      final: true,
      steps: [{ 0: 'scheduled' }, { 0: 'missed', 1: 'too late; RX only', 2: 'schedule.missed' }],
    });
    const by = replayed(
      aRecord([change(0, 'at_risk', ['x']), change(5, 'cancelled', ['not wanted'], 'eve')]),
    );
    expect(by.steps.at(-1)).toEqual(['cancelled', 'not wanted; by eve', 'schedule.cancelled', 1]);
  });
});
