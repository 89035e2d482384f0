/** What happened in the time of the plot, as a list: its marks in words. */

import { html, nothing } from 'lit-html';
import { dateTime } from '../../moment.ts';
import { valueText, withUnit } from '../parts/limits.ts';
import { refusalView } from '../parts/refusal.ts';
import type { Happenings } from './happenings.ts';

const SHOWN = 40;

/** `unitOf`: of a measure. */
export function happeningsView(
  { all, hasMore, refusal }: Happenings,
  from: number,
  to: number,
  unitOf: (name: string) => string | undefined,
): unknown {
  const seen = all.filter(({ at }) => at >= from && at <= to);
  const rest = seen.length > SHOWN ? `; the newest ${SHOWN} are listed` : '';
  return html`<details class="happened" open><summary>Alarms and telecommands in this time <span class="muted">${seen.length}${hasMore ? ' and more' : ''}${rest}</span></summary>
    ${refusalView(refusal)}
    ${
      seen.length === 0
        ? nothing
        : html`<ol class="plain">${seen.slice(0, SHOWN).map(
            ({
              at,
              kind,
              name,
              words,
              value,
              tone,
            }) => html`<li><span class="mono muted">${dateTime(at)}</span>
      <span class=${tone}>${kind === 'alarm' ? (tone === 'bad' ? '▲' : tone === 'warn' ? '△' : '✓') : '↑'}</span> <span class="mono">${name}</span> ${words}${value === undefined ? '' : `; at ${withUnit(valueText(value), unitOf(name))}`}</li>`,
          )}</ol>`
    }</details>`;
}
