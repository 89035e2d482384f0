/**
 * What the chart of an alarm receives, what it asks for and what it has stored. Mission Control Service, sections 2.4,
 * 3.3 and 4.4. The chart is `alarm.ts`.
 */

import type {
  AlarmRecord,
  AlarmReply,
  AlarmState,
  EvaluatedAt,
  PendingReaction,
  Severity,
  StoredAlarm,
} from '../../contract/alarm.ts';

/** What asks is answered under its name; what gives none is not. */
export interface Asking {
  readonly at: number;
  readonly request?: string;
}

export interface ConditionChanged extends Asking {
  readonly type: 'condition.changed';
  /** `null`: back to normal. */
  readonly severity: Severity | null;
  readonly value?: AlarmRecord['value'];
  readonly evaluated: EvaluatedAt;
  /** The procedure of its reaction. */
  readonly onRaise?: string;
}

export type AlarmCommand =
  | (Asking & { readonly type: 'operator.acknowledge' | 'operator.unshelve'; readonly by: string })
  | (Asking & { readonly type: 'operator.shelve'; readonly by: string; readonly until: number });

export type AlarmChartEvent =
  | ConditionChanged
  | AlarmCommand
  | { type: 'reaction.launched'; seq: number; run: string }
  | { type: 'reaction.refused'; seq: number; reason: string }
  | { type: 'reaction.ended'; seq: number; ok: boolean; reason?: string }
  | { type: 'reaction.reported'; seq: number };

export type AlarmEffect =
  | ({ type: 'effect.reply'; request: string } & AlarmReply)
  /** Submit the reaction of the transition `seq`. */
  | { type: 'effect.react'; seq: number; at: number; procedure: string }
  | { type: 'effect.await-reaction'; seq: number; run: string }
  /** Raise and clear `<alarm>-reaction`. */
  | { type: 'effect.report-reaction'; seq: number; report: number; reason: string };

/** What is to be stored; an event too when it is a transition. */
export interface AlarmItem {
  readonly type: 'record';
  readonly state: AlarmState;
  readonly transition: boolean;
  readonly stored: Omit<StoredAlarm, 'epoch'>;
}

/** What a pending reaction still asks of the world. */
export function reactionEffect({
  seq,
  at,
  procedure,
  run,
  failed,
  report = 0,
}: PendingReaction): AlarmEffect {
  if (failed !== undefined) return { type: 'effect.report-reaction', seq, report, reason: failed };
  return run === undefined
    ? { type: 'effect.react', seq, at, procedure }
    : { type: 'effect.await-reaction', seq, run };
}
