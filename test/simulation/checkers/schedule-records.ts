/**
 * What becomes of the record of a schedule: MC-SCH-025 to MC-SCH-027, MC-SCH-036 to MC-SCH-041, MC-SCH-057.
 */

import type { StoredSchedule } from '../../../contract/stored-schedule.ts';
import { FINAL_STATES } from '../../../contract/stored-schedule.ts';
import { assess, lateReasons } from '../../../mission/schedule/assess.ts';
import type { Asked } from '../schedules/planners.ts';
import { type Records, recordsOf, type Version } from '../schedules/records.ts';
import type { StoredMessage } from '../twin/stored-stream.ts';
import type { Checker } from './checker.ts';
import { momentsBefore, offsetOf } from './schedule-firing.ts';

/** What an attempt that gave up has still on its way may arrive so long after, ms. */
const ARRIVES_LATE_MS = 4_000;

/** Whether an attempt at a request was under way when this was stored. */
export function isUnderWay({ attempts }: Asked, { order, at }: StoredMessage): boolean {
  return attempts.some(
    ({ asked, over }) =>
      asked.order < order && (over === undefined || order <= over.order || at <= over.at + ARRIVES_LATE_MS),
  );
}

export const finalStays: Checker = {
  name: 'final-schedules-stay',
  overRewinds: 'kept-if-even',
  promise:
    'what is cancelled, fired or missed stays so, unless a person replaces what was not fired; what is fired names one run',
  *check(history) {
    const records = recordsOf(history);
    if (records === undefined) return;
    for (const version of records.schedules.all) {
      const { key, record, before, message } = version;
      if (before === undefined || !FINAL_STATES.has(before.record.state)) continue;
      const isReplaced = record.created_at !== before.record.created_at;
      if (isReplaced) {
        if (before.record.state === 'fired') yield `${key} was fired and is replaced`;
        if (!isPosted(version, message, records))
          yield `${key} was ${before.record.state} and is made again by ${record.by}`;
      } else if (record.state !== before.record.state)
        yield `${key} was ${before.record.state} and is ${record.state}`;
      else if (record.run_id !== before.record.run_id)
        yield `${key} named run ${before.record.run_id} and names ${record.run_id}`;
    }
  },
};

function isPosted(
  { key, record }: Version<StoredSchedule>,
  message: StoredMessage,
  { plans }: Records,
): boolean {
  return plans.asked.some(
    (asked) =>
      asked.what.kind === 'schedule' &&
      asked.what.schedule.id === key &&
      asked.asker === record.by &&
      isUnderWay(asked, message),
  );
}

export const validationsStayFallen: Checker = {
  name: 'validations-stay-fallen',
  promise: 'a validation comes from a supervisor who is asked for it, and one that fell never comes back',
  *check(history) {
    const records = recordsOf(history);
    if (records === undefined) return;
    for (const version of records.schedules.all) {
      const { key, record, before, message } = version;
      const { validation } = record;
      if (validation === undefined || validation.at === before?.record.validation?.at) continue;
      const isGiven = records.plans.asked.some(
        (asked) =>
          asked.what.kind === 'validate' &&
          asked.what.id === key &&
          asked.asker === validation.by &&
          isUnderWay(asked, message),
      );
      const had = earlier(version).some((each) => each.record.validation?.at === validation.at);
      if (!isGiven || had)
        yield `${key} has a validation of ${validation.at} by ${validation.by} that nobody gives`;
    }
  },
};

function earlier(version: Version<StoredSchedule>): Version<StoredSchedule>[] {
  return version.before === undefined ? [] : [version.before, ...earlier(version.before)];
}

export const endsRightly: Checker = {
  name: 'ends-for-a-reason',
  promise:
    'a schedule is cancelled because its pass is or somebody asked, and missed because its start was there and it did not fit',
  *check(history) {
    const records = recordsOf(history);
    if (records === undefined) return;
    for (const version of records.schedules.all) {
      const { record, before, key } = version;
      if (before === undefined || before.record.state === record.state) continue;
      const faults = momentsBefore(version, records).map((order) => endFault(version, order, records));
      if (faults.every((fault) => fault !== undefined)) yield `${key} is ${record.state}: ${faults.at(-1)}`;
    }
  },
};

function endFault(version: Version<StoredSchedule>, order: number, records: Records): string | undefined {
  const { record, key, message } = version;
  if (record.state === 'missed') return missFault(version, order, records);
  if (record.state !== 'cancelled') return undefined;
  const { by } = record.changes.at(-1) ?? {};
  const pass = records.passOf(record.target, record.pass, order);
  if (by === undefined)
    return pass?.status === 'cancelled' ? undefined : `pass ${record.pass} is ${pass?.status}`;
  const isAsked = records.plans.asked.some(
    (asked) =>
      asked.what.kind === 'cancel' &&
      asked.what.id === key &&
      asked.asker === by &&
      isUnderWay(asked, message),
  );
  return isAsked ? undefined : `${by} did not ask for it`;
}

/** Undefined where it was rightly missed by what was so then. */
function missFault(
  { record, message, before }: Version<StoredSchedule>,
  order: number,
  records: Records,
): string | undefined {
  const mission = records.missionAt(order);
  if (mission === undefined || before === undefined) return undefined;
  const pass = records.passOf(record.target, record.pass, order);
  const start =
    pass === undefined ? Date.parse(record.fire_at) : Date.parse(pass.aos) + offsetOf(record.start);
  const shown = records.shownBy(message.by, message.at);
  if (shown < start)
    return `${message.by} had ${new Date(shown).toISOString()}, it starts at ${new Date(start).toISOString()}`;
  // What it would resolve to as it stood before: this write may have adopted a program of a configuration since.
  const around = records.surroundings(before.record, order, mission);
  const found = assess(before.record, around);
  const late = lateReasons({ ...before.record, ...found.plan }, around, shown);
  if (record.reasons.length === 0) return 'it does not say why';
  // MC-SCH-037: what is at risk at its start is missed, also where it fits from then on.
  if (before.record.state === 'at_risk') return undefined;
  return found.reasons.length + late.length > 0 ? undefined : 'it fitted';
}
