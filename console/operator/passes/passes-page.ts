/** Passes of the target, or of all, over time, with what is scheduled on them; or the rules that schedule. */

import { html } from 'lit-html';
import type { Page, Workspace } from '../workspace.ts';
import { passTools } from './pass-tools.ts';
import { PassesView } from './passes-view.ts';
import { RuleForm } from './rule-form.ts';
import { RulesView } from './rules-view.ts';
import { scopeOf } from './selection.ts';

export class PassesPage implements Page {
  readonly title = 'Passes';
  readonly #space: Workspace;
  readonly #passes: PassesView;
  readonly #rules: RulesView;
  readonly #ruleForm: RuleForm;

  constructor(space: Workspace) {
    this.#space = space;
    this.#passes = new PassesView(space);
    this.#rules = new RulesView(space);
    this.#ruleForm = new RuleForm(space, () => this.#rules.soon());
    space.whenRecovered(() => this.#rules.soon());
  }

  left(): void {
    this.#passes.leave();
    this.#rules.leave();
  }

  view(): unknown {
    const { address, target } = this.#space;
    const isRules = address.query['view'] === 'rules';
    if (isRules) this.#passes.leave();
    else this.#rules.leave();
    return html`<h1>${isRules ? 'Rules for passes' : 'Passes'} of ${scopeOf(this.#space) === '' ? 'all targets' : target}</h1>
      ${passTools(this.#space, this.#passes.range)}
      ${isRules ? this.#rulesView() : this.#passes.view()}`;
  }

  #rulesView(): unknown {
    const { mission, address } = this.#space;
    const stations = mission.answer?.stations.map(({ station }) => station) ?? [];
    return html`${
      address.query['form'] === 'yes' && mission.answer !== undefined
        ? this.#ruleForm.view(mission.answer, stations)
        : html`<p><button id="rule-add" @click=${() => this.#space.select({ form: 'yes' })}>Add a rule for ${this.#space.target}…</button></p>`
    }${this.#rules.view(scopeOf(this.#space))}`;
  }
}
