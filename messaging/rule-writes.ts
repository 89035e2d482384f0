/**
 * Creates and removes recurring rules. Mission Control Service, sections 2.7 and 4.6. Who may is the caller's matter.
 *
 * U1. Whether the one that stands may be replaced or removed is asked of the record that was read, in each round: what
 *     is written is written over that one alone.
 */

import { buckets } from '../contract/bus/buckets.ts';
import type { Fault } from '../contract/errors.ts';
import { SCHEDULE_RULES, SCHEDULE_WRITE_ROUNDS } from '../contract/limits/schedule.ts';
import { nearHelp } from '../contract/near.ts';
import type { RuleRequest } from '../contract/schedule-rule.ts';
import type { StoredRule } from '../contract/stored-schedule.ts';
import { readStoredRule } from '../contract/stored-schedule.ts';
import type { Mission } from '../mission/mission.ts';
import { lastEnvironment } from '../mission/procedure/reaction.ts';
import { readQuantity } from '../mission/quantity.ts';
import { readStart } from '../mission/schedule/start.ts';
import type { Bus } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { RuleBook } from './rule-book.ts';
import { asRefusals, malformed, refusal } from './schedule-faults.ts';
import { resolveSchedule } from './schedule-resolution.ts';

export interface RuleTools {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly rules: RuleBook;
}

/** The environment of the runs of a rule; undefined where its target is in none. */
export function ruleEnvironment(
  { environment, target: name }: Pick<RuleRequest, 'environment' | 'target'>,
  mission: Mission,
): string | undefined {
  const target = mission.targets.get(name);
  return environment ?? (target && lastEnvironment(mission, target));
}

/** Why a rule is not stored; undefined when it may be. Throws `Outage`. */
export async function ruleRefusal(
  request: RuleRequest,
  mission: Mission,
  { bus, rules }: Pick<RuleTools, 'bus' | 'rules'>,
): Promise<readonly [Fault, ...Fault[]] | undefined> {
  const ofForm = formFaults(request);
  const [first, ...more] = ofForm.length > 0 ? ofForm : placeFaults(request, mission, rules);
  if (first !== undefined) return [first, ...more];
  const environment = ruleEnvironment(request, mission);
  if (environment === undefined)
    return [
      refusal(`target ${request.target} is in no environment`, '/target', 'Declare it in the topology.'),
    ];
  // Any pass will do: what a run resolves to differs by the identifier of its pass alone.
  const resolved = await resolveSchedule(bus, mission, { ...request, environment }, request.id);
  if (!resolved.ok) return asRefusals(resolved.faults);
  if (!resolved.value.program.hazardous) return undefined;
  const message = `procedure ${request.run} sends a hazardous telecommand`;
  return [refusal(message, '/run', 'Make a schedule for each pass, which a supervisor validates.')];
}

export type RuleStored =
  | { readonly outcome: 'stored'; readonly stored: StoredRule; readonly revision: number }
  /** The one that stands may not be replaced (U1). */
  | { readonly outcome: 'forbidden'; readonly standing: StoredRule }
  | { readonly outcome: 'changed' };

interface StoreOptions {
  readonly by: string | undefined;
  /** Whether the one that stands may be replaced (U1). */
  readonly mayReplace: (standing: StoredRule) => boolean;
}

/** Stores the rule, or replaces the one of that identifier; its schedules stay. Throws `Outage`. */
export async function storeRule(
  { bus, clock, rules }: RuleTools,
  request: RuleRequest,
  { by, mayReplace }: StoreOptions,
): Promise<RuleStored> {
  const bucket = bus.bucket(buckets.scheduleRules);
  const updated_at = new Date(clock.now()).toISOString();
  const stored: StoredRule = { ...request, ...(by !== undefined && { by }), updated_at };
  for (let round = 0; round < SCHEDULE_WRITE_ROUNDS; round += 1) {
    // One that nobody knows of is not there as a rule: to ask the bus for what it does not have is a long search.
    const isNew = round === 0 && rules.get(request.id) === undefined;
    const entry = isNew ? undefined : await bucket.get(request.id);
    const standing = entry && readStoredRule(request.id, entry.value);
    if (standing !== undefined && !mayReplace(standing)) return { outcome: 'forbidden', standing };
    const written = await bucket.put(request.id, Buffer.from(JSON.stringify(stored)), entry?.revision ?? 0);
    if (written.outcome === 'written') return { outcome: 'stored', stored, revision: written.revision };
  }
  return { outcome: 'changed' };
}

export type RuleRemoved =
  | { readonly outcome: 'removed' }
  | { readonly outcome: 'unknown' }
  /** The one that stands may not be removed (U1). */
  | { readonly outcome: 'forbidden'; readonly standing: StoredRule }
  | { readonly outcome: 'changed' };

/**
 * Removes the rule; its schedules stay (MC-RULE-013). One that cannot be read is removed by whoever asks. Throws
 * `Outage`.
 */
export async function removeRule(
  { bus }: Pick<RuleTools, 'bus'>,
  id: string,
  mayRemove: (standing: StoredRule) => boolean = () => true,
): Promise<RuleRemoved> {
  const bucket = bus.bucket(buckets.scheduleRules);
  for (let round = 0; round < SCHEDULE_WRITE_ROUNDS; round += 1) {
    const entry = await bucket.get(id);
    if (entry === undefined) return { outcome: 'unknown' };
    const standing = readStoredRule(id, entry.value);
    if (standing !== undefined && !mayRemove(standing)) return { outcome: 'forbidden', standing };
    if ((await bucket.remove(id, entry.revision)).outcome === 'written') return { outcome: 'removed' };
  }
  return { outcome: 'changed' };
}

/** What does not parse. */
function formFaults({ start, filter }: RuleRequest): Fault[] {
  const offset = readStart(start);
  const angle = filter?.min_elevation === undefined ? undefined : readQuantity(filter.min_elevation, 'deg');
  return [
    ...(offset.ok ? [] : offset.faults.map((each) => malformed('/start', each))),
    ...(angle === undefined || angle.ok
      ? []
      : angle.faults.map((each) => malformed('/filter/min_elevation', each))),
  ];
}

function placeFaults({ id, target, targets }: RuleRequest, mission: Mission, rules: RuleBook): Fault[] {
  if (!mission.targets.has(target))
    return [refusal(`no target "${target}"`, '/target', nearHelp(target, mission.targets.keys(), 'targets'))];
  if (!Object.values(targets).includes(target))
    return [refusal(`${target} is the target of no role`, '/targets', `Give ${target} to a role.`)];
  if (rules.size >= SCHEDULE_RULES && rules.get(id) === undefined)
    return [refusal(`there are ${rules.size} rules already`, '/id', 'Remove some of them first.')];
  return [];
}
