/** Simulated spacecraft: which faults each has, to switch. Gateways that are not simulated are not here. */

import { html, nothing } from 'lit-html';
import type { SimulatedFault, SimulatedFaults } from '../../../contract/simulation.ts';
import { order } from '../../service.ts';
import { Polled } from '../data/polled.ts';
import { Deeds } from '../parts/deeds.ts';
import { typedIn } from '../parts/dom-value.ts';
import { refusalView } from '../parts/refusal.ts';
import type { Workspace } from '../workspace.ts';
import type { FleetPart } from './fleet-part.ts';

const EVERY_MS = 2_000;
const UNKNOWN =
  'Whether it was switched is not known; the list shows it in a moment, and it may be switched again.';

export class SimulationView implements FleetPart {
  readonly #space: Workspace;
  readonly #deeds: Deeds;
  #gateway = '';
  #faults: Polled<SimulatedFaults> | undefined;

  constructor(space: Workspace) {
    this.#space = space;
    this.#deeds = new Deeds(() => {
      this.#faults?.soon();
      space.soon();
    });
  }

  shown(): void {
    this.#gateway = '';
  }

  left(): void {
    this.#faults?.close();
    this.#faults = undefined;
  }

  view(): unknown {
    const simulated = (this.#space.mission.answer?.gateways ?? []).filter(({ kind }) => kind === 'simulated');
    const names = simulated.map(({ gateway }) => gateway);
    const chosen = this.#space.address.query['gateway'] ?? '';
    this.#follow(names.includes(chosen) ? chosen : (names[0] ?? ''));
    if (names.length === 0) return html`<p class="empty">This mission has no simulated spacecraft.</p>`;
    const { answer, refusal } = this.#faults ?? {};
    return html`<div class="tools" role="group" aria-label="Which spacecraft">
      <label>Simulated gateway <select @change=${(event: Event) => this.#space.select({ gateway: typedIn(event) })}>
        ${names.map((name) => html`<option value=${name} ?selected=${name === this.#gateway}>${name}</option>`)}</select></label>
      <span class="muted">A fault stays until it is switched off or the gateway starts again. Each switch is in the log of events.</span></div>
      ${refusalView(refusal)}
      ${answer === undefined && refusal === undefined ? html`<p class="empty">Asking ${this.#gateway}…</p>` : nothing}
      <div class="scroll narrow" tabindex="0" role="region" aria-label="Table of faults"><table>
        <thead><tr><th scope="col">fault</th><th scope="col">state</th><th scope="col">switch</th></tr></thead>
        <tbody>${(answer?.faults ?? []).map((fault) => this.#row(fault))}</tbody></table></div>`;
  }

  #row({ fault, on }: SimulatedFault): unknown {
    const name = `${this.#gateway} ${fault}`;
    return html`<tr class=${on ? 'warning' : ''}><th scope="row" class="mono">${fault}</th>
      <td>${on ? html`<span class="badge warn">△ on</span>` : html`<span class="muted">off</span>`}</td>
      <td><button ?disabled=${this.#deeds.isUnderWay(name)} aria-label="Switch ${on ? 'off' : 'on'} ${fault}" @click=${() => this.#switch(fault, !on)}>${on ? 'Switch off' : 'Switch on'}</button> ${this.#deeds.isUnderWay(name) ? html`<span role="status">switching…</span>` : nothing}
        ${refusalView(this.#deeds.refusalOf(name), UNKNOWN)}</td></tr>`;
  }

  #follow(gateway: string): void {
    if (gateway === this.#gateway && this.#faults !== undefined) return;
    this.#faults?.close();
    this.#gateway = gateway;
    if (gateway === '') return;
    const path = `/v1/sim/${encodeURIComponent(gateway)}/faults`;
    this.#faults = new Polled(path, EVERY_MS, this.#space.calmly);
  }

  #switch(fault: string, on: boolean): void {
    const path = `/v1/sim/${encodeURIComponent(this.#gateway)}/faults/${encodeURIComponent(fault)}`;
    void this.#deeds.give(`${this.#gateway} ${fault}`, () => order(path, { on }, this.#space.operator));
  }
}
