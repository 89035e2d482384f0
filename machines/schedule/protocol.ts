/**
 * What the chart of a schedule receives, what it asks for and what it has stored. Mission Control Service, sections 2.7
 * and 3.4. The chart is `schedule.ts`.
 */

import type { ScheduleState, ScheduleValidation } from '../../contract/schedule.ts';
import type { StoredSchedule } from '../../contract/stored-schedule.ts';

/** What of the run of a schedule may become another by a configuration that is published later. */
export type Planned = Pick<
  StoredSchedule,
  'ir' | 'content' | 'config' | 'max_duration' | 'sends' | 'needs_validation'
>;

/** What an evaluation found of it. */
export interface Finding {
  /** Why its pass does not take place; absent where it does. */
  readonly cancelled?: string;
  /** Why it does not fit; empty: it does. */
  readonly reasons: readonly string[];
  /** ISO 8601 */
  readonly fireAt: string;
  /** The validation as it holds; absent: there is none, or it fell. */
  readonly validation?: ScheduleValidation;
  readonly fell?: string;
  readonly fallen?: ScheduleValidation;
  /** Where its run resolves to another one. */
  readonly plan?: Planned;
}

/** `at` in ms since 1970; `seen`: revision of the record of which it was found. */
export type ScheduleChartEvent =
  | { readonly type: 'evaluated'; readonly at: number; readonly found: Finding; readonly seen?: number }
  /** Its start is there: `run` begins, unless `reasons` say why it would not be over in time. */
  | {
      readonly type: 'start.reached';
      readonly at: number;
      readonly found: Finding;
      readonly reasons: readonly string[];
      readonly run: string;
      readonly seen?: number;
    }
  | { readonly type: 'operator.cancel'; readonly at: number; readonly by?: string }
  | {
      readonly type: 'operator.validate';
      readonly at: number;
      readonly by: string;
      /** What is found of it with the validation. */
      readonly found: Finding;
    }
  /** `run` is the one that was started: another one where the record was lost between two submissions. */
  | { readonly type: 'submitted'; readonly at: number; readonly run: string };

/** What it asks of the world: that this run is submitted, once. */
export interface ScheduleEffect {
  readonly type: 'effect.submit';
  readonly run: string;
  readonly ir: string;
  readonly config: string;
  /** Stored identifier of the pass. */
  readonly pass: string;
  readonly procedure: string;
  readonly environment: string;
  readonly targets: Readonly<Record<string, string>>;
}

/** What is to be stored; `state` changes where it is a transition. */
export interface ScheduleItem {
  readonly type: 'record';
  readonly state: ScheduleState;
  readonly transition: boolean;
  readonly stored: StoredSchedule;
  /** Where it follows from what was found of the record: the revision of that record. */
  readonly seen?: number;
}

/** Of a schedule that is created: everything but what its chart decides. */
export interface ScheduleInput {
  readonly record: Omit<
    StoredSchedule,
    'state' | 'reasons' | 'changes' | 'updated_at' | 'fire_at' | 'validation'
  >;
  readonly at: number;
  readonly found: Finding;
}

export interface ScheduleContext {
  readonly record: StoredSchedule;
}

/** What a stored schedule still asks of the world. */
export function openEffects(record: StoredSchedule): ScheduleEffect[] {
  const { state, submitted, run_id: run, ir, config, pass, run: procedure, environment, targets } = record;
  if (state !== 'fired' || submitted === true || run === undefined) return [];
  return [{ type: 'effect.submit', run, ir, config, pass, procedure, environment, targets }];
}
