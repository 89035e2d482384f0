/** A schedule as callers see it: the record, and what is known around it now. Mission Control Service, section 2.7. */

import type { Schedule } from '../contract/schedule.ts';
import { type StoredSchedule, shownSchedule } from '../contract/stored-schedule.ts';
import { meetingsOf } from '../mission/schedule/meeting.ts';
import type { RoutePorts } from './ports.ts';

export function scheduleView(stored: StoredSchedule, { schedules }: Pick<RoutePorts, 'schedules'>): Schedule {
  const warnings = meetingsOf(stored, (target) => schedules.ofTarget(target));
  return { ...shownSchedule(stored), ...(warnings.length > 0 && { warnings }) };
}
