/**
 * Whether schedules say what the rules say of the records, all the way through: MC-SCH-031 to MC-SCH-034, MC-SCH-037,
 * MC-SCH-047, MC-SCH-052.
 *
 * Q1. Where nothing a schedule depends on has changed for as long as an evaluation may take, and things have been quiet
 *     for as long, its record stands as `assess` finds it, and is not due.
 */

import type { StoredSchedule } from '../../../contract/stored-schedule.ts';
import { wouldChange } from '../../../machines/schedule/record.ts';
import { assess } from '../../../mission/schedule/assess.ts';
import { type Records, recordsOf, type Version } from '../schedules/records.ts';
import type { Checker } from './checker.ts';

/** A second, and the way of a message. */
const WITHIN_MS = 1_100;
const LOOK_EVERY_MS = 100;

export const standsAsTheRulesSay: Checker = {
  name: 'stands-as-the-rules-say',
  promise:
    'within a second every schedule that is not final says what the rules say of its pass, its run and its place, and no schedule that is due stays open',
  *check(history) {
    const records = recordsOf(history);
    if (records === undefined) return;
    const judged = new Map<string, number>();
    for (const { from, to } of records.plans.quiet)
      for (let at = from + WITHIN_MS; at <= to; at += LOOK_EVERY_MS) yield* faultsAt(at, records, judged);
  },
};

function* faultsAt(at: number, records: Records, judged: Map<string, number>): Iterable<string> {
  const order = records.orderAt(at);
  for (const version of records.schedules.allAt(order)) {
    const { key, record } = version;
    if (record.state !== 'scheduled' && record.state !== 'at_risk') continue;
    const change = records.lastChange(record, order) ?? version.message;
    if (at - change.at < WITHIN_MS) continue;
    if (judged.get(key) !== change.order) yield* recordFaults(version, order, records);
    judged.set(key, change.order);
    yield* dueFaults(version, at, records);
  }
}

function* recordFaults({ key, record }: Version<StoredSchedule>, order: number, records: Records) {
  const mission = records.missionAt(order);
  if (mission === undefined) return;
  const found = assess(record, records.surroundings(record, order, mission));
  if (!wouldChange(record, found)) return;
  const { cancelled, reasons, fireAt } = found;
  yield `${key} is ${record.state} (${record.reasons.join('; ')}) at ${record.fire_at}; the rules say ${
    cancelled ?? (reasons.length === 0 ? 'that it fits' : reasons.join('; '))
  } at ${fireAt}${found.fell === record.fell ? '' : `, ${found.fell}`}`;
}

/** Whoever acts first has a clock that is wrong; a standby of its own time has another one. */
function* dueFaults({ key, record, message }: Version<StoredSchedule>, at: number, { worstError }: Records) {
  const since = Math.max(Date.parse(record.fire_at) + worstError, message.at);
  if (at - since > WITHIN_MS)
    yield `${key} is ${record.state} and was due at ${record.fire_at}, ${Math.round(at - since)} ms before ${new Date(at).toISOString()}`;
}
