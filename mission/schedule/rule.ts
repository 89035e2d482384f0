/**
 * Which passes a recurring rule is about, and the schedule it makes of one. Mission Control Service, sections 2.7, 4.6.
 */

import type { StoredPass } from '../../contract/pass.ts';
import type { ScheduleRequest } from '../../contract/schedule.ts';
import type { RuleRequest } from '../../contract/schedule-rule.ts';
import { readQuantity } from '../quantity.ts';

type Filtering = Pick<RuleRequest, 'target' | 'filter'>;
type Matcher = (pass: StoredPass) => boolean;

/** A rule is compared with thousands of passes. */
const matchers = new WeakMap<Filtering, Matcher>();

/** Every given field must hold; a cancelled pass never matches (MC-RULE-002 to MC-RULE-004). */
export function matches(rule: Filtering, pass: StoredPass): boolean {
  const known = matchers.get(rule);
  if (known !== undefined) return known(pass);
  const matcher = matcherOf(rule);
  matchers.set(rule, matcher);
  return matcher(pass);
}

function matcherOf({ target, filter = {} }: Filtering): Matcher {
  const { status, min_elevation, station, uplink } = filter;
  const least = min_elevation === undefined ? undefined : degrees(min_elevation);
  return (pass) =>
    pass.target === target &&
    pass.status !== 'cancelled' &&
    (status === undefined || pass.status === status) &&
    (station === undefined || pass.station === station) &&
    (uplink === undefined || (pass.uplink ?? true) === uplink) &&
    (least === undefined || degrees(pass.max_elevation) >= least);
}

export function ruleScheduleId(rule: string, pass: string): string {
  return `${rule}-${pass}`;
}

/** Who a schedule of a rule is by. */
export function byRule(rule: string): string {
  return `rule ${rule}`;
}

export function scheduleOf(rule: RuleRequest, pass: StoredPass): ScheduleRequest {
  return { id: ruleScheduleId(rule.id, pass.id), pass: pass.id, ...plannedRun(rule) };
}

type PlannedRun = Pick<RuleRequest, 'start' | 'run' | 'targets' | 'inputs' | 'library' | 'environment'>;

/** Of a schedule or a rule, what says which run is planned: what the service sets beside it is left out. */
export function plannedRun({ start, run, targets, inputs, library, environment }: PlannedRun): PlannedRun {
  return {
    start,
    run,
    targets,
    ...(inputs !== undefined && { inputs }),
    ...(library !== undefined && { library }),
    ...(environment !== undefined && { environment }),
  };
}

/** Not a number where the text is no angle: it is then neither above nor below anything. */
function degrees(text: string): number {
  const read = readQuantity(text, 'deg');
  return read.ok ? read.value : Number.NaN;
}
