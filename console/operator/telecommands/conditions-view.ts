/** What must be so before a telecommand is sent, with the values found now, and how it is verified afterwards. */

import { html, nothing } from 'lit-html';
import { duration } from '../../moment.ts';
import type { CatalogueTelecommand } from '../data/catalogue.ts';
import { valueText, withUnit } from '../parts/limits.ts';
import type { Workspace } from '../workspace.ts';
import { type Found, foundOf, measuresIn, msOf } from './conditions.ts';
import { INSTANCE } from './telecommand-fields.ts';

export function conditionsView(
  { component, telecommand }: CatalogueTelecommand,
  typed: Readonly<Record<string, string>>,
  space: Workspace,
): unknown {
  const { requires = [], verify } = telecommand;
  if (requires.length === 0 && verify === undefined) return nothing;
  const catalogue = space.catalogues.of(space.target);
  const found = (condition: string, maxAge?: string): unknown => {
    const names = measuresIn(
      condition,
      component.name,
      typed[INSTANCE]?.trim() || undefined,
      (name) => catalogue?.byName.has(name) === true,
    );
    const at = space.clock.now();
    const age = maxAge === undefined ? undefined : msOf(maxAge);
    return foundOf(names, space.values?.byName ?? new Map(), age, at).map((each) =>
      foundView(each, catalogue?.byName.get(each.name)?.unit, at),
    );
  };
  return html`<div class="conditions">
    ${requires.length === 0 ? nothing : html`<h3>Needed before it is sent</h3><ul class="plain">${requires.map(({ that, max_age }) => html`<li><code>${that}</code> <span class="muted">not older than ${max_age}</span> ${found(that, max_age)}</li>`)}</ul>`}
    ${
      verify === undefined
        ? nothing
        : html`<h3>Verified within ${verify.within} by</h3><ul class="plain">
      ${verify.reports === undefined ? nothing : html`<li>the ${verify.reports} report of the spacecraft</li>`}
      ${verify.expect === undefined ? nothing : html`<li><code>${verify.expect}</code> ${found(verify.expect)}</li>`}
      ${verify.fail === undefined ? nothing : html`<li>failed by <code>${verify.fail}</code> ${found(verify.fail)}</li>`}</ul>`
    }</div>`;
}

function foundView({ name, live, isOld }: Found, unit: string | undefined, at: number): unknown {
  if (live === undefined) return html`<span class="warn">${name} was never received</span> `;
  const age = duration(Math.max(0, at - Date.parse(live.sample.time)));
  return html`<span class=${isOld ? 'warn' : ''}>${name} is <strong>${withUnit(valueText(live.sample.value), unit)}</strong>, ${age} old${isOld ? ': too old' : ''}</span> `;
}
