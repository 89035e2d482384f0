/** Asks for an access token when the service wants one, and begins again with it. */

import { byId, setText } from './element.ts';
import { signOut } from './oidc-tokens.ts';
import { keepToken, whenTokenAsked } from './token.ts';

interface SignInOptions {
  /**
   * Called once another token is kept. By default the page is loaded again: what was read in another name, or without
   * one, is not shown in this one.
   */
  readonly kept?: () => void;
  /** Whoever cancels is asked again by what they do, and not by what the page reads for itself. */
  readonly isDeclinable?: boolean;
  /** While somebody is being signed in nobody is asked to. */
  readonly isBusy?: () => boolean;
  /** Called when the dialog opens. */
  readonly opened?: () => void;
}

export class SignIn {
  readonly #dialog = byId('sign-in', HTMLDialogElement);
  readonly #token = byId('sign-in-token', HTMLInputElement);
  readonly #options: SignInOptions;
  #isDeclined = false;

  constructor(options: SignInOptions = {}) {
    this.#options = options;
    whenTokenAsked((reason, byPerson) => this.#ask(reason, byPerson));
    const decline = (): void => {
      this.#isDeclined = options.isDeclinable === true;
    };
    this.#dialog.addEventListener('cancel', decline);
    byId('sign-in-cancel', HTMLButtonElement).addEventListener('click', () => {
      decline();
      this.#dialog.close();
    });
    this.#dialog.querySelector('form')!.addEventListener('submit', (event) => {
      event.preventDefault();
      const token = this.#token.value.trim().replace(/^bearer +/i, '');
      // What renews the token of whoever was signed in before goes with that one.
      signOut();
      if (token !== '') keepToken(token);
      this.#dialog.close();
      this.signedIn();
    });
  }

  /** Somebody is signed in now, in whatever way. */
  signedIn(): void {
    this.#isDeclined = false;
    this.#dialog.close();
    if (this.#options.kept === undefined) location.reload();
    else this.#options.kept();
  }

  #ask(reason: string, byPerson: boolean): void {
    setText(byId('sign-in-reason', HTMLElement), reason);
    if (this.#dialog.open || this.#options.isBusy?.() === true || (this.#isDeclined && !byPerson)) return;
    this.#token.value = '';
    this.#dialog.showModal();
    this.#options.opened?.();
    this.#token.focus();
  }
}
