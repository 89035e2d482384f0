/**
 * Recurring rules with what each has made of the passes to come. Mission Control Service, sections 2.7 and 4.6.
 *
 * V1. Every rule is compared with every pass of its target, and anybody may ask for it: a process makes one list at a
 *     time, and serves others between slices of it.
 * V2. Refusals are shown of the first passes, and counted of all.
 */

import { setImmediate } from 'node:timers/promises';
import { RULE_PAIRS_SLICE, RULE_REFUSALS_SHOWN } from '../contract/limits/schedule.ts';
import type { StoredPass } from '../contract/pass.ts';
import type { Rule } from '../contract/schedule-rule.ts';
import type { StoredRefusal, StoredRule } from '../contract/stored-schedule.ts';
import { byAos, isOver } from '../mission/pass/pass.ts';
import { matches, ruleScheduleId } from '../mission/schedule/rule.ts';
import type { Clock } from '../ports/clock.ts';
import type { PassBook } from './pass-book.ts';
import type { RuleBook } from './rule-book.ts';
import type { ScheduleBook } from './schedule-book.ts';
import { Searches } from './searches.ts';

export interface RuleViewsOptions {
  readonly clock: Clock;
  readonly passes: PassBook;
  readonly schedules: ScheduleBook;
  readonly rules: RuleBook;
}

export class RuleViews {
  readonly #options: RuleViewsOptions;
  readonly #lists = new Searches('recurring rules');
  #looked = 0;

  constructor(options: RuleViewsOptions) {
    this.#options = options;
  }

  /** Of the rules about the passes of a target, or of all, by identifier. Throws `Outage` where too many wait (V1). */
  list(target: string | undefined): Promise<Rule[]> {
    return this.#lists.make(async () => {
      const views: Rule[] = [];
      const asked = this.#options.rules.rules();
      for (const rule of asked)
        if (target === undefined || rule.target === target) views.push(await this.of(rule));
      return views;
    });
  }

  async of(rule: StoredRule): Promise<Rule> {
    const { clock, passes, schedules, rules } = this.#options;
    const now = clock.now();
    const refused: { readonly pass: StoredPass; readonly refusal: StoredRefusal }[] = [];
    let matched = 0;
    let created = 0;
    const look = (pass: StoredPass): void => {
      if (isOver(pass, now) || !matches(rule, pass)) return;
      matched += 1;
      const hasSchedule = schedules.get(ruleScheduleId(rule.id, pass.id)) !== undefined;
      if (hasSchedule) created += 1;
      const refusal = hasSchedule ? undefined : rules.refusalOf(rule.id, pass.id);
      if (refusal !== undefined) refused.push({ pass, refusal });
    };
    for (const pass of passes.inAnyOrder(rule.target)) {
      look(pass);
      this.#looked += 1;
      if (this.#looked % RULE_PAIRS_SLICE === 0) await setImmediate();
    }
    const shown = refused.sort((one, other) => byAos(one.pass, other.pass)).slice(0, RULE_REFUSALS_SHOWN);
    return {
      ...rule,
      passes: {
        matched,
        created,
        refused: shown.map(({ refusal: { pass, reasons, at } }) => ({ pass, reasons: [...reasons], at })),
        refused_count: refused.length,
      },
    };
  }
}
