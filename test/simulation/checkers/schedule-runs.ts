/** Which runs schedules have started: MC-SCH-049 to MC-SCH-051. */

import type { RunSubmission } from '../../../contract/run-wire.ts';
import type { StoredSchedule } from '../../../contract/stored-schedule.ts';
import { bodyOf } from '../run-history.ts';
import { recordsOf, type Version } from '../schedules/records.ts';
import type { StoredMessage } from '../twin/stored-stream.ts';
import type { Checker } from './checker.ts';

/** A run is submitted so long behind the record at the latest, where things are quiet. */
const SUBMITTED_MS = 3_000;
const BY = 'schedule ';

interface Submitted extends RunSubmission {
  readonly message: StoredMessage;
}

export const oneRunEach: Checker = {
  name: 'one-run-for-each-fired-schedule',
  promise:
    'of each fired schedule one run is submitted, the one its record names, behind that record; of others none, and none twice',
  *check(history) {
    const records = recordsOf(history);
    if (records === undefined) return;
    const { plans } = records;
    const submitted = plans.submissions.map((message) => ({ ...bodyOf<RunSubmission>(message), message }));
    const runs = new Set<string>();
    for (const { run, by } of submitted) {
      if (runs.has(run)) yield `run ${run} by ${by} is submitted twice`;
      runs.add(run);
    }
    const ofSchedules = submitted.filter(({ by }) => by?.startsWith(BY));
    for (const each of ofSchedules) yield* submissionFaults(each, records.schedules.all);
    for (const version of records.schedules.allAt(Number.POSITIVE_INFINITY)) {
      const own = ofSchedules.filter(({ by }) => by === `${BY}${version.key}`);
      yield* recordFaults(version, own, plans.endedAt);
    }
  },
};

export const firedOnce: Checker = {
  name: 'fired-once-whatever-is-lost',
  overRewinds: 'complete',
  promise: 'a schedule is fired once, also where the store went back behind its firing',
  *check({ plans }) {
    const runs = new Map<string, string>();
    for (const message of plans?.schedules ?? []) {
      if (message.removal) continue;
      const { id, created_at, state, run_id = '' } = bodyOf<StoredSchedule>(message);
      if (state !== 'fired') continue;
      const key = `${id} of ${created_at}`;
      const first = runs.get(key);
      if (first !== undefined && first !== run_id)
        yield `${key} started run ${first}, and then ${run_id} (${message.seq} by ${message.by})`;
      runs.set(key, first ?? run_id);
    }
  },
};

function* submissionFaults(
  { by = '', run, ir, message }: Submitted,
  versions: readonly Version<StoredSchedule>[],
): Iterable<string> {
  const id = by.slice(BY.length);
  const first = versions.find(({ key, record }) => key === id && record.state === 'fired');
  if (first === undefined) return yield `run ${run} is submitted by ${id}, which was never fired`;
  if (first.message.order > message.order) yield `run ${run} of ${id} is submitted before the record says so`;
  if (first.record.run_id !== run)
    yield `run ${run} is submitted by ${id}, its record names ${first.record.run_id}`;
  if (first.record.ir !== ir) yield `run ${run} of ${id} is ${ir}, its record says ${first.record.ir}`;
}

function* recordFaults(
  { key, record, message }: Version<StoredSchedule>,
  own: readonly Submitted[],
  endedAt: number,
): Iterable<string> {
  const { state, run_id, submitted } = record;
  if (state !== 'fired') {
    if (run_id !== undefined) yield `${key} is ${state} and names run ${run_id}`;
    return;
  }
  if (own.length > 1) yield `${key} has ${own.length} runs`;
  if (endedAt - message.at < SUBMITTED_MS) return;
  if (own.length === 0) yield `${key} is fired, and its run ${run_id} was never submitted`;
  if (submitted !== true) yield `${key} is fired, and its record does not say that ${run_id} is submitted`;
}
