/**
 * What planning leaves behind, for the checkers: every version of every record, what was asked and answered, how the
 * clocks of processes stood and when things were quiet. Nothing here is judged.
 */

import { buckets } from '../../../contract/bus/buckets.ts';
import { streams } from '../../../contract/bus/streams.ts';
import type { TwinServer } from '../twin/server.ts';
import { type Held, kept, type StoredMessage } from '../twin/stored-stream.ts';
import type { Asked } from './planners.ts';

/** From a time on, ms since 1970, the clock of a process is so far ahead. */
export interface ClockSet {
  readonly instance: string;
  readonly at: number;
  readonly errorMs: number;
}

/** A span in which the bus was there and a scheduler alive, awake and in good health. */
export interface Quiet {
  readonly from: number;
  readonly to: number;
}

export interface PlanHistory {
  readonly asked: readonly Asked[];
  /** Every version of every entry, removals among them, in the order in which they were stored. */
  readonly schedules: readonly StoredMessage[];
  readonly passes: readonly StoredMessage[];
  readonly rules: readonly StoredMessage[];
  readonly refusals: readonly StoredMessage[];
  /** Configurations as they became current. */
  readonly published: readonly StoredMessage[];
  readonly submissions: readonly StoredMessage[];
  readonly clocks: readonly ClockSet[];
  readonly quiet: readonly Quiet[];
  readonly endedAt: number;
}

/** The part that the server holds. */
export function storedPlans(
  server: TwinServer,
  held: Held = kept,
): Pick<PlanHistory, 'schedules' | 'passes' | 'rules' | 'refusals' | 'published' | 'submissions'> {
  const all = (bucket: { readonly name: string }): readonly StoredMessage[] => held(server.bucket(bucket));
  return {
    schedules: all(buckets.schedules),
    passes: all(buckets.passes),
    rules: all(buckets.scheduleRules),
    refusals: all(buckets.ruleRefusals),
    published: all(buckets.config).filter(({ subject }) => subject.endsWith('.current')),
    submissions: held(server.stream(streams.runSubmissions)),
  };
}
