/** Recurring rules: what each matches, what it has made, what was refused to it and why; added and removed. */

import { html, nothing } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import type { Rule, RuleList } from '../../../contract/schedule-rule.ts';
import { remove } from '../../service.ts';
import type { ServiceError } from '../../service-error.ts';
import { fragmentOf } from '../address.ts';
import { Polled } from '../data/polled.ts';
import { counted } from '../parts/counted.ts';
import { pairsOf } from '../parts/procedure-fields.ts';
import { refusalOf, refusalView } from '../parts/refusal.ts';
import type { Workspace } from '../workspace.ts';
import { filterWords } from './rule-words.ts';

/** Rules change seldom; what they make of a changed pass is there within seconds. */
const EVERY_MS = 2_000;
/** Of one rule; the rest is counted. */
const REFUSED_SHOWN = 20;
const RULES_SHOWN = 200;

export class RulesView {
  readonly #space: Workspace;
  #polled: { readonly of: string; readonly rules: Polled<RuleList> } | undefined;
  #removing = '';
  #underWay = '';
  #refused: { readonly id: string; readonly refusal: ServiceError } | undefined;

  constructor(space: Workspace) {
    this.#space = space;
  }

  leave(): void {
    this.#polled?.rules.close();
    this.#polled = undefined;
  }

  soon(): void {
    this.#polled?.rules.soon();
  }

  /** `target` empty: of all targets. */
  view(target: string): unknown {
    const { answer, refusal } = this.#of(target);
    const rules = answer?.rules ?? [];
    return html`${refusalView(refusal)}
      <p class="muted" role="status">${answer === undefined ? 'Reading the rules…' : rules.length === 0 ? 'No rule. A rule schedules a procedure on each pass that it matches.' : `${counted(rules.length, 'rule')}${rules.length > RULES_SHOWN ? `, the first ${RULES_SHOWN} are shown` : ''}`}</p>
      <ul class="rules">${repeat(
        rules.slice(0, RULES_SHOWN),
        ({ id }) => id,
        (rule) => this.#rule(rule),
      )}</ul>`;
  }

  #of(target: string): Polled<RuleList> {
    if (this.#polled?.of !== target) {
      this.#polled?.rules.close();
      const only = target === '' ? '' : `?target=${encodeURIComponent(target)}`;
      this.#polled = {
        of: target,
        rules: new Polled(`/v1/schedule-rules${only}`, EVERY_MS, this.#space.calmly),
      };
    }
    return this.#polled.rules;
  }

  #rule(rule: Rule): unknown {
    const { id, target, filter, run, library, environment, start, by, passes } = rule;
    const more = passes.refused_count - REFUSED_SHOWN;
    return html`<li class="panel"><p><strong>${id}</strong> <span class="muted">${by === undefined ? '' : `by ${by}`}</span></p>
      <p>${filterWords(filter)} of ${target}: ${run}${library === undefined ? '' : ` of ${library}`}${environment === undefined ? '' : ` in ${environment}`}, <span class="muted">${pairsOf(rule, this.#space.mission.answer)}</span>, at ${start}</p>
      <p><span class="badge">${passes.matched} matched</span> <span class="badge ok">✓ ${passes.created} created</span> <span class="badge ${passes.refused_count > 0 ? 'warn' : ''}">△ ${passes.refused_count} refused</span></p>
      ${passes.refused.length === 0 ? nothing : html`<ul class="reasons" aria-label="Refused to ${id}">${passes.refused.slice(0, REFUSED_SHOWN).map(({ pass, reasons }) => html`<li><a class="mono" href=${this.#passLink(target, pass)}>${pass}</a> ${reasons.join('; ')}</li>`)}${more > 0 ? html`<li class="muted">and ${more} more</li>` : nothing}</ul>`}
      ${this.#buttons(id)}
      ${this.#refused?.id === id ? refusalView(this.#refused.refusal, 'Whether it was removed stands here in a moment.') : nothing}</li>`;
  }

  #buttons(id: string): unknown {
    const busy = this.#underWay !== '';
    if (this.#removing !== id)
      return html`<div class="choices"><button ?disabled=${busy} @click=${() => this.#ask(id)} aria-label="Remove ${id}…">Remove…</button></div>`;
    return html`<div class="choices"><button @click=${() => this.#ask('')}>Keep it</button>
      <button class="danger" ?disabled=${busy} @click=${() => void this.#remove(id)}>Remove ${id} now</button><span class="muted">its schedules stay</span></div>`;
  }

  #passLink(target: string, pass: string): string {
    const { address } = this.#space;
    return fragmentOf({ ...address, selected: pass, query: { ...address.query, view: '', of: target } });
  }

  #ask(id: string): void {
    this.#removing = id;
    this.#space.soon();
  }

  async #remove(id: string): Promise<void> {
    this.#removing = '';
    this.#underWay = id;
    this.#space.soon();
    const refusal = await refusalOf(() =>
      remove(`/v1/schedule-rules/${encodeURIComponent(id)}`, this.#space.operator),
    );
    this.#underWay = '';
    this.#refused = refusal && { id, refusal };
    this.soon();
    this.#space.soon();
  }
}
