/** The current values of the target, and the plot of those that are chosen, live and back in time. */

import { html } from 'lit-html';
import { STALE_USUAL_MS } from '../parts/age.ts';
import { isTicked, typedIn } from '../parts/dom-value.ts';
import { refusalView } from '../parts/refusal.ts';
import type { Page, Workspace } from '../workspace.ts';
import { PlotPanel } from './plot-panel.ts';
import { valueRows } from './value-rows.ts';
import { ValueTable } from './value-table.ts';

const STALE_CHOICES: Readonly<Record<string, number>> = {
  '10 s': 10_000,
  '1 min': STALE_USUAL_MS,
  '10 min': 600_000,
  '1 h': 3_600_000,
  '1 d': 86_400_000,
};
const STALE_USUAL = '1 min';
export const MOST_PLOTTED = 8;

export class ValuesPage implements Page {
  readonly title = 'Values';
  readonly #space: Workspace;
  readonly #table: ValueTable;
  readonly #plot: PlotPanel;

  constructor(space: Workspace) {
    this.#space = space;
    this.#plot = new PlotPanel(space);
    this.#table = new ValueTable(space, (name) => this.#toggle(name));
  }

  left(): void {
    this.#plot.stop();
  }

  view(): unknown {
    const { target, values, catalogues, clock, address } = this.#space;
    const catalogue = target === '' ? undefined : catalogues.of(target);
    const plotted = this.#plotted();
    const stale = address.query['stale'] ?? STALE_USUAL;
    const rows = valueRows(
      catalogue,
      values?.byName ?? new Map(),
      {
        find: address.query['find'] ?? '',
        abnormalFirst: address.query['first'] === 'abnormal',
        staleAfterMs: STALE_CHOICES[stale] ?? STALE_CHOICES[STALE_USUAL]!,
      },
      clock.now(),
    );
    return html`<h1>Values of ${target}</h1>
      ${refusalView(catalogues.refusalOf(target))}
      <div class="values-columns ${plotted.length > 0 ? 'with-plot' : ''}">
      <div>${this.#plot.view(plotted)}</div>
      <div>${this.#tools(stale, plotted)} ${this.#table.view(rows, new Set(plotted), plotted.length >= MOST_PLOTTED)}</div></div>`;
  }

  #tools(stale: string, plotted: readonly string[]): unknown {
    const { query } = this.#space.address;
    return html`<div class="tools" role="group" aria-label="What to show">
      <label>Find <input type="search" .value=${query['find'] ?? ''} placeholder="part of a name" @input=${(event: Event) => this.#space.select({ find: typedIn(event) })} /></label>
      <label><input type="checkbox" .checked=${query['first'] === 'abnormal'} @change=${(event: Event) => this.#space.select({ first: isTicked(event) ? 'abnormal' : '' })} /> abnormal and stale first</label>
      <label>Stale after <select @change=${(event: Event) => this.#space.select({ stale: typedIn(event) })}>
        ${Object.keys(STALE_CHOICES).map((each) => html`<option value=${each} ?selected=${each === stale}>${each}</option>`)}</select></label>
      <button ?disabled=${plotted.length === 0} @click=${() => this.#space.select({ plot: '' })}>Clear the plot</button>
    </div>`;
  }

  #plotted(): string[] {
    return (this.#space.address.query['plot'] ?? '').split(',').filter(Boolean).slice(0, MOST_PLOTTED);
  }

  #toggle(name: string): void {
    const plotted = this.#plotted();
    const others = plotted.filter((each) => each !== name);
    if (others.length === plotted.length) others.push(name);
    this.#space.select({ plot: others.slice(0, MOST_PLOTTED).join() });
  }
}
