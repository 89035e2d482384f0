/** The links of the target: who serves each, what it knows, and what comes down. */

import { html, nothing } from 'lit-html';
import type { LinkEnd } from '../../../contract/links-view.ts';
import { duration } from '../../moment.ts';
import { refusalView } from '../parts/refusal.ts';
import type { Workspace } from '../workspace.ts';
import { ArrivalRates } from './arrival-rates.ts';
import type { FleetPart } from './fleet-part.ts';

export class LinksView implements FleetPart {
  readonly #space: Workspace;
  readonly #rates = new ArrivalRates();

  constructor(space: Workspace) {
    this.#space = space;
  }

  shown(): void {
    this.#rates.forget();
  }

  left(): void {
    this.#rates.forget();
  }

  view(): unknown {
    const { links, target, values, clock } = this.#space;
    const answer = links?.answer;
    this.#rates.look(values, clock.now());
    return html`<p class="muted">Links of ${target}${answer === undefined ? '' : `, mode ${answer.mode ?? 'none declared'}`}. Each driver and gateway is asked every 3 s.</p>
      ${refusalView(links?.refusal)}
      <div class="scroll" tabindex="0" role="region" aria-label="Table of links">
      <table><thead><tr><th scope="col">link</th><th scope="col">driver</th><th scope="col">gateways</th><th scope="col">last telemetry</th><th scope="col">samples</th></tr></thead>
      <tbody>${(answer?.links ?? []).map((link) => {
        const at = values?.linkAt.get(link.link);
        const rate = this.#rates.of(link.link);
        return html`<tr><th scope="row">${link.link}${link.default ? html` <span class="badge">default</span>` : nothing}</th>
          <td>${link.driver === null ? html`<span class="bad">✗ none</span>` : endView(link.driver)}</td>
          <td>${link.gateways.length === 0 ? html`<span class="muted">○ none now</span>` : link.gateways.map(endView)} ${link.reason ?? ''}</td>
          <td class="num">${at === undefined ? html`<span class="muted">none yet</span>` : `${duration(Math.max(0, clock.now() - at))} ago`}</td>
          <td class="num">${rate === undefined ? html`<span class="muted">counting…</span>` : `${rate.toFixed(1)} per s`}</td></tr>`;
      })}</tbody></table></div>
      ${answer === undefined && links?.refusal === undefined ? html`<p class="empty">Asking…</p>` : nothing}`;
  }
}

function endView({ name, state, reason, bound, mode, environments, pass }: LinkEnd): unknown {
  const isUp = state === 'up' || state === 'running';
  const settings = bound === undefined || bound === 'current' ? '' : `bindings ${bound}`;
  return html`<div><strong>${name}</strong> <span class=${isUp ? 'ok' : 'bad'}>${isUp ? '●' : '✗'} ${state}</span>
    <span class="muted">${[environments?.join(', '), mode === undefined || mode === null ? '' : `mode ${mode}`, pass === undefined ? '' : `for pass ${pass}`].filter(Boolean).join('; ')}</span>
    ${settings === '' ? nothing : html`<span class="warn">△ ${settings}</span>`} ${reason ?? ''}</div>`;
}
