/** Who acts: a name that is declared, or an access token that proves one. */

import { byId } from '../../element.ts';
import { signOut } from '../../oidc-tokens.ts';
import { keepGivenName, keptName, keptRoles } from '../../operator-name.ts';
import { keptToken, tokenAsked } from '../../token.ts';

export class IdentityDialog {
  readonly #dialog = byId('identity-dialog', HTMLDialogElement);
  readonly #name = byId('identity-name', HTMLInputElement);
  readonly #roles = byId('identity-roles', HTMLInputElement);
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
    byId('identity-cancel', HTMLButtonElement).addEventListener('click', () => this.#dialog.close());
    byId('identity-token', HTMLButtonElement).addEventListener('click', () => {
      this.#dialog.close();
      tokenAsked('Sign in, or paste the access token that you were given.', true);
    });
    byId('identity-sign-out', HTMLButtonElement).addEventListener('click', () => this.#take(signOut));
    this.#dialog.querySelector('form')!.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#take(() => keepGivenName(this.#name.value.trim(), this.#roles.value.trim()));
    });
  }

  open(): void {
    const isSignedIn = keptToken() !== undefined;
    this.#name.value = keptName();
    this.#name.disabled = isSignedIn;
    this.#roles.value = keptRoles();
    this.#roles.disabled = isSignedIn;
    byId('identity-sign-out', HTMLButtonElement).hidden = !isSignedIn;
    this.#dialog.showModal();
    if (!isSignedIn) this.#name.focus();
  }

  #take(change: () => void): void {
    change();
    this.#dialog.close();
    this.#changed();
  }
}
