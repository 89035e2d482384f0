/**
 * What feeders say of passes, whoever writes at once: MC-PASS-028 to MC-PASS-037, MC-PASS-059, and the journal of
 * `messaging/pass-writes.ts`. A write is known by the transceiver it names.
 */

import type { PassContribution, PassesReplaced, PassView, StoredPass } from '../../../contract/pass.ts';
import type { Asked } from '../schedules/planners.ts';
import { type Records, recordsOf, type Version } from '../schedules/records.ts';
import type { Checker } from './checker.ts';
import { isUnderWay } from './schedule-records.ts';

/** How long the writes of one snapshot may take, where the next reader finishes them, ms. */
const TAKEN_OVER_MS = 10_000;
const SOURCES = ['fds', 'provider'] as const;

export const noContributionLost: Checker = {
  name: 'no-contribution-lost',
  promise:
    'what a source said of a pass stays until the source says something else, and whatever is acknowledged was stored meanwhile',
  *check(history) {
    const records = recordsOf(history);
    if (records === undefined) return;
    const byMark = markedBy(records);
    for (const version of records.passes.all) yield* versionFaults(version, byMark, records);
    for (const asked of records.plans.asked) yield* answerFaults(asked, records);
  },
};

/** The request that each mark stands in. */
function markedBy({ plans }: Records): Map<string, Asked> {
  const marks = new Map<string, Asked>();
  for (const asked of plans.asked)
    for (const { transceiver = '' } of writtenBy(asked)) marks.set(transceiver, asked);
  return marks;
}

function writtenBy({ what }: Asked): readonly { id: string; transceiver?: string }[] {
  if (what.kind === 'pass') return [what.pass];
  return what.kind === 'snapshot' ? what.snapshot.passes : [];
}

function* versionFaults(
  { key, record, before, message }: Version<StoredPass>,
  byMark: ReadonlyMap<string, Asked>,
  { plans }: Records,
): Iterable<string> {
  for (const source of SOURCES) {
    const [now, then] = [record.contributions[source], before?.record.contributions[source]];
    if (now === undefined) {
      if (then !== undefined) yield `${key} ${message.seq}: what ${source} said is gone`;
      continue;
    }
    if (then !== undefined && isSame(now, then)) continue;
    const writer = byMark.get(now.transceiver ?? '');
    const isWritten =
      writer !== undefined && isUnderWay(writer, message) && now.status === statusIn(writer, now);
    const isDropped =
      now.status === 'cancelled' &&
      plans.asked.some(
        (asked) =>
          asked.what.kind === 'snapshot' &&
          asked.what.snapshot.source === source &&
          asked.what.snapshot.target === record.target &&
          isUnderWay(asked, message),
      );
    if (!isWritten && !isDropped)
      yield `${key} ${message.seq}: ${source} says ${now.transceiver} ${now.status}, which nobody writes then`;
  }
}

function statusIn(asked: Asked, { transceiver }: PassContribution): string | undefined {
  const written = writtenBy(asked).find((each) => each.transceiver === transceiver);
  return (written as { status?: string } | undefined)?.status;
}

function isSame(one: PassContribution, other: PassContribution): boolean {
  return (
    one.transceiver === other.transceiver &&
    one.status === other.status &&
    one.updated_at === other.updated_at
  );
}

/** Whatever is acknowledged stood in a pass at one moment between question and answer. */
function* answerFaults(asked: Asked, records: Records): Iterable<string> {
  const { what, answer, attempts } = asked;
  if (answer?.outcome !== 'accepted' || (what.kind !== 'pass' && what.kind !== 'snapshot')) return;
  const { source, target } = what.kind === 'pass' ? what.pass : what.snapshot;
  const from = attempts[0]!.asked.order;
  const stood = (mark: string): boolean =>
    records.passes.all.some(
      ({ record, message }) =>
        record.target === target &&
        record.contributions[source]?.transceiver === mark &&
        message.order > from &&
        message.order <= answer.order,
    );
  // Two passes of a snapshot may be one: the last of them stands.
  const marks = writtenBy(asked).map(({ transceiver = '' }) => transceiver);
  if (what.kind === 'pass' && !marks.every(stood))
    yield `${what.pass.id} (${marks}) is acknowledged and was not stored`;
  if (what.kind !== 'snapshot') return;
  const { upserted, cancelled } = answer.body as PassesReplaced;
  if (upserted.length > marks.length)
    yield `a snapshot of ${target} names ${upserted.length} passes for ${marks.length}`;
  for (const mark of marks)
    if (!stood(mark)) yield `${mark} of a snapshot of ${target} is acknowledged and was not stored`;
  for (const id of cancelled) {
    const isCancelled = records.passes
      .of(`${target}.${id}`)
      .some(
        ({ record, message }) =>
          record.contributions[source]?.status === 'cancelled' && message.order <= answer.order,
      );
    if (!isCancelled) yield `${id} is said to be dropped by ${source}, and is not`;
  }
}

export const namesStay: Checker = {
  name: 'passes-keep-their-names',
  promise:
    'a pass never leaves, keeps its identifier, and as long as it holds what a source calls by a name, that name is of no other pass',
  *check(history) {
    const records = recordsOf(history);
    if (records === undefined) return;
    for (const message of records.plans.passes) if (message.removal) yield `${message.subject} is removed`;
    for (const version of records.passes.all) yield* nameFaults(version, records);
    for (const { what, answer } of records.plans.asked) {
      if (what.kind !== 'pass' || answer?.outcome !== 'accepted') continue;
      const { pass } = answer.body as PassView;
      if (records.passes.at(`${pass.target}.${pass.id}`, answer.order) === undefined)
        yield `${what.pass.id} is answered as ${pass.id}, which is not stored`;
    }
  },
};

function* nameFaults(
  { key, record, before, message }: Version<StoredPass>,
  records: Records,
): Iterable<string> {
  if (key !== `${record.target}.${record.id}`) yield `${key} holds ${record.target}.${record.id}`;
  for (const source of SOURCES) {
    const name = record.contributions[source]?.id;
    if (name === undefined || name === record.id || name === before?.record.contributions[source]?.id)
      continue;
    // A snapshot gives names of one of its passes to another one, each in a write of its own.
    const isOther = (each: Version<StoredPass>): boolean =>
      each.key !== key &&
      each.record.target === record.target &&
      each.record.contributions[source]?.id === name;
    const other = records.passes.allAt(message.order - 1).find(isOther);
    const after = other && records.passes.at(other.key, records.orderAt(message.at + TAKEN_OVER_MS));
    const isTakenOver = after !== undefined && !isOther(after);
    if (isTakenOver) continue;
    if (other !== undefined)
      yield `${name} of ${source} is in ${other.key}, and is put into ${key} (${message.seq})`;
  }
}
