/** What a button needs that the caller does not have, on the button. */

import { html, nothing } from 'lit-html';

/** `words` as in permission.P1; nothing where nothing is missing. */
export function needsView(words: string): unknown {
  return words === '' ? nothing : html` <span class="needs">(${words})</span>`;
}
