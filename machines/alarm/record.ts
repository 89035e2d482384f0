/**
 * What becomes of the record of an alarm at a transition, and of the reactions it has asked for. Mission Control
 * Service, sections 2.4, 3.3 and 4.4. Pure; which transition is taken is said by the chart (`alarm.ts`).
 *
 * B1. `seq` rises by one with each transition and with nothing else.
 * B2. Severity and start are those of the activation, and are kept until the alarm is NORMAL again.
 * B3. A reaction is kept until it is known that it passed, or until its failure has been reported.
 * B4. What became true while an alarm was shelved asks for no reaction, also where it is evaluated only behind the end
 *     of the shelving: nobody led meanwhile, or its sample was late. So that end is kept.
 */

import type {
  AlarmCause,
  AlarmRecord,
  AlarmState,
  EvaluatedAt,
  PendingReaction,
  Severity,
  StoredAlarm,
} from '../../contract/alarm.ts';
import { ALARM_REACTIONS } from '../../contract/limits/alarm.ts';

/** All that is kept of an alarm. */
export interface AlarmContext {
  /** Absent until it was first raised. */
  readonly record?: AlarmRecord;
  readonly evaluated: EvaluatedAt;
  readonly reactions: readonly PendingReaction[];
  /** Failed reactions reported of so far. */
  readonly reports: number;
  /** When its last shelving ended, ms since 1970 (B4). */
  readonly unshelvedAt?: number;
}

/** Before anything was evaluated. */
export const NEVER_EVALUATED: EvaluatedAt = { position: 0, at: 0 };

export interface Transition {
  readonly state: AlarmState;
  readonly cause: AlarmCause;
  /** ms since 1970 */
  readonly at: number;
  /** What the condition says. */
  readonly severity?: Severity | null;
  readonly value?: AlarmRecord['value'];
  readonly by?: string;
  /** End of the shelving that begins; null when one ends. */
  readonly shelvedUntil?: number | null;
}

export function isActive(state: AlarmState | undefined): boolean {
  return state === 'ACTIVE_UNACK' || state === 'ACTIVE_ACK';
}

/** Whether a place in the value stream lies behind another. */
export function isAfter(place: EvaluatedAt, other: EvaluatedAt): boolean {
  return place.position > other.position || (place.position === other.position && place.at > other.at);
}

/** The record after a transition (B1, B2). */
export function nextRecord(before: AlarmRecord | undefined, transition: Transition): AlarmRecord {
  const { state, cause, at, by } = transition;
  const severity = severityAfter(before, transition);
  const since = sinceAfter(before, transition);
  const value = transition.value === undefined ? before?.value : transition.value;
  const until = shelvedUntilAfter(before, transition);
  return {
    previous: before?.state ?? 'NORMAL',
    state,
    ...(severity !== undefined && { severity }),
    ...(value !== undefined && { value }),
    seq: (before?.seq ?? 0) + 1,
    ...(by !== undefined && { by }),
    ...(until !== undefined && { shelved_until: until }),
    ...(since !== undefined && { active_since: since }),
    changed_at: new Date(at).toISOString(),
    cause,
  };
}

function severityAfter(
  before: AlarmRecord | undefined,
  { state, severity }: Transition,
): Severity | undefined {
  if (state === 'NORMAL') return undefined;
  return severity ?? before?.severity;
}

function sinceAfter(before: AlarmRecord | undefined, { state, at }: Transition): string | undefined {
  if (state === 'NORMAL') return undefined;
  const begins = isActive(state) && !isActive(before?.state);
  return begins ? new Date(at).toISOString() : before?.active_since;
}

function shelvedUntilAfter(
  before: AlarmRecord | undefined,
  { shelvedUntil }: Transition,
): string | undefined {
  if (shelvedUntil === null) return undefined;
  return shelvedUntil === undefined ? before?.shelved_until : new Date(shelvedUntil).toISOString();
}

/**
 * Whether what became true at a time did so while it was shelved (B4). A term that has passed silences nothing that
 * came behind it, also when its end is not recorded yet.
 */
export function isShelvedAt({ record, unshelvedAt = 0 }: AlarmContext, at: number): boolean {
  const until = record?.shelved_until === undefined ? unshelvedAt : Date.parse(record.shelved_until);
  return until > at;
}

/** When the shelving of a record ends that a transition ends: at its term, or earlier by an operator. */
export function shelvingEnd(before: AlarmRecord, { at }: Transition): number {
  return Math.min(at, Date.parse(before.shelved_until ?? ''));
}

type Reactions = Pick<AlarmContext, 'reactions' | 'reports'>;

/** The reactions with that of a new activation; one too many has failed already. */
export function withReaction(
  { reactions, reports }: Reactions,
  asked: Pick<PendingReaction, 'seq' | 'at' | 'procedure'>,
): Reactions & { readonly added: PendingReaction } {
  if (reactions.length < ALARM_REACTIONS) return { reactions: [...reactions, asked], reports, added: asked };
  const failed = `not launched: ${ALARM_REACTIONS} reactions of this alarm are under way`;
  const added = { ...asked, failed, report: reports + 1 };
  return { reactions: [...reactions, added], reports: reports + 1, added };
}

/** The reactions when one of them is submitted. */
export function withRun({ reactions, reports }: Reactions, seq: number, run: string): Reactions {
  return { reactions: reactions.map((each) => (each.seq === seq ? { ...each, run } : each)), reports };
}

/** The reactions when one of them failed: it stays until that is reported (B3). */
export function withFailure({ reactions, reports }: Reactions, seq: number, failed: string): Reactions {
  const report = reports + 1;
  return {
    reactions: reactions.map((each) => (each.seq === seq ? { ...each, failed, report } : each)),
    reports: report,
  };
}

export function withoutReaction({ reactions, reports }: Reactions, seq: number): Reactions {
  return { reactions: reactions.filter((each) => each.seq !== seq), reports };
}

/** What the bucket holds of it, without its writer. */
export function contentOf({
  evaluated,
  reactions,
  reports,
  unshelvedAt,
}: AlarmContext): Omit<StoredAlarm, 'epoch' | 'record'> {
  return {
    evaluated,
    ...(reactions.length > 0 && { reactions }),
    ...(reports > 0 && { reports }),
    ...(unshelvedAt !== undefined && { unshelvedAt }),
  };
}
