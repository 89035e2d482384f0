/** How old a value is, where it stands apart from the table that says so of each. */

import { html, nothing } from 'lit-html';
import { dateTime, duration } from '../../moment.ts';

/** As the page of values has it where nobody has chosen otherwise. */
export const STALE_USUAL_MS = 60_000;

/** Nothing for a value of the last minute; else that it is stale, and since when. Both in ms since 1970. */
export function ageView(groundAt: number, at: number): unknown {
  const age = at - groundAt;
  if (age <= STALE_USUAL_MS) return nothing;
  return html`<span class="badge" title=${dateTime(groundAt)}>stale</span> <span class="muted">${duration(age)} ago</span>`;
}
