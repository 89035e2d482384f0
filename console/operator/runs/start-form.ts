/**
 * A run from its procedure: targets for its roles, inputs, environment; a line to review; and the start.
 *
 * F1. Another procedure, another target of the page and another address are another form: what was typed or reviewed in
 *     the one before does not stand in it, and an answer to that one does not change it.
 */

import { html } from 'lit-html';
import { ulid } from 'ulid';
import type { MissionView } from '../../../contract/mission-view.ts';
import type { ProcedureView } from '../../../contract/procedure.ts';
import type { LaunchReply, RunRequest } from '../../../contract/run.ts';
import { duration } from '../../moment.ts';
import { order } from '../../service.ts';
import type { ServiceError } from '../../service-error.ts';
import { type FieldView, fieldFault, isSame } from '../parts/arguments.ts';
import { fieldView } from '../parts/field.ts';
import { focusSoon } from '../parts/focus.ts';
import { needsView } from '../parts/needs.ts';
import { needsForLaunch } from '../parts/permission.ts';
import {
  ENVIRONMENT,
  environmentsOf,
  inputFields,
  pairsOf,
  procedureNamed,
  roleFields,
  runOf,
  withTarget,
} from '../parts/procedure-fields.ts';
import { refusalOf, refusalView } from '../parts/refusal.ts';
import type { Workspace } from '../workspace.ts';

/** Behind a launch without an answer. */
export const LAUNCH_UNKNOWN =
  'Whether the service took it is not known. Starting it again repeats it under the same identifier: it is started once.';

/** Where the address has what is typed. */
const INPUT = 'in.';

export class StartForm {
  readonly #space: Workspace;
  readonly #started: (run: string) => void;
  #key = '';
  /** As the address has it. */
  #given: Readonly<Record<string, string>> = {};
  /** And the target of the page for the roles that nobody has chosen one for. */
  #typed: Record<string, string> = {};
  #isAsked = false;
  #reviewed: RunRequest | undefined;
  #isStarting = false;
  /** Of the run that is reviewed, from its first start on: each repetition has the same one. */
  #id: string | undefined;
  #refusal: ServiceError | undefined;

  constructor(space: Workspace, started: (run: string) => void) {
    this.#space = space;
    this.#started = started;
  }

  /** `of`: `library/procedure`. */
  view(of: string, mission: MissionView): unknown {
    const key = `${this.#space.target} ${of}`;
    if (key !== this.#key || !isSame(this.#given, this.#inAddress())) this.#begin(key);
    const procedure = procedureNamed(mission, of);
    if (procedure === undefined) return html`<p class="empty">The mission has no procedure ${of}.</p>`;
    const fields = this.#fields(procedure, mission);
    return html`<section class="panel" aria-labelledby="start-title"><h2 id="start-title" class="name">Start ${procedure.procedure}</h2>
      <p>${procedure.description ?? ''} <span class="muted">${procedure.library}${procedure.draft ? ', draft' : ''}${typeof procedure.max_duration_ms === 'number' ? `, at most ${duration(procedure.max_duration_ms)}` : ''}</span></p>
      ${(procedure.hazardous ?? []).map(({ path, telecommand }) => html`<p class="bad">▲ Step ${path} sends ${telecommand}, which is hazardous.</p>`)}
      ${this.#reviewed === undefined ? this.#form(procedure, fields) : this.#review(this.#reviewed)}
      ${refusalView(this.#refusal, LAUNCH_UNKNOWN)}</section>`;
  }

  #form(procedure: ProcedureView, fields: readonly FieldView[]): unknown {
    return html`<form @submit=${(event: Event) => this.#check(event, procedure, fields)}>
      ${fields.map((field) => fieldView('start', { ...field, name: field.name.trim() }, this.#typed[field.name] ?? '', (text) => this.#type(field.name, text), this.#isAsked))}
      <div class="choices"><button class="primary" type="submit">Review…</button></div></form>`;
  }

  #review(request: RunRequest): unknown {
    return html`<p class="line mono" id="start-review" tabindex="-1">${requestLine(request, this.#space.mission.answer)}</p>
      <div class="choices"><button ?disabled=${this.#isStarting} @click=${() => this.#back()}>Back to the form</button>
      <button class="primary" ?disabled=${this.#isStarting} @click=${() => void this.#start(request)}>${this.#isStarting ? 'Starting…' : html`Start the run${this.#needs(request)}`}</button></div>`;
  }

  #needs({ environment }: RunRequest): unknown {
    return needsView(needsForLaunch(this.#space.caller.answer, this.#space.environment(environment)));
  }

  #begin(key: string): void {
    this.#key = key;
    this.#given = this.#inAddress();
    this.#typed = { ...this.#given };
    this.#isAsked = false;
    this.#reviewed = undefined;
    this.#id = undefined;
    this.#refusal = undefined;
  }

  #back(): void {
    this.#reviewed = undefined;
    this.#refusal = undefined;
    this.#space.soon();
  }

  #inAddress(): Record<string, string> {
    const typed = Object.entries(this.#space.address.query).filter(([name]) => name.startsWith(INPUT));
    return Object.fromEntries(typed.map(([name, text]) => [name.slice(INPUT.length), text]));
  }

  #type(name: string, text: string): void {
    this.#given = { ...this.#given, [name]: text };
    this.#typed[name] = text;
    this.#space.select({ [`${INPUT}${name}`]: text });
  }

  #fields(procedure: ProcedureView, mission: MissionView): FieldView[] {
    const choices = environmentsOf(procedure, mission);
    const roles = roleFields(procedure, mission);
    withTarget(this.#typed, roles, this.#space.target);
    return [{ name: ENVIRONMENT, type: '', choices, required: true }, ...roles, ...inputFields(procedure)];
  }

  #check(event: Event, procedure: ProcedureView, fields: readonly FieldView[]): void {
    event.preventDefault();
    this.#isAsked = true;
    this.#refusal = undefined;
    const typed = (name: string): string => this.#typed[name] ?? '';
    this.#id = undefined;
    if (!fields.some((field) => fieldFault(field, typed(field.name)) !== undefined))
      this.#reviewed = { ...runOf(procedure, this.#typed), environment: typed(ENVIRONMENT) };
    this.#space.soon();
    focusSoon('start-review');
  }

  async #start(request: RunRequest): Promise<void> {
    if (this.#isStarting) return;
    this.#isStarting = true;
    this.#space.soon();
    const key = this.#key;
    this.#id ??= ulid(this.#space.clock.now());
    const asked: RunRequest = { ...request, id: this.#id };
    let reply: LaunchReply | undefined;
    let refusal: ServiceError | undefined;
    try {
      refusal = await refusalOf(async () => {
        reply = await order<LaunchReply>('/v1/runs', asked, this.#space.operator);
      });
    } finally {
      this.#isStarting = false;
      this.#space.soon();
    }
    // F1
    if (key !== this.#key) return;
    this.#refusal = refusal;
    if (reply === undefined) return;
    this.#begin('');
    this.#started(reply.run);
    focusSoon('run-title');
  }
}

/** `take_image of ops@1.0.0 in bench, sat=sat1, exposure=20 ms` */
export function requestLine(request: RunRequest, mission: MissionView | undefined): string {
  const { run, library, environment } = request;
  return `${run}${library === undefined ? '' : ` of ${library}`} in ${environment}, ${pairsOf(request, mission)}`;
}
