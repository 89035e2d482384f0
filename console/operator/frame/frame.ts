/**
 * The frame of every page of the console, the inspector included: state of the target, navigation, palette, who acts.
 *
 * F1. It is drawn whenever the workspace is, and marks the whole document where the service does not answer.
 */

import { render } from 'lit-html';
import { byId } from '../../element.ts';
import { SignIn } from '../../sign-in.ts';
import { themeSwitch } from '../../theme-choice.ts';
import { hrefOf } from '../address.ts';
import type { Workspace } from '../workspace.ts';
import { placeDialogs } from './frame-dialogs.ts';
import { frameView } from './frame-view.ts';
import { IdentityDialog } from './identity-dialog.ts';
import { Palette } from './palette.ts';
import { paletteEntries } from './palette-sources.ts';
import { ProviderSignIn } from './provider-sign-in.ts';

export class Frame {
  readonly #space: Workspace;
  readonly #place = byId('frame', HTMLElement);
  readonly #palette: Palette;
  readonly #provider: ProviderSignIn;
  readonly #actions: Parameters<typeof frameView>[1];

  /** `changed`: somebody else acts from now on. */
  constructor(space: Workspace, changed: () => void) {
    this.#space = space;
    placeDialogs();
    this.#palette = new Palette(() => paletteEntries(space));
    const palette = this.#palette;
    const identity = new IdentityDialog(changed);
    const signIn = new SignIn({
      kept: changed,
      isDeclinable: true,
      isBusy: () => this.#provider.isFinishing,
      opened: () => {
        space.caller.soon();
        void this.#provider.offer();
      },
    });
    this.#provider = new ProviderSignIn({
      place: () => hrefOf(space.address),
      signedIn: () => signIn.signedIn(),
      renewed: () => space.caller.soon(),
    });
    this.#actions = {
      chooseTarget: () => palette.open('target '),
      openPalette: () => palette.open(''),
      changeIdentity: () => identity.open(),
    };
    this.draw();
    themeSwitch(byId('theme', HTMLButtonElement));
    this.#skipLink();
  }

  /** F1 */
  draw(): void {
    document.body.classList.toggle('lost', this.#space.isLost);
    render(frameView(this.#space, this.#actions), this.#place);
    this.#palette.refresh();
  }

  /** What the provider answered, where the page comes from there. */
  finishSignIn(): Promise<void> {
    return this.#provider.finish();
  }

  /** The fragment of the address is ours: a link to an element would be taken for a view. */
  #skipLink(): void {
    byId('skip', HTMLAnchorElement).addEventListener('click', (event) => {
      event.preventDefault();
      byId('main', HTMLElement).focus();
    });
  }
}
