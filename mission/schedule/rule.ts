/**
 * Which passes a recurring rule is about, and the schedule it makes of one. Mission Control Service, sections 2.7, 4.6.
 */

import type { StoredPass } from '../../contract/pass.ts';
import type { ScheduleRequest } from '../../contract/schedule.ts';
import type { RuleRequest } from '../../contract/schedule-rule.ts';
import { readQuantity } from '../quantity.ts';

/** Every given field must hold; a cancelled pass never matches (MC-RULE-002 to MC-RULE-004). */
export function matches(
  { target, filter = {} }: Pick<RuleRequest, 'target' | 'filter'>,
  pass: StoredPass,
): boolean {
  const { status, min_elevation: least, station, uplink } = filter;
  return (
    pass.target === target &&
    pass.status !== 'cancelled' &&
    (status === undefined || pass.status === status) &&
    (least === undefined || degrees(pass.max_elevation) >= degrees(least)) &&
    (station === undefined || pass.station === station) &&
    (uplink === undefined || (pass.uplink ?? true) === uplink)
  );
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
