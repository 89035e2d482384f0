/** Asks before a quarantine is ended, says what will happen, and in whose name; reports what the service refused. */

import type { ReleaseRequest } from '../../contract/inspector.ts';
import { byId, setText } from '../element.ts';
import { keepGivenName, keptName, keptRoles } from '../operator-name.ts';
import { order } from '../service.ts';
import { ServiceError } from '../service-error.ts';
import { keptToken } from '../token.ts';

export interface Release extends ReleaseRequest {
  /** What it is, for the person. */
  readonly where: string;
}

const EFFECT = {
  resume:
    'It is started again and continues from its record. If what broke it is still there, it will be quarantined again.',
  reset:
    'It is given up: a telecommand or run gets a final state with the reason, anything else is forgotten and keeps its record.',
} as const;

export class ReleaseDialog {
  readonly #dialog = byId('release', HTMLDialogElement);
  readonly #by = byId('release-by', HTMLInputElement);
  readonly #confirm = byId('release-confirm', HTMLButtonElement);
  readonly #refusal = byId('release-refusal', HTMLElement);
  readonly #done: (release: Release) => void;
  #release: Release | undefined;

  /** `done` is called after the service did it. */
  constructor(done: (release: Release) => void) {
    this.#done = done;
    byId('release-cancel', HTMLButtonElement).addEventListener('click', () => this.#dialog.close());
    this.#dialog.querySelector('form')!.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#send();
    });
  }

  ask(release: Release): void {
    this.#release = release;
    const verb = release.action === 'resume' ? 'Resume' : 'Reset';
    setText(byId('release-title', HTMLElement), `${verb} ${release.child}?`);
    setText(byId('release-what', HTMLElement), release.where);
    setText(byId('release-effect', HTMLElement), EFFECT[release.action]);
    setText(this.#confirm, verb);
    this.#confirm.className = release.action === 'resume' ? 'primary' : 'danger';
    this.#confirm.disabled = false;
    this.#refusal.hidden = true;
    this.#by.value = keptName();
    // A token says itself who acts.
    this.#by.readOnly = keptToken() !== undefined;
    this.#dialog.showModal();
    if (this.#by.value === '') this.#by.focus();
    else byId('release-cancel', HTMLButtonElement).focus();
  }

  async #send(): Promise<void> {
    const name = this.#by.value.trim();
    if (this.#release === undefined || name === '') return this.#by.focus();
    const { instance, supervisor, child, action } = this.#release;
    this.#confirm.disabled = true;
    try {
      await order('/v1/inspect/release', { instance, supervisor, child, action }, name);
      if (keptToken() === undefined) keepGivenName(name, keptRoles());
      this.#dialog.close();
      this.#done(this.#release);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      setText(this.#refusal, `Refused: ${error.message}`);
      this.#refusal.hidden = false;
    } finally {
      this.#confirm.disabled = false;
    }
  }
}
