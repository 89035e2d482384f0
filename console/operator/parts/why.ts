/** One click from a thing to its live chart: which state it is in, how it came there, and what it waits for. */

import { html } from 'lit-html';
import { chartOf } from '../address.ts';

/** `words` name it for who cannot see what it stands beside. */
export function whyLink(kind: string, id: string, target: string, words: string): unknown {
  return html`<a class="why" href=${chartOf(kind, id, target)} title="Live chart of ${words}" aria-label="Why: live chart of ${words}">Why?</a>`;
}
