/**
 * Content from the disk of whoever looks into a file on board: stored first, then written by a run of a procedure that
 * uploads it, which is reviewed before it starts.
 *
 * U1. What is started is what was reviewed, with the content that was stored: its hash stands in the line.
 */

import { html, nothing } from 'lit-html';
import { ulid } from 'ulid';
import type { MissionView } from '../../../contract/mission-view.ts';
import type { ProcedureView } from '../../../contract/procedure.ts';
import type { LaunchReply, RunRequest } from '../../../contract/run.ts';
import type { UploadReply } from '../../../contract/upload.ts';
import { order, store } from '../../service.ts';
import type { ServiceError } from '../../service-error.ts';
import { fragmentOf, onPage } from '../address.ts';
import { type FieldView, fieldFault } from '../parts/arguments.ts';
import { typedIn } from '../parts/dom-value.ts';
import { fieldView } from '../parts/field.ts';
import { focusSoon } from '../parts/focus.ts';
import {
  ENVIRONMENT,
  environmentsOf,
  inputFields,
  procedureName,
  roleFields,
  runOf,
  withTarget,
} from '../parts/procedure-fields.ts';
import { refusalOf, refusalView } from '../parts/refusal.ts';
import { LAUNCH_UNKNOWN, requestLine } from '../runs/start-form.ts';
import type { Workspace } from '../workspace.ts';
import { sizeText } from './file-rows.ts';

interface Reviewed {
  readonly request: RunRequest;
  readonly name: string;
  readonly size: number;
}

export class UploadForm {
  readonly #space: Workspace;
  #of = '';
  #procedure = '';
  #typed: Record<string, string> = {};
  #file: File | undefined;
  #isAsked = false;
  #underWay = '';
  #reviewed: Reviewed | undefined;
  /** Of the run that is reviewed, from its first start on: each repetition has the same one. */
  #id: string | undefined;
  #refusal: ServiceError | undefined;
  #started = '';

  constructor(space: Workspace) {
    this.#space = space;
  }

  /** `id`: the file that is selected; empty for none. */
  view(id: string, mission: MissionView): unknown {
    const { target, missionTarget, address } = this.#space;
    if (this.#of !== `${target}/${id}`) this.#begin(`${target}/${id}`);
    const fitting = mission.procedures.filter(
      ({ uploads, roles }) =>
        uploads.length > 0 && Object.values(roles).includes(missionTarget?.platform ?? ''),
    );
    const procedure = fitting.find((each) => procedureName(each) === this.#procedure) ?? fitting[0];
    const closed = fragmentOf({ ...address, query: { ...address.query, form: '' } });
    return html`<section class="panel" aria-labelledby="upload-title"><h2 id="upload-title" class="name">Write a file of ${target}</h2>
      ${
        procedure === undefined
          ? html`<p class="empty">No procedure of the mission uploads files to ${target}: content reaches a spacecraft by a run alone.</p>`
          : html`${this.#choice(fitting, procedure)} ${this.#reviewed === undefined ? this.#form(id, procedure, mission) : this.#review(this.#reviewed)}`
      }
      ${refusalView(this.#refusal, LAUNCH_UNKNOWN)}
      ${this.#started === '' ? nothing : html`<p role="status" class="ok">✓ Started: <a href=${fragmentOf(onPage(address, 'runs', this.#started, { target }))}>run ${this.#started}</a>. Its upload is among the transfers.</p>`}
      <p><a href=${closed}>Close the form</a></p></section>`;
  }

  #choice(fitting: readonly ProcedureView[], procedure: ProcedureView): unknown {
    return html`<div class="field"><label for="upload-procedure">procedure</label>
      <select id="upload-procedure" ?disabled=${this.#reviewed !== undefined} @change=${(event: Event) => this.#choose(typedIn(event))}>
      ${fitting.map((each) => html`<option value=${procedureName(each)} ?selected=${each === procedure}>${each.procedure} (${each.library})</option>`)}</select>
      <p class="muted">${procedure.description ?? ''}</p></div>`;
  }

  #form(id: string, procedure: ProcedureView, mission: MissionView): unknown {
    const fields = this.#fields(id, procedure, mission);
    const isMissing = this.#isAsked && this.#file === undefined;
    return html`<form @submit=${(event: Event) => void this.#check(event, procedure, fields)}>
      <div class="field"><label for="upload-content">content <span class="muted">required</span></label>
        <input id="upload-content" type="file" aria-describedby="upload-content-words" aria-invalid=${isMissing ? 'true' : 'false'} @change=${(event: Event) => this.#take(event)} />
        <p id="upload-content-words" class=${isMissing ? 'bad' : 'muted'}>${this.#file === undefined ? (isMissing ? 'choose a file of this computer' : 'a file of this computer') : `${this.#file.name}, ${sizeText(this.#file.size)}`}</p></div>
      ${fields.map((field) => fieldView('upload', { ...field, name: field.name.trim() }, this.#typed[field.name] ?? '', (text) => this.#type(field.name, text), this.#isAsked))}
      <div class="choices"><button class="primary" type="submit" ?disabled=${this.#underWay !== ''}>${this.#underWay || 'Store it and review…'}</button>
      <span class="muted">stored on the ground; nothing is sent yet</span></div></form>`;
  }

  #review({ request, name, size }: Reviewed): unknown {
    return html`<p>${name}, ${sizeText(size)}, is stored.</p><p class="line mono" id="upload-review" tabindex="-1">${requestLine(request, this.#space.mission.answer)}</p>
      <div class="choices"><button ?disabled=${this.#underWay !== ''} @click=${() => this.#back()}>Back to the form</button>
      <button class="primary" ?disabled=${this.#underWay !== ''} @click=${() => void this.#start(request)}>${this.#underWay || 'Start the run that writes it'}</button></div>`;
  }

  /** Without the input that takes the content. */
  #fields(id: string, procedure: ProcedureView, mission: MissionView): FieldView[] {
    const [{ file, content }] = procedure.uploads as [ProcedureView['uploads'][number]];
    if (id !== '' && this.#typed[file] === undefined) this.#typed[file] = id;
    const roles = roleFields(procedure, mission);
    withTarget(this.#typed, roles, this.#space.target);
    const inputs = inputFields(procedure).filter(({ name }) => name !== content);
    const choices = environmentsOf(procedure, mission);
    return [...inputs, { name: ENVIRONMENT, type: '', choices, required: true }, ...roles];
  }

  #begin(of: string): void {
    this.#of = of;
    this.#typed = {};
    this.#isAsked = false;
    this.#reviewed = undefined;
    this.#refusal = undefined;
    this.#started = '';
  }

  #choose(procedure: string): void {
    this.#procedure = procedure;
    this.#space.soon();
  }

  #take(event: Event): void {
    this.#file = (event.target as HTMLInputElement).files?.[0];
    this.#space.soon();
  }

  #type(name: string, text: string): void {
    this.#typed[name] = text;
    this.#space.soon();
  }

  #back(): void {
    this.#reviewed = undefined;
    this.#refusal = undefined;
    this.#space.soon();
  }

  async #check(event: Event, procedure: ProcedureView, fields: readonly FieldView[]): Promise<void> {
    event.preventDefault();
    this.#isAsked = true;
    this.#refusal = undefined;
    this.#started = '';
    this.#space.soon();
    const [file, of] = [this.#file, this.#of];
    const isFaulty = fields.some((field) => fieldFault(field, this.#typed[field.name] ?? '') !== undefined);
    if (file === undefined || isFaulty || this.#underWay !== '') return;
    await this.#while(`Storing ${sizeText(file.size)}…`, async () => {
      const { hash, size } = await store<UploadReply>('/v1/uploads', file, this.#space.operator);
      if (of !== this.#of) return;
      const typed = { ...this.#typed, [procedure.uploads[0]!.content]: hash };
      const request = { ...runOf(procedure, typed), environment: this.#typed[ENVIRONMENT] ?? '' };
      this.#reviewed = { request, name: file.name, size };
      this.#id = undefined;
      focusSoon('upload-review');
    });
  }

  async #start(request: RunRequest): Promise<void> {
    if (this.#underWay !== '') return;
    this.#id ??= ulid(this.#space.clock.now());
    const asked: RunRequest = { ...request, id: this.#id };
    await this.#while('Starting…', async () => {
      const { run } = await order<LaunchReply>('/v1/runs', asked, this.#space.operator);
      this.#reviewed = undefined;
      this.#isAsked = false;
      this.#started = run;
      this.#space.runs.soon();
    });
  }

  async #while(words: string, work: () => Promise<void>): Promise<void> {
    this.#underWay = words;
    this.#space.soon();
    this.#refusal = await refusalOf(work);
    this.#underWay = '';
    this.#space.soon();
  }
}
