/**
 * The form of a run that starts later: a schedule on one pass, or a rule for many. Filled in, reviewed as one line, and
 * only then asked for.
 *
 * P1. What is asked for is what was reviewed: any change goes back to the form.
 * P2. What would be replaced is said at the review.
 */

import { html, nothing } from 'lit-html';
import type { MissionView } from '../../../contract/mission-view.ts';
import type { ProcedureView } from '../../../contract/procedure.ts';
import { order } from '../../service.ts';
import type { ServiceError } from '../../service-error.ts';
import { type FieldView, fieldFault } from '../parts/arguments.ts';
import { typedIn } from '../parts/dom-value.ts';
import { fieldView } from '../parts/field.ts';
import { focusSoon } from '../parts/focus.ts';
import {
  ENVIRONMENT,
  environmentsOf,
  inputFields,
  procedureName,
  procedureNamed,
  roleFields,
  runOf,
  withTarget,
} from '../parts/procedure-fields.ts';
import { refusalOf, refusalView } from '../parts/refusal.ts';
import type { Workspace } from '../workspace.ts';
import { IDENTIFIER, OFFSET, type Plan, type PlannedRun } from './planned-run.ts';
import { startOf } from './schedule-words.ts';

interface Reviewed {
  readonly body: object;
  readonly line: string;
  readonly replaced?: string;
}

export class PlannedForm<Reply> {
  readonly #space: Workspace;
  readonly #kind: string;
  #key = '';
  #typed: Record<string, string> = {};
  #isAsked = false;
  #reviewed: Reviewed | undefined;
  #isBusy = false;
  #refusal: ServiceError | undefined;

  /** `kind`: `schedule`, `rule`; also the beginning of the ids of its fields. */
  constructor(space: Workspace, kind: string) {
    this.#space = space;
    this.#kind = kind;
  }

  view(plan: Plan<Reply>, mission: MissionView): unknown {
    if (plan.key !== this.#key) this.#begin(plan);
    const platform = mission.targets.find(({ target }) => target === plan.target)?.platform;
    const fitting = mission.procedures.filter(({ roles }) => Object.values(roles).includes(platform ?? ''));
    const name = this.#space.address.query['run'] ?? '';
    const procedure = procedureNamed(mission, name);
    return html`<section class="panel planned" aria-labelledby="${this.#kind}-title"><h2 id="${this.#kind}-title" class="name" tabindex="-1">${plan.title}</h2>
      <div class="field"><label for="${this.#kind}-procedure">procedure</label>
        <select id="${this.#kind}-procedure" ?disabled=${this.#reviewed !== undefined} @change=${(event: Event) => this.#space.select({ run: typedIn(event) })}>
          <option value="" ?selected=${name === ''}>choose…</option>
          ${fitting.map((each) => html`<option value=${procedureName(each)} ?selected=${procedureName(each) === name}>${each.procedure} (${each.library})</option>`)}</select>
        <p class="muted">${procedure?.description ?? `one with a role for ${platform ?? plan.target}`}</p></div>
      ${procedure === undefined ? nothing : this.#form(plan, procedure, mission)}
      ${refusalView(this.#refusal, `Whether it was taken is not known: asked for again it takes the place of itself.`)}
      <p><button @click=${plan.closed}>Close the form</button></p></section>`;
  }

  #form(plan: Plan<Reply>, procedure: ProcedureView, mission: MissionView): unknown {
    const fields = this.#fields(plan, procedure, mission);
    if (this.#reviewed !== undefined) return this.#review(plan, this.#reviewed);
    return html`${(procedure.hazardous ?? []).map(({ path, telecommand }) => html`<p class="bad">▲ Step ${path} sends ${telecommand}, which is hazardous.</p>`)}
      <form @submit=${(event: Event) => void this.#check(event, plan, procedure, fields)}>
      ${fields.map((field) => fieldView(this.#kind, { ...field, name: field.name.trim() }, this.#textOf(field, plan, procedure), (text) => this.#type(field.name, text), this.#isAsked))}
      <div class="choices"><button class="primary" type="submit" ?disabled=${this.#isBusy}>Review…</button></div></form>`;
  }

  #review(plan: Plan<Reply>, { body, line, replaced }: Reviewed): unknown {
    return html`<p class="line mono" id="${this.#kind}-review" tabindex="-1">${line}</p>
      ${replaced === undefined ? nothing : html`<p class="warn" role="alert">△ ${replaced}</p>`}
      <div class="choices"><button ?disabled=${this.#isBusy} @click=${() => this.#back()}>Back to the form</button>
      <button class="primary" ?disabled=${this.#isBusy} @click=${() => void this.#ask(plan, body)}>${this.#isBusy ? 'Under way…' : plan.button}</button></div>`;
  }

  #fields({ fields, target }: Plan<Reply>, procedure: ProcedureView, mission: MissionView): FieldView[] {
    const roles = roleFields(procedure, mission);
    withTarget(this.#typed, roles, target);
    const last = mission.targets.find((each) => each.target === target)?.environments.at(-1);
    const fallback = `the last one of ${target}${last === undefined ? '' : `: ${last}`}`;
    const choices = environmentsOf(procedure, mission);
    return [
      { name: IDENTIFIER, type: '', description: 'Letters, digits, - and _', required: true },
      ...fields,
      {
        name: OFFSET,
        type: '',
        description: 'As 30 s or 2 min; a plain number is in seconds, empty is AOS',
        required: false,
      },
      { name: ENVIRONMENT, type: '', choices, required: false, fallback },
      ...roles,
      ...inputFields(procedure),
    ];
  }

  /** The identifier is proposed until somebody types one. */
  #textOf({ name }: FieldView, plan: Plan<Reply>, procedure: ProcedureView): string {
    return this.#typed[name] ?? (name === IDENTIFIER ? plan.proposedId(procedure) : '');
  }

  #begin({ key, typed }: Plan<Reply>): void {
    this.#key = key;
    this.#typed = { ...typed };
    this.#isAsked = false;
    this.#reviewed = undefined;
    this.#refusal = undefined;
    focusSoon(`${this.#kind}-procedure`);
  }

  /** P1 */
  #back(): void {
    this.#reviewed = undefined;
    this.#refusal = undefined;
    this.#space.soon();
  }

  #type(name: string, text: string): void {
    this.#typed[name] = text;
    this.#space.soon();
  }

  async #check(
    event: Event,
    plan: Plan<Reply>,
    procedure: ProcedureView,
    fields: readonly FieldView[],
  ): Promise<void> {
    event.preventDefault();
    this.#isAsked = true;
    this.#refusal = undefined;
    this.#space.soon();
    const typed = Object.fromEntries(
      fields.map((field) => [field.name, this.#textOf(field, plan, procedure)]),
    );
    if (this.#isBusy || fields.some((field) => fieldFault(field, typed[field.name]!) !== undefined)) return;
    const environment = typed[ENVIRONMENT]!;
    const run: PlannedRun = {
      ...runOf(procedure, typed),
      id: typed[IDENTIFIER]!.trim(),
      start: startOf(typed[OFFSET]!),
      ...(environment !== '' && { environment }),
    };
    this.#isBusy = true;
    const { key } = plan;
    const replaced = await plan.replaced(run.id);
    this.#isBusy = false;
    if (key !== this.#key) return;
    this.#reviewed = {
      body: plan.bodyOf(run, typed),
      line: plan.line(run, typed),
      ...(replaced !== undefined && { replaced }),
    };
    focusSoon(`${this.#kind}-review`);
    this.#space.soon();
  }

  async #ask(plan: Plan<Reply>, body: object): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#space.soon();
    let reply: Reply | undefined;
    const refusal = await refusalOf(async () => {
      reply = await order<Reply>(plan.path, body, this.#space.operator);
    });
    this.#isBusy = false;
    this.#space.soon();
    // Another form stands here by now.
    if (plan.key !== this.#key) return;
    this.#refusal = refusal;
    if (reply === undefined) return;
    this.#key = '';
    plan.done(reply);
  }
}
