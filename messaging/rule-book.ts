/**
 * The recurring rules of a cell, and why they made no schedule of which passes, as their buckets report them. Mission
 * Control Service, sections 2.7 and 4.6.
 */

import { buckets } from '../contract/bus/buckets.ts';
import { SCHEDULE_SEEN_MS } from '../contract/limits/schedule.ts';
import {
  readStoredRefusal,
  readStoredRule,
  type StoredRefusal,
  type StoredRule,
} from '../contract/stored-schedule.ts';
import type { Entry, Stoppable } from '../ports/bus.ts';
import { type KeptWatch, keepWatching } from './kept-watch.ts';
import type { ScheduleBookOptions } from './schedule-book.ts';
import { SeenRevisions } from './seen-revisions.ts';

type Listener = (rule: StoredRule) => void;

export class RuleBook implements Stoppable {
  readonly #options: ScheduleBookOptions;
  readonly #rules = new Map<string, StoredRule>();
  readonly #byTarget = new Map<string, Set<string>>();
  /** By rule, then by pass. */
  readonly #refusals = new Map<string, Map<string, StoredRefusal>>();
  readonly #listeners = new Set<Listener>();
  readonly #seen: SeenRevisions;
  readonly #watch: KeptWatch;
  readonly #watchRefusals: KeptWatch;

  constructor(options: ScheduleBookOptions) {
    this.#options = options;
    this.#seen = new SeenRevisions(options.clock, SCHEDULE_SEEN_MS);
    this.#watch = keepWatching(options, buckets.scheduleRules, (key, entry) => this.#ruleChanged(key, entry));
    this.#watchRefusals = keepWatching(options, buckets.ruleRefusals, (key, entry) =>
      this.#refusalChanged(key, entry),
    );
  }

  /** Whether it holds every rule there is (kept-watch.W1). */
  get live(): boolean {
    return this.#watch.live && this.#watchRefusals.live;
  }

  /** Resolves when every rule there was at the beginning was seen, or it is stopped. */
  get ready(): Promise<unknown> {
    return Promise.all([this.#watch.ready, this.#watchRefusals.ready]);
  }

  get(id: string): StoredRule | undefined {
    return this.#rules.get(id);
  }

  /** By identifier. */
  rules(): StoredRule[] {
    return [...this.#rules.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  get size(): number {
    return this.#rules.size;
  }

  /** Those about passes of a target. */
  rulesOf(target: string): StoredRule[] {
    return [...(this.#byTarget.get(target) ?? [])].flatMap((id) => this.#rules.get(id) ?? []);
  }

  refusalOf(rule: string, pass: string): StoredRefusal | undefined {
    return this.#refusals.get(rule)?.get(pass);
  }

  /** Calls the listener with each rule that is there or becomes another from now on. */
  onChange(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Resolves when the watch has this revision of a rule. */
  seen(revision: number | undefined): Promise<void> {
    return this.#seen.seen(revision);
  }

  async stop(): Promise<void> {
    await Promise.all([this.#watch.stop(), this.#watchRefusals.stop()]);
  }

  #ruleChanged(key: string, entry: Entry | undefined): void {
    const rule = entry && readStoredRule(key, entry.value);
    if (entry !== undefined && rule === undefined)
      this.#options.log.error({ key, bucket: buckets.scheduleRules.name }, 'malformed rule: left out');
    const before = this.#rules.get(key);
    if (before !== undefined) this.#byTarget.get(before.target)?.delete(key);
    if (rule === undefined) this.#rules.delete(key);
    else {
      this.#rules.set(key, rule);
      const ofTarget = this.#byTarget.get(rule.target) ?? new Set<string>();
      this.#byTarget.set(rule.target, ofTarget.add(key));
      for (const listener of this.#listeners) listener(rule);
    }
    if (entry !== undefined) this.#seen.note(entry.revision);
  }

  #refusalChanged(key: string, entry: Entry | undefined): void {
    const [rule = '', pass = ''] = key.split('.');
    const refusal = entry && readStoredRefusal(entry.value);
    const ofRule = this.#refusals.get(rule) ?? new Map<string, StoredRefusal>();
    if (refusal === undefined) ofRule.delete(pass);
    else ofRule.set(pass, refusal);
    if (ofRule.size === 0) this.#refusals.delete(rule);
    else this.#refusals.set(rule, ofRule);
  }
}
