/**
 * Stored schedules as columns: what a list shows of a schedule. Pure but for the zone, as `pass-look.ts`. Mission
 * Control Service, sections 2.7 and 3.4.
 *
 * C1. Nothing is said by colour alone: what does not start by itself as things are is in capitals, with why.
 * C2. Only what may still start has a countdown; the start of what has been fired is in the past.
 */

import { readInstant } from '../contract/instant.ts';
import type { Schedule, ScheduleState } from '../contract/schedule.ts';
import { FINAL_STATES } from '../contract/stored-schedule.ts';
import { Columns } from './columns.ts';
import { dayAndTime, remaining, type Tone } from './pass-look.ts';

const LISTED = [
  'STATE',
  'STARTS',
  'DAY',
  'AT',
  'SCHEDULE',
  'PASS',
  'TARGET',
  'PROCEDURE',
  'BY',
  'REASONS',
] as const;
type ScheduleColumn = (typeof LISTED)[number];

const SPARED = ['BY', 'TARGET', 'DAY', 'PASS', 'AT'] as const;
const WORDS: Readonly<Record<ScheduleState, string>> = {
  scheduled: 'scheduled',
  at_risk: 'AT RISK',
  cancelled: 'CANCELLED',
  fired: 'fired',
  missed: 'MISSED',
};

export function scheduleColumns(local: boolean): Columns<ScheduleColumn, Schedule> {
  return new Columns({
    columns: LISTED,
    cell: (column, schedule, now) => cellOf(column, schedule, { local, now }),
    tone: toneOf,
    right: ['STARTS'],
    spared: SPARED,
    wraps: true,
    fixed: { STARTS: 'in 23:59:59'.length },
  });
}

/** C1 */
export function stateText({ state }: Pick<Schedule, 'state'>): string {
  return WORDS[state];
}

/** `in 12:34`; C2. */
export function countdown({ state, fire_at }: Pick<Schedule, 'state' | 'fire_at'>, now: number): string {
  if (FINAL_STATES.has(state)) return '-';
  const leftMs = startOf({ fire_at }) - now;
  return leftMs > 0 ? `in ${remaining(leftMs)}` : 'due';
}

/** ms since 1970 */
export function startOf({ fire_at }: Pick<Schedule, 'fire_at'>): number {
  return readInstant(fire_at) ?? Number.NaN;
}

function cellOf(
  column: ScheduleColumn,
  schedule: Schedule,
  { local, now }: { readonly local: boolean; readonly now: number },
): string {
  switch (column) {
    case 'STATE':
      return stateText(schedule);
    case 'STARTS':
      return countdown(schedule, now);
    case 'DAY':
      return dayAndTime(startOf(schedule), local)[0];
    case 'AT':
      return dayAndTime(startOf(schedule), local)[1];
    case 'SCHEDULE':
      return schedule.id;
    case 'PASS':
      return schedule.pass;
    case 'TARGET':
      return schedule.target;
    case 'PROCEDURE':
      return schedule.run;
    case 'BY':
      return schedule.by ?? '-';
    case 'REASONS':
      return schedule.state === 'fired'
        ? `run ${schedule.run_id ?? 'not known'}`
        : [...schedule.reasons, ...(schedule.warnings ?? []).map((text) => `warning: ${text}`)].join('; ');
  }
}

function toneOf({ state }: Schedule): Tone | undefined {
  if (state === 'at_risk' || state === 'missed') return 'red';
  return FINAL_STATES.has(state) ? 'dim' : undefined;
}
