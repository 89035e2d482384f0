/**
 * Runs as processes see them on the bus: `mcs.run.submit`, `mcs.run.approval.<run>`, `mcs.run.control.<run>`, and the
 * entries of their buckets. Mission Control Service, section 6.
 */

import { objectIn } from './json-bytes.ts';
import { isMoment } from './registration.ts';
import { asObject, oneOf, readReply, textIn } from './reply.ts';
import type { Answer, RunSummary } from './run.ts';
import { isUlid } from './token.ts';

/** Body of `mcs.run.submit` (launch rule 5). */
export interface RunSubmission {
  readonly run: string;
  /** Key of the program in bucket `mcs_ir`. */
  readonly ir: string;
  /** An operator identity, `schedule <id>` or `alarm <key>`; absent for an anonymous launch. */
  readonly by?: string;
}

/** Body of `mcs.run.approval.<run>` (launch rule 6). */
export interface Approval extends Answer {
  readonly by?: string;
  readonly roles: readonly string[];
  /** The verified token of who answers. */
  readonly token?: string;
}

/** Body of a request on `mcs.run.control.<run>` (launch rule 7). */
export type ControlCall =
  | { readonly action: 'suspend'; readonly by: string; readonly reaction?: boolean }
  | { readonly action: 'resume'; readonly by: string; readonly choice: string }
  | { readonly action: 'abort'; readonly by: string };

export type ControlReply =
  | { readonly outcome: 'accepted' }
  | { readonly outcome: 'refused'; readonly reason: string }
  /** Its log has ended: the same as if nobody held it any more. */
  | { readonly outcome: 'over' }
  /**
   * The command was handed to the run, and no answer has come: it may still be carried out. `again`: ask whoever holds
   * the run now.
   */
  | { readonly outcome: 'unknown'; readonly reason: string; readonly again?: true };

/** What an executor answered; undefined for a malformed reply. */
export function readControlReply(bytes: Uint8Array): ControlReply | undefined {
  const reply = readReply(bytes);
  const outcome = reply && oneOf(reply, 'outcome', ['accepted', 'refused', 'over', 'unknown']);
  if (reply === undefined || outcome === undefined) return undefined;
  if (outcome === 'accepted' || outcome === 'over') return { outcome };
  const reason = textIn(reply, 'reason') ?? 'it gives no reason';
  return { outcome, reason, ...(outcome === 'unknown' && reply.again === true && { again: true }) };
}

/**
 * Entry of bucket `mcs_runs` under the run: what the list of runs shows; its executor alone writes it once taken up.
 */
export type RunIndexEntry = RunSummary;

/** The summary in an entry of `mcs_runs`; undefined where the bytes are not of the run under that key, or not whole. */
export function readRunEntry({
  key,
  value,
}: {
  readonly key: string;
  readonly value: Uint8Array;
}): RunSummary | undefined {
  const entry = objectIn(value) as Partial<RunIndexEntry> | undefined;
  const targets = asObject(entry?.targets);
  const isWhole =
    entry?.run === key &&
    isUlid(key) &&
    typeof entry.procedure === 'string' &&
    targets !== undefined &&
    Object.values(targets).every((name) => typeof name === 'string') &&
    (entry.pending === undefined || asObject(entry.pending) !== undefined) &&
    [entry.started_at, entry.updated_at].every((at) => at === undefined || isMoment(at));
  return isWhole ? (entry as RunSummary) : undefined;
}

/** Entry of bucket `mcs_open_runs` under `<shard>.<run>`: a run that is taken up and not over. */
export interface OpenRun {
  readonly run: string;
  readonly ir: string;
  readonly by?: string;
  /** When it was submitted, ms since 1970. */
  readonly submittedAt: number;
  /** Who asked for a suspension that the log does not show yet: kept here so that it survives the executor. */
  readonly suspendBy?: string;
}
