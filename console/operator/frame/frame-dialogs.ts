/** The dialogs of the frame, put into the document once; what is in them belongs to whoever opens them. */

import { html, render } from 'lit-html';
import { byId } from '../../element.ts';

export function placeDialogs(): void {
  render(DIALOGS, byId('frame-dialogs', HTMLElement));
}

const DIALOGS = html`
  <dialog id="palette" aria-label="Go to"></dialog>
  <dialog id="identity-dialog" aria-labelledby="identity-title">
    <form method="dialog">
      <h2 id="identity-title">Who acts</h2>
      <p>Your name goes into the log of all that you do.</p>
      <p><label>Name <input id="identity-name" autocomplete="username" spellcheck="false" maxlength="128"></label></p>
      <p><label>Roles <input id="identity-roles" autocomplete="off" spellcheck="false" maxlength="256" placeholder="supervisor, …"></label></p>
      <div class="choices">
        <button type="submit" class="primary">Use this name</button>
        <button type="button" id="identity-token">Sign in…</button>
        <button type="button" id="identity-sign-out">Sign out</button>
        <button type="button" id="identity-cancel">Cancel</button>
      </div>
    </form>
  </dialog>
  <dialog id="sign-in" aria-labelledby="sign-in-title">
    <form method="dialog">
      <h2 id="sign-in-title">Sign in</h2>
      <p id="sign-in-reason" role="alert"></p>
      <p><button type="button" id="sign-in-provider" class="primary" hidden></button></p>
      <p><label>Access token, kept in this tab only <input id="sign-in-token" type="password" autocomplete="off" spellcheck="false"></label></p>
      <p class="muted">Left empty, the page continues without one. What you have typed stays.</p>
      <div class="choices">
        <button type="submit">Use the token</button>
        <button type="button" id="sign-in-cancel">Cancel</button>
      </div>
    </form>
  </dialog>`;
