/**
 * Makes the schedules of recurring rules: one of each pass that a rule matches and that has none. Mission Control
 * Service, sections 2.7 and 4.6. Any number of processes do so beside each other: a schedule is created only where
 * there is none of that identifier.
 *
 * M1. A rule looks at a pass when one of the two changes, or another schedule of that pass, or the configuration; what
 *     was refused is not asked for again before.
 * M2. A refusal is logged once, and stored where the view of the rule shows it; the same reasons again are neither.
 * M3. Only so many are created at once, and others have their turn between. A rule that is marked as a whole is
 *     compared with one pass of its target after the other, and nothing is kept of those that come behind.
 * M7. What was made or refused while its rule, its pass or the configuration was replaced is looked at again
 *     afterwards: its refusal may have been written behind the one that counts now.
 * M6. A schedule that does not fit into a message of the bus is refused like any other: it is not tried again.
 * M4. Nothing is made while the bus is away, or while passes, schedules, rules or the configuration are not known: what
 *     is marked stays so, and is looked at again a moment later. A bus that is silent for a while says nothing when it
 *     answers again.
 * M8. A rule that cannot be compared with a pass stops no other one: it is logged once until it changes.
 */

import { buckets } from '../../contract/bus/buckets.ts';
import {
  RULE_CREATIONS,
  RULE_PAIRS_SLICE,
  SCHEDULE_SLICE,
  SCHEDULE_TICK_MS,
  SCHEDULE_WRITE_ROUNDS,
} from '../../contract/limits/schedule.ts';
import { Outage } from '../../contract/outage.ts';
import type { StoredPass } from '../../contract/pass.ts';
import {
  readStoredRefusal,
  readStoredRule,
  type StoredRefusal,
  type StoredRule,
  type StoredSchedule,
} from '../../contract/stored-schedule.ts';
import { TooLarge } from '../../contract/too-large.ts';
import type { RuleBook } from '../../messaging/rule-book.ts';
import type { ScheduleTools } from '../../messaging/schedule-changes.ts';
import { draftOf } from '../../messaging/schedule-draft.ts';
import { createSchedule } from '../../messaging/schedule-writes.ts';
import type { Mission } from '../../mission/mission.ts';
import { isOver, windowOf } from '../../mission/pass/pass.ts';
import { byRule, matches, ruleScheduleId, scheduleOf } from '../../mission/schedule/rule.ts';
import { fireTime, readStart } from '../../mission/schedule/start.ts';
import type { TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { MissionSource } from '../../ports/mission-source.ts';
import { turnOf } from './turns.ts';

export interface RuleMakerOptions extends ScheduleTools {
  readonly log: Log;
  readonly missions: MissionSource;
  readonly rules: RuleBook;
  readonly instance: string;
  /** Living schedulers, as far as this process knows. */
  readonly schedulers: () => readonly string[];
}

interface Pair {
  readonly rule: string;
  readonly target: string;
  readonly pass: string;
}

/** A rule that is marked as a whole, and the passes of its target that it has not looked at yet (M3). */
interface Walk {
  readonly rule: StoredRule;
  readonly passes: Iterator<StoredPass>;
}

export class RuleMaker {
  readonly #options: RuleMakerOptions;
  readonly #marked = new Map<string, Pair>();
  /** By identifier. */
  readonly #rulesMarked = new Set<string>();
  /** Those that could not be compared with a pass, as the log says (M8). */
  readonly #failed = new WeakSet<StoredRule>();
  #walk: Walk | undefined;
  /** Before that everything is still to be marked. */
  #begun = false;
  readonly #off: (() => void)[] = [];
  readonly #timers = new Set<TimerHandle>();
  #creating = 0;
  #looking: TimerHandle | undefined;
  /** Until what is marked may be known again (M4). */
  #waiting: TimerHandle | undefined;
  #stopped = false;

  constructor(options: RuleMakerOptions) {
    this.#options = options;
  }

  start(): void {
    const { rules, passes, schedules, missions, bus } = this.#options;
    this.#off.push(
      rules.onChange((rule) => this.#markRule(rule)),
      passes.onChange(({ target, id }) => this.#markPass(target, id)),
      // Its place in the pass may be free for another one.
      schedules.onChange((_id, now, before) => {
        for (const each of [now, before]) if (each !== undefined) this.#markPassOf(each);
      }),
      missions.onChange(() => this.#markAll()),
      bus.onConnection((connected) => {
        if (connected) this.#later(SCHEDULE_TICK_MS / 4, () => this.#markAll());
      }),
    );
    void Promise.all([rules.ready, passes.ready, schedules.ready]).then(() => {
      this.#begun = true;
      this.#markAll();
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const off of this.#off) off();
    for (const timer of this.#timers) this.#options.clock.clearTimeout(timer);
    this.#marked.clear();
    this.#rulesMarked.clear();
    this.#walk = undefined;
  }

  #markAll(): void {
    for (const rule of this.#options.rules.rules()) this.#markRule(rule);
  }

  #markRule({ id }: StoredRule): void {
    if (this.#stopped || !this.#begun) return;
    this.#rulesMarked.add(id);
    this.#lookSoon();
  }

  #markPass(target: string, pass: string): void {
    for (const rule of this.#options.rules.rulesOf(target)) this.#mark(rule, target, pass);
  }

  /** The schedule may name its pass as it was called before it was merged. */
  #markPassOf({ target, pass: name }: StoredSchedule): void {
    if (!this.#begun || this.#options.rules.rulesOf(target).length === 0) return;
    const pass = this.#options.passes.find(target, name);
    if (pass !== undefined) this.#markPass(target, pass.id);
  }

  #mark({ id: rule }: StoredRule, target: string, pass: string): void {
    if (this.#stopped || !this.#begun) return;
    this.#marked.set(`${rule}.${pass}`, { rule, target, pass });
    this.#lookSoon();
  }

  #lookSoon(): void {
    if (this.#stopped || !this.#hasMarked || this.#creating >= RULE_CREATIONS) return;
    this.#looking ??= this.#later(0, () => {
      this.#looking = undefined;
      this.#lookAtMarked();
    });
  }

  /** M3, M4 */
  #lookAtMarked(): void {
    const mission = this.#known();
    if (mission === undefined) return this.#lookLater();
    let left = SCHEDULE_SLICE;
    for (let looked = 0; looked < RULE_PAIRS_SLICE && left > 0; looked += 1) {
      const pair = this.#creating < RULE_CREATIONS ? this.#next() : undefined;
      if (pair === undefined) break;
      if (this.#look(pair, mission)) left -= 1;
    }
    this.#lookSoon();
  }

  get #hasMarked(): boolean {
    return this.#marked.size > 0 || this.#rulesMarked.size > 0 || this.#walk !== undefined;
  }

  /** Takes one that is marked: those that are marked by themselves first. */
  #next(): Pair | undefined {
    for (const [key, pair] of this.#marked) {
      this.#marked.delete(key);
      return pair;
    }
    for (;;) {
      this.#walk ??= this.#nextWalk();
      if (this.#walk === undefined) return undefined;
      const { rule, passes } = this.#walk;
      const { value: pass, done } = passes.next();
      if (done !== true) return { rule: rule.id, target: rule.target, pass: pass.id };
      this.#walk = undefined;
    }
  }

  #nextWalk(): Walk | undefined {
    for (const id of this.#rulesMarked) {
      this.#rulesMarked.delete(id);
      const rule = this.#options.rules.get(id);
      if (rule !== undefined)
        return { rule, passes: this.#options.passes.inAnyOrder(rule.target)[Symbol.iterator]() };
    }
    return undefined;
  }

  #lookLater(): void {
    this.#waiting ??= this.#later(SCHEDULE_TICK_MS, () => {
      this.#waiting = undefined;
      this.#lookSoon();
    });
  }

  /** The configuration, where everything that something is made of is known (M4). */
  #known(): Mission | undefined {
    const { bus, rules, passes, schedules, missions } = this.#options;
    const isLive = bus.connected && rules.live && passes.live && schedules.live;
    return isLive ? missions.current : undefined;
  }

  /** False where there is nothing to be made. */
  #look(pair: Pair, mission: Mission): boolean {
    const { rules, passes } = this.#options;
    const rule = rules.get(pair.rule);
    const pass = passes.get(pair.target, pair.pass);
    if (rule === undefined || pass === undefined || !this.#isWanted(rule, pass)) return false;
    const make = (): void => void this.#make(rule, pass, mission);
    const turn = turnOf(`${pair.rule}.${pair.pass}`, this.#options);
    if (turn === 0) make();
    else
      this.#later(turn, () => {
        if (this.#isWanted(rule, pass) && this.#stand(rule, pass, mission)) make();
      });
    return true;
  }

  /** None of them has been replaced: who replaces one has marked it. */
  #stand(rule: StoredRule, pass: StoredPass, mission: Mission): boolean {
    const { rules, passes, missions } = this.#options;
    return (
      rules.get(rule.id) === rule && passes.get(pass.target, pass.id) === pass && missions.current === mission
    );
  }

  /** M8 */
  #isWanted(rule: StoredRule, pass: StoredPass): boolean {
    try {
      return this.#hasNone(rule, pass);
    } catch (error) {
      const about = { rule: rule.id, target: pass.target, pass: pass.id };
      if (!this.#failed.has(rule))
        this.#options.log.error({ ...about, err: error }, 'rule not compared with a pass');
      this.#failed.add(rule);
      return false;
    }
  }

  /** MC-RULE-009, MC-RULE-010, MC-RULE-012 */
  #hasNone(rule: StoredRule, pass: StoredPass): boolean {
    const now = this.#options.clock.now();
    if (isOver(pass, now) || !matches(rule, pass)) return false;
    if (this.#options.schedules.get(ruleScheduleId(rule.id, pass.id)) !== undefined) return false;
    const offset = readStart(rule.start);
    return offset.ok && fireTime(windowOf(pass).aos, offset.value) > now;
  }

  async #make(rule: StoredRule, pass: StoredPass, mission: Mission): Promise<void> {
    this.#creating += 1;
    try {
      const reasons = await this.#create(rule, pass, mission);
      if (reasons !== undefined) await this.#refused(rule, pass, reasons);
    } catch (error) {
      if (error instanceof TooLarge) return this.#never(rule, pass, error);
      if (!(error instanceof Outage))
        this.#options.log.error({ err: error, rule: rule.id, pass: pass.id }, 'schedule of a rule not made');
      this.#later(SCHEDULE_TICK_MS, () => this.#mark(rule, pass.target, pass.id));
    } finally {
      this.#creating -= 1;
      // M7
      if (!this.#stand(rule, pass, mission)) this.#mark(rule, pass.target, pass.id);
      this.#lookSoon();
    }
  }

  /** M6 */
  #never(rule: StoredRule, pass: StoredPass, { message, remedy }: TooLarge): void {
    this.#refused(rule, pass, [`${message}. ${remedy}`]).catch((error: unknown) => {
      this.#options.log.warn({ err: error, rule: rule.id, pass: pass.id }, 'refusal of a rule not written');
    });
  }

  /** Why none was made; undefined where there is one now, or somebody else will see. */
  async #create(
    rule: StoredRule,
    pass: StoredPass,
    mission: Mission,
  ): Promise<readonly string[] | undefined> {
    const request = scheduleOf(rule, pass);
    const draft = await draftOf(request, mission, this.#options, pass.target);
    if (!draft.ok) return draft.faults.map(({ message }) => message);
    const wanted = (now: StoredPass | undefined): Promise<boolean> => this.#stillMatches(rule, now);
    const options = { by: byRule(rule.id), onlyNew: true, wanted };
    const created = await createSchedule(draft.value, mission, this.#options, options);
    return created.outcome === 'refused' ? created.faults.map(({ message }) => message) : undefined;
  }

  /** By the rule as the bus has it now: a process that slept may know one that is removed. */
  async #stillMatches({ id }: StoredRule, pass: StoredPass | undefined): Promise<boolean> {
    if (pass === undefined) return false;
    const entry = await this.#options.bus.bucket(buckets.scheduleRules).get(id);
    const rule = entry && readStoredRule(id, entry.value);
    return rule !== undefined && matches(rule, pass);
  }

  /** M2: by what the bus has now; what is known here may be older than what this process wrote a moment ago. */
  async #refused(rule: StoredRule, pass: StoredPass, reasons: readonly string[]): Promise<void> {
    const { bus, clock, log } = this.#options;
    const at = new Date(clock.now()).toISOString();
    const about = { rule: rule.id, target: pass.target, pass: pass.id };
    const refusal: StoredRefusal = { ...about, reasons: [...reasons], at };
    const key = `${rule.id}.${pass.id}`;
    const bucket = bus.bucket(buckets.ruleRefusals);
    for (let round = 0; round < SCHEDULE_WRITE_ROUNDS; round += 1) {
      const entry = await bucket.get(key);
      const before = entry && readStoredRefusal(entry.value);
      if (before !== undefined && before.reasons.join('\n') === reasons.join('\n')) return;
      const written = await bucket.put(key, Buffer.from(JSON.stringify(refusal)), entry?.revision ?? 0);
      if (written.outcome === 'conflict') continue;
      return log.warn({ ...about, reasons }, 'a rule made no schedule of a pass');
    }
  }

  #later(ms: number, then: () => void): TimerHandle {
    const { clock } = this.#options;
    const timer = clock.setTimeout(() => {
      this.#timers.delete(timer);
      if (!this.#stopped) then();
    }, ms);
    this.#timers.add(timer);
    return timer;
  }
}
