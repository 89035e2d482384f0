/** The form of one telecommand, its dry run and its sending. Nothing leaves but what stands in the review (telecommands/draft.D1). */

import { html, nothing } from 'lit-html';
import { ulid } from 'ulid';
import type { Encoded, TcReply } from '../../../contract/telecommand.ts';
import { order } from '../../service.ts';
import { ServiceError } from '../../service-error.ts';
import type { CatalogueTelecommand } from '../data/catalogue.ts';
import { type FieldView, fieldFault, isSame } from '../parts/arguments.ts';
import { fieldView } from '../parts/field.ts';
import { focusSoon } from '../parts/focus.ts';
import { refusalOf, refusalView } from '../parts/refusal.ts';
import type { Workspace } from '../workspace.ts';
import type { Chains } from './chains.ts';
import { conditionsView } from './conditions-view.ts';
import { type Asked, createDraft } from './draft.ts';
import { reviewView } from './review.ts';
import { askedOf, queryNameOf, telecommandFields, typedIn } from './telecommand-fields.ts';

export class TelecommandForm {
  readonly #space: Workspace;
  readonly #chains: Chains;
  readonly #draft = createDraft();
  #isAsked = false;

  constructor(space: Workspace, chains: Chains) {
    this.#space = space;
    this.#chains = chains;
    this.#draft.subscribe(() => space.soon());
  }

  view(command: CatalogueTelecommand): unknown {
    const { target } = this.#space;
    const of = `${target} ${command.name}`;
    const { of: standing, typed } = this.#draft.getSnapshot().context;
    // Another address is another form, also of the same telecommand; what is typed here goes into the address.
    if (standing !== of || !isSame(typed, typedIn(this.#space.address.query))) this.#begin(of);
    const state = this.#draft.getSnapshot().context;
    const fields = telecommandFields(command, this.#space.missionTarget);
    const isOpen = state.stage === 'form' || state.stage === 'checking';
    return html`<form class="panel" aria-labelledby="form-title" @submit=${(event: Event) => this.#check(event, command, fields)}>
      <h2 id="form-title" class="name mono">${command.name}</h2><p>${command.telecommand.description ?? ''}</p>
      <fieldset ?disabled=${!isOpen}>
        ${fields.map((field) => fieldView('tc', { ...field, name: field.name.trim() }, state.typed[field.name] ?? '', (text) => this.#type(field.name, text), this.#isAsked))}
        ${isOpen ? html`<div class="choices"><button class="primary" type="submit" ?disabled=${state.stage === 'checking'}>${state.stage === 'checking' ? 'Encoding…' : 'Review…'}</button></div>` : nothing}
      </fieldset>
      ${isOpen ? refusalView(state.refusal) : nothing}
      ${conditionsView(command, state.typed, this.#space)}
    </form>
    ${reviewView(state, command, {
      named: (text) => this.#draft.trigger.named({ text }),
      back: () => this.#draft.trigger.back(),
      send: () => void this.#send(),
    })}
    ${
      state.stage === 'sent'
        ? html`<p class="panel ok" role="status">✓ The service has it${state.duplicate ? ' (it had it already)' : ''}. What becomes of it stands under Acknowledgements.
      <button @click=${() => this.#draft.trigger.back()}>Same form again</button></p>`
        : nothing
    }`;
  }

  #begin(of: string): void {
    this.#isAsked = false;
    // What an address has typed in: a form that somebody else has prepared. It is only filled in.
    this.#draft.trigger.begun({ of, typed: typedIn(this.#space.address.query) });
  }

  #type(name: string, text: string): void {
    this.#draft.trigger.typed({ name, text });
    this.#space.select({ [queryNameOf(name)]: text });
  }

  #check(event: Event, command: CatalogueTelecommand, fields: readonly FieldView[]): void {
    event.preventDefault();
    const { typed, stage } = this.#draft.getSnapshot().context;
    if (stage !== 'form') return;
    this.#isAsked = true;
    this.#space.soon();
    if (fields.some((field) => fieldFault(field, typed[field.name] ?? '') !== undefined)) return;
    void this.#encode({ target: this.#space.target, telecommand: command.name, ...askedOf(fields, typed) });
  }

  async #encode(asked: Asked): Promise<void> {
    const id = ulid(this.#space.clock.now());
    this.#draft.trigger.checking({ asked, id });
    let encoded: Encoded | undefined;
    const refusal = await refusalOf(async () => {
      encoded = await order<Encoded>('/v1/encode', asked, this.#space.operator);
    });
    this.#draft.trigger.checked({ id, encoded, refusal });
    // The review is read first; the button that sends is further on.
    focusSoon('review-title');
  }

  async #send(): Promise<void> {
    this.#draft.trigger.sending();
    const { asked, id, stage } = this.#draft.getSnapshot().context;
    if (stage !== 'sending' || asked === undefined) return;
    this.#chains.follow(asked.target, id);
    try {
      const { duplicate } = await order<TcReply>('/v1/tc', { ...asked, id }, this.#space.operator);
      this.#draft.trigger.sent({ id, duplicate });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      // Where it may have been taken all the same its chain is followed on.
      if (!error.isUnknown) this.#chains.drop(id);
      this.#draft.trigger.refused({ id, refusal: error });
    }
  }
}
