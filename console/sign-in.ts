/** Asks for an access token when the service wants one, and begins again with it. */

import { byId, setText } from './element.ts';
import { keepToken, whenTokenAsked } from './token.ts';

export class SignIn {
  readonly #dialog = byId('sign-in', HTMLDialogElement);
  readonly #token = byId('sign-in-token', HTMLInputElement);

  constructor() {
    whenTokenAsked((reason) => this.#ask(reason));
    byId('sign-in-cancel', HTMLButtonElement).addEventListener('click', () => this.#dialog.close());
    this.#dialog.querySelector('form')!.addEventListener('submit', (event) => {
      event.preventDefault();
      const token = this.#token.value.trim().replace(/^bearer +/i, '');
      keepToken(token === '' ? undefined : token);
      // What was read in another name, or none, is not shown in this one.
      location.reload();
    });
  }

  #ask(reason: string): void {
    setText(byId('sign-in-reason', HTMLElement), reason);
    if (this.#dialog.open) return;
    this.#token.value = '';
    this.#dialog.showModal();
    this.#token.focus();
  }
}
