/** What recurring rules make: MC-RULE-004, MC-RULE-009 to MC-RULE-013. */

import type { StoredPass } from '../../../contract/pass.ts';
import type { StoredRefusal, StoredRule, StoredSchedule } from '../../../contract/stored-schedule.ts';
import { readQuantity } from '../../../mission/quantity.ts';
import { assess } from '../../../mission/schedule/assess.ts';
import { type Records, recordsOf, type Version, Versions } from '../schedules/records.ts';
import type { Checker } from './checker.ts';
import { momentsBefore, offsetOf } from './schedule-firing.ts';

/** How long a rule may take in the end, where things are quiet. */
const MADE_WITHIN_MS = 4_000;
const BY = 'rule ';

export const rulesMakeOneEach: Checker = {
  name: 'rules-make-one-of-each-pass',
  promise:
    'a rule makes one schedule of each pass that it matches, in time, none of another, and none again whatever became of it',
  *check(history) {
    const records = recordsOf(history);
    if (records === undefined) return;
    for (const version of records.schedules.all) yield* creationFaults(version, records);
    yield* missing(records);
  },
};

function* creationFaults(version: Version<StoredSchedule>, records: Records): Iterable<string> {
  const { key, record, before } = version;
  if (!record.by?.startsWith(BY)) return;
  if (before !== undefined && before.record.created_at === record.created_at) return;
  if (before !== undefined)
    return yield `${key} is made again by ${record.by}, and was ${before.record.state}`;
  const id = record.by.slice(BY.length);
  if (key !== `${id}-${record.pass}`) yield `${key} is of rule ${id} and pass ${record.pass}`;
  const moments = momentsBefore(version, records);
  const rules = rulesSince(id, moments[0]!, version, records);
  const isAsked = moments.some((order) => {
    const pass = records.passOf(record.target, record.pass, order);
    return pass !== undefined && rules.some((rule) => isMatched(rule, pass));
  });
  if (!isAsked) yield `${key} is made by ${record.by}, which does not match ${record.pass}`;
}

/** The rule as it stood at a place and became from there on. */
function rulesSince(
  id: string,
  from: number,
  { message }: Version<unknown>,
  { rules }: Records,
): StoredRule[] {
  const first = rules.at(id, from);
  const later = rules
    .of(id)
    .filter((each) => each.message.order > from && each.message.order < message.order);
  return [...(first === undefined ? [] : [first]), ...later].map(({ record }) => record);
}

function isMatched({ target, filter = {} }: StoredRule, pass: StoredPass): boolean {
  const { status, min_elevation: least, station, uplink } = filter;
  return (
    pass.target === target &&
    pass.status !== 'cancelled' &&
    (status === undefined || status === pass.status) &&
    (station === undefined || station === pass.station) &&
    (uplink === undefined || uplink === pass.uplink) &&
    (least === undefined || degrees(pass.max_elevation) >= degrees(least))
  );
}

function degrees(text: string): number {
  const read = readQuantity(text, 'deg');
  return read.ok ? read.value : Number.NaN;
}

/** Of each pass that is still to come there is a schedule in the end, or the reason why there is none. */
function* missing(records: Records): Iterable<string> {
  const { endedAt, quiet, refusals } = records.plans;
  const last = quiet.at(-1);
  if (last === undefined || last.to < endedAt - 1_000 || last.to - last.from < MADE_WITHIN_MS) return;
  const order = Number.POSITIVE_INFINITY;
  const refused = new Versions<StoredRefusal>(refusals);
  for (const { key: rule, record } of records.rules.allAt(order))
    for (const { record: pass, message } of records.passes.allAt(order)) {
      const start = Date.parse(pass.aos) + offsetOf(record.start);
      const isFuture = start > endedAt + records.worstError + MADE_WITHIN_MS;
      if (!isFuture || !isMatched(record, pass) || endedAt - message.at < MADE_WITHIN_MS) continue;
      const id = `${rule}-${pass.id}`;
      if (records.schedules.at(id, order) !== undefined) continue;
      const reasons = reasonsAgainst(record, pass, records);
      const said = refused.at(`${rule}.${pass.id}`, order)?.record.reasons.join('; ');
      if (reasons.length === 0) yield `${id} was not made${said === undefined ? '' : `: ${said}`}`;
      else if (reasons.join('; ') !== said)
        yield `${id} is refused because ${said}; the rules say ${reasons.join('; ')}`;
    }
}

/** Why the schedule that the rule wants does not fit. */
function reasonsAgainst(rule: StoredRule, pass: StoredPass, records: Records): readonly string[] {
  const order = Number.POSITIVE_INFINITY;
  const mission = records.missionAt(order)!;
  const at = new Date(records.plans.endedAt).toISOString();
  const start = new Date(Date.parse(pass.aos) + offsetOf(rule.start)).toISOString();
  const { run, targets, inputs, environment = 'orbit' } = rule;
  const wanted = {
    run,
    targets,
    environment,
    start: rule.start,
    ...(inputs !== undefined && { inputs }),
    id: `${rule.id}-${pass.id}`,
    pass: pass.id,
    target: pass.target,
    state: 'scheduled',
    fire_at: start,
    created_at: at,
    ir: '',
    content: '',
    config: '',
    max_duration: '0 s',
    sends: false,
    needs_validation: false,
  } as unknown as StoredSchedule;
  const around = records.surroundings(wanted, order, mission);
  if (around.resolution.outcome === 'none') return around.resolution.reasons;
  return assess(wanted, around).reasons;
}
