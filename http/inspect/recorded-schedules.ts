/**
 * Schedules as their book has them, for the inspector: a schedule is alive only while something becomes of it.
 * Mission Control Service, section 2.7.
 *
 * D1. They are listed only where they are asked for: a mission has thousands that wait for their pass.
 */

import type { EntitySummary, FindCall } from '../../contract/inspection.ts';
import type { StoredSchedule } from '../../contract/stored-schedule.ts';
import type { RoutePorts } from '../ports.ts';
import type { Recorded } from './finished.ts';
import { scheduleSummary } from './records.ts';

type Ports = Pick<RoutePorts, 'schedules'>;

/** Schedules that match, the latest change first (D1). */
export function findRecordedSchedules({ schedules }: Ports, call: FindCall): Recorded {
  const { kind, id, target, state } = call;
  const isAsked = kind === 'schedule' || (kind === undefined && (id ?? target ?? state) !== undefined);
  if (!isAsked) return { entities: [], complete: true };
  const entities = schedules
    .schedules()
    .filter((schedule) => matches(schedule, call))
    .map(scheduleSummary);
  return { entities: entities.sort((one, other) => other.at - one.at), complete: schedules.live };
}

/** What its record says of it beside its chart; undefined for another kind and an unknown one. */
export function scheduleInBook(
  { schedules }: Ports,
  { kind, id }: { readonly kind: string; readonly id: string },
): EntitySummary | undefined {
  const schedule = kind === 'schedule' ? schedules.get(id) : undefined;
  return schedule && scheduleSummary(schedule);
}

function matches(schedule: StoredSchedule, { id, target, state }: FindCall): boolean {
  return (
    (id === undefined || schedule.id.includes(id) || schedule.run.includes(id)) &&
    (target === undefined || schedule.target === target) &&
    (state === undefined || schedule.state === state)
  );
}
