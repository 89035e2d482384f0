/** The way to the identity provider and back, from the dialog that asks for a sign-in (oidc.S1). */

import { byId, setText } from '../../element.ts';
import { finishSignIn, leaveToSignIn, type Provider, signInProvider } from '../../oidc.ts';
import { keepRenewed } from '../../oidc-tokens.ts';
import { tokenAsked } from '../../token.ts';

interface ProviderSignInOptions {
  /** Where the page is: it is there again afterwards. */
  readonly place: () => string;
  readonly signedIn: () => void;
  /** Another token is kept, of the same person. */
  readonly renewed: () => void;
}

export class ProviderSignIn {
  readonly #button = byId('sign-in-provider', HTMLButtonElement);
  readonly #options: ProviderSignInOptions;
  #provider: Provider | undefined;
  /** While what the provider answered is exchanged for a token. */
  isFinishing = false;
  #endRenewal: () => void;

  constructor(options: ProviderSignInOptions) {
    this.#options = options;
    this.#endRenewal = keepRenewed(options.renewed);
    this.#button.addEventListener('click', () => void this.#leave());
  }

  /** What the provider answered, where the page comes from there. */
  async finish(): Promise<void> {
    this.isFinishing = true;
    const fault = await finishSignIn().finally(() => {
      this.isFinishing = false;
    });
    if (fault === undefined) return;
    if (fault !== '') return tokenAsked(`Nobody is signed in: ${fault}.`, true);
    this.#endRenewal();
    this.#endRenewal = keepRenewed(this.#options.renewed);
    this.#options.signedIn();
  }

  /** Looks where one can sign in. */
  async offer(): Promise<void> {
    this.#provider = await signInProvider().catch(() => undefined);
    this.#button.hidden = this.#provider === undefined;
    if (this.#provider !== undefined)
      setText(this.#button, `Sign in at ${new URL(this.#provider.issuer).host}`);
    if (!this.#button.hidden) this.#button.focus();
  }

  async #leave(): Promise<void> {
    if (this.#provider === undefined) return;
    this.#button.disabled = true;
    try {
      await leaveToSignIn(this.#provider, this.#options.place());
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      setText(byId('sign-in-reason', HTMLElement), `That did not work: ${why}.`);
      this.#button.disabled = false;
    }
  }
}
