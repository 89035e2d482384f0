/**
 * Schedules, recurring rules and what rules refused, as they are stored on the bus. Mission Control Service, sections
 * 2.7 and 4.6.
 */

import { readInstant } from './instant.ts';
import { objectIn } from './json-bytes.ts';
import { SCHEDULE_STATES, type Schedule, type ScheduleState } from './schedule.ts';
import type { RuleFilter, RuleRefusal, RuleRequest } from './schedule-rule.ts';
import { isScheduleId, isToken } from './token.ts';

/** A change of state as the record remembers it. */
export interface ScheduleChange {
  readonly at: string;
  readonly state: ScheduleState;
  readonly reasons: readonly string[];
  readonly by?: string;
}

/** Entry of bucket `mcs_schedules` under its identifier: the snapshot of its chart. */
export interface StoredSchedule extends Schedule {
  readonly environment: string;
  /** When it was created, or replaced last. */
  readonly created_at: string;
  /** SHA-256 (hexadecimal) of the resolved run without the configuration it was resolved with. */
  readonly content: string;
  /** Revision of the configuration that the run was resolved with. */
  readonly config: string;
  /** Why its last validation does not hold any more. */
  readonly fell?: string;
  /** Of a fired one: whether its run is known to be submitted. */
  readonly submitted?: boolean;
  /** The last changes of state, the oldest first. */
  readonly changes: readonly ScheduleChange[];
}

/** Entry of bucket `mcs_schedule_rules` under its identifier. */
export interface StoredRule extends RuleRequest {
  readonly by?: string;
  readonly updated_at: string;
}

/** Entry of bucket `mcs_rule_refusals`, `<rule>.<pass>`. */
export interface StoredRefusal extends RuleRefusal {
  readonly rule: string;
  /** What it depends on: refused again for the same reasons it is neither logged nor written again. */
  readonly target: string;
}

export const FINAL_STATES: ReadonlySet<ScheduleState> = new Set(['cancelled', 'fired', 'missed']);

/** What callers see of a schedule. */
export function shownSchedule({
  created_at: _created,
  content: _content,
  config: _config,
  fell: _fell,
  submitted: _submitted,
  changes: _changes,
  ...shown
}: StoredSchedule): Schedule {
  return shown;
}

/** The schedule of an entry; undefined where the bytes are not one of that key. */
export function readStoredSchedule(key: string, bytes: Uint8Array): StoredSchedule | undefined {
  const read = objectIn(bytes) as Partial<StoredSchedule> | undefined;
  const isWhole =
    read !== undefined &&
    read.id === key &&
    isScheduleId(key) &&
    SCHEDULE_STATES.some((state) => state === read.state) &&
    [
      read.pass,
      read.start,
      read.run,
      read.target,
      read.environment,
      read.ir,
      read.content,
      read.config,
    ].every(isText) &&
    isText(read.max_duration) &&
    [read.fire_at, read.created_at, read.updated_at].every(isMoment) &&
    Array.isArray(read.reasons) &&
    Array.isArray(read.changes) &&
    typeof read.targets === 'object' &&
    read.targets !== null;
  return isWhole ? (read as StoredSchedule) : undefined;
}

/** The rule of an entry; undefined where the bytes are not one of that key. */
export function readStoredRule(key: string, bytes: Uint8Array): StoredRule | undefined {
  const read = objectIn(bytes) as Partial<StoredRule> | undefined;
  const isWhole =
    read !== undefined &&
    read.id === key &&
    isToken(key) &&
    [read.target, read.start, read.run].every(isText) &&
    isMoment(read.updated_at) &&
    typeof read.targets === 'object' &&
    read.targets !== null &&
    isFilter(read.filter);
  return isWhole ? (read as StoredRule) : undefined;
}

function isFilter(filter: unknown = {}): boolean {
  const { status, min_elevation, station, uplink } = (filter ?? {}) as Partial<RuleFilter>;
  return (
    typeof filter === 'object' &&
    filter !== null &&
    [status, min_elevation, station].every((text) => text === undefined || isText(text)) &&
    ['undefined', 'boolean'].includes(typeof uplink)
  );
}

/** Why a rule made no schedule of a pass; undefined where the bytes do not say. */
export function readStoredRefusal(bytes: Uint8Array): StoredRefusal | undefined {
  const read = objectIn(bytes) as Partial<StoredRefusal> | undefined;
  const isWhole =
    read !== undefined &&
    [read.rule, read.target, read.pass].every(isText) &&
    isMoment(read.at) &&
    Array.isArray(read.reasons);
  return isWhole ? (read as StoredRefusal) : undefined;
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isMoment(value: unknown): boolean {
  return typeof value === 'string' && readInstant(value) !== undefined;
}
