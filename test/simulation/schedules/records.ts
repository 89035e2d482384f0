/**
 * The records of a planned run as they stood at any place of what was stored, and what the rules say of them there.
 * Times are those of the bus.
 */

import type { StoredPass } from '../../../contract/pass.ts';
import type { StoredRule, StoredSchedule } from '../../../contract/stored-schedule.ts';
import { load } from '../../../mission/load.ts';
import type { Mission } from '../../../mission/mission.ts';
import { resolveRun } from '../../../mission/procedure/resolve-run.ts';
import type { Resolution, Surroundings } from '../../../mission/schedule/assess.ts';
import { planOf } from '../../../mission/schedule/plan.ts';
import type { History } from '../history.ts';
import { bodyOf, keyOf } from '../run-history.ts';
import type { StoredMessage } from '../twin/stored-stream.ts';
import type { ClockSet, PlanHistory } from './history.ts';
import { MARGIN_MS, variants } from './mission.ts';

/** A change at a place, and at a time of the bus. */
export interface Change {
  readonly order: number;
  readonly at: number;
  /** The passes it is about, `<target>.<pass>`; undefined: everything. */
  readonly passes: readonly string[] | undefined;
}

export interface Version<Record> {
  readonly key: string;
  readonly record: Record;
  readonly message: StoredMessage;
  /** The version before it; undefined: it is the first. */
  readonly before: Version<Record> | undefined;
}

/** The versions of the entries of a bucket; a removal has no record and ends an entry. */
export class Versions<Record> {
  readonly all: Version<Record>[] = [];
  readonly #byKey = new Map<string, (Version<Record> | StoredMessage)[]>();

  constructor(messages: readonly StoredMessage[]) {
    for (const message of messages) {
      const key = keyOf(message);
      const known = this.#byKey.get(key) ?? [];
      this.#byKey.set(key, known);
      const last = known.at(-1);
      if (message.removal) known.push(message);
      else {
        const before = last !== undefined && 'record' in last ? last : undefined;
        const version = { key, record: bodyOf<Record>(message), message, before };
        known.push(version);
        this.all.push(version);
      }
    }
  }

  keys(): Iterable<string> {
    return this.#byKey.keys();
  }

  /** As it stood when `order` was stored. */
  at(key: string, order: number): Version<Record> | undefined {
    const known = this.#byKey.get(key) ?? [];
    for (let n = known.length - 1; n >= 0; n -= 1) {
      const each = known[n]!;
      if ('record' in each ? each.message.order <= order : each.order <= order)
        return 'record' in each ? each : undefined;
    }
    return undefined;
  }

  /** Every entry as it stood then. */
  allAt(order: number): Version<Record>[] {
    return [...this.keys()].flatMap((key) => this.at(key, order) ?? []);
  }

  of(key: string): Version<Record>[] {
    return this.all.filter((version) => version.key === key);
  }
}

const books = new WeakMap<PlanHistory, Records>();

/** The records of a history; undefined where nothing was planned. */
export function recordsOf({ plans }: Pick<History, 'plans'>): Records | undefined {
  if (plans === undefined) return undefined;
  const known = books.get(plans) ?? new Records(plans);
  books.set(plans, known);
  return known;
}

export class Records {
  readonly plans: PlanHistory;
  readonly schedules: Versions<StoredSchedule>;
  readonly passes: Versions<StoredPass>;
  readonly rules: Versions<StoredRule>;
  /** Everything a schedule depends on, in the order in which it was stored. */
  readonly changes: readonly Change[];
  readonly #resolutions = new Map<string, Resolution>();
  readonly #missions = new Map<string, Mission>();

  constructor(plans: PlanHistory) {
    this.plans = plans;
    this.schedules = new Versions(plans.schedules);
    this.passes = new Versions(plans.passes);
    this.rules = new Versions(plans.rules);
    this.changes = [
      ...this.schedules.all.map(({ message, record, before }) => ({
        ...placeOf(message),
        passes: [record, ...(before === undefined ? [] : [before.record])].map(passKeyOf),
      })),
      ...this.passes.all.map(({ message, key }) => ({ ...placeOf(message), passes: [key] })),
      ...plans.published.map((message) => ({ ...placeOf(message), passes: undefined })),
    ].sort((one, other) => one.order - other.order);
  }

  /** The last change until then of what a schedule depends on. */
  lastChange(record: StoredSchedule, order: number): Change | undefined {
    const pass = passKeyOf(record);
    return this.changes.findLast(
      (each) => each.order <= order && (each.passes === undefined || each.passes.includes(pass)),
    );
  }

  /** Place of what was stored last at that time. */
  orderAt(at: number): number {
    const { plans } = this;
    const all = [plans.schedules, plans.passes, plans.published, plans.rules, plans.refusals];
    return Math.max(0, ...all.map((each) => each.findLast((message) => message.at <= at)?.order ?? 0));
  }

  passOf(target: string, id: string, order: number): StoredPass | undefined {
    return this.passes.at(`${target}.${id}`, order)?.record;
  }

  /** Schedules on the pass then. */
  onPass(target: string, pass: string, order: number): StoredSchedule[] {
    return this.schedules
      .allAt(order)
      .map(({ record }) => record)
      .filter((record) => record.target === target && record.pass === pass);
  }

  missionAt(order: number): Mission | undefined {
    const message = this.plans.published.findLast((each) => each.order <= order);
    if (message === undefined) return undefined;
    const { revision } = bodyOf<{ revision: string }>(message);
    const known = this.#missions.get(revision);
    if (known !== undefined) return known;
    const published = Object.values(variants()).find((each) => each.revision === revision)!;
    const mission = load(published.configuration, revision);
    this.#missions.set(revision, mission);
    return mission;
  }

  surroundings(record: StoredSchedule, order: number, mission: Mission): Surroundings {
    const { target, pass, environment } = record;
    return {
      pass: this.passOf(target, pass, order),
      others: this.onPass(target, pass, order),
      resolution: this.#resolutionOf(record, mission),
      environment: mission.environments.get(environment),
      marginMs: MARGIN_MS,
    };
  }

  #resolutionOf(record: StoredSchedule, mission: Mission): Resolution {
    if (record.config === mission.revision) return { outcome: 'same' };
    const key = [mission.revision, record.id, record.created_at, record.content].join(' ');
    const known = this.#resolutions.get(key) ?? resolvedBy(record, mission);
    this.#resolutions.set(key, known);
    return known;
  }

  /** The furthest that the clock of a process has shown by then, ms since 1970. */
  shownBy(instance: string, at: number): number {
    const sets = this.plans.clocks.filter((set) => set.instance === instance && set.at <= at);
    const ends = sets.map((set, n) => (sets[n + 1]?.at ?? at) + set.errorMs);
    return Math.max(...ends);
  }

  /** How far the clock of a process was ahead then. */
  errorOf(instance: string, at: number): number {
    return this.#sets(instance, at).at(-1)?.errorMs ?? 0;
  }

  #sets(instance: string, at: number): readonly ClockSet[] {
    return this.plans.clocks.filter((set) => set.instance === instance && set.at <= at);
  }

  /** The furthest that any clock ever was off. */
  get worstError(): number {
    return Math.max(0, ...this.plans.clocks.map(({ errorMs }) => Math.abs(errorMs)));
  }
}

function placeOf({ order, at }: StoredMessage): { order: number; at: number } {
  return { order, at };
}

function passKeyOf({ target, pass }: StoredSchedule): string {
  return `${target}.${pass}`;
}

function resolvedBy(record: StoredSchedule, mission: Mission): Resolution {
  const { run, targets, inputs, library, environment, pass, content } = record;
  const request = {
    run,
    environment,
    targets,
    plan: pass,
    ...(inputs !== undefined && { inputs }),
    ...(library !== undefined && { library }),
  };
  const known = { uploads: new Set<string>(), passes: { find: (id: string) => ({ id }) } };
  const resolved = resolveRun(mission, request, known, { from: 'schedule' });
  if (!resolved.ok) return { outcome: 'none', reasons: resolved.faults.map(({ message }) => message) };
  const plan = planOf(resolved.value);
  if (plan === undefined) return { outcome: 'none', reasons: [] };
  return plan.content === content ? { outcome: 'same' } : { outcome: 'another', plan };
}
