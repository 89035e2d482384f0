/** What the cell consists of beside the spacecraft: links, units, connectors, and simulated spacecraft. */

import { html, nothing } from 'lit-html';
import { fragmentOf, onPage } from '../address.ts';
import type { Page, Workspace } from '../workspace.ts';
import { ConnectorsView } from './connectors-view.ts';
import type { FleetPart } from './fleet-part.ts';
import { LinksView } from './links-view.ts';
import { SimulationView } from './simulation-view.ts';
import { UnitsView } from './units-view.ts';

const PARTS = ['links', 'units', 'connectors', 'simulation'] as const;
type Part = (typeof PARTS)[number];
const TITLES: Readonly<Record<Part, string>> = {
  links: 'Links',
  units: 'Units',
  connectors: 'Connectors',
  simulation: 'Simulation',
};

export class FleetPage implements Page {
  readonly title = 'Fleet';
  readonly #space: Workspace;
  readonly #parts: Readonly<Record<Part, FleetPart>>;
  #seen: FleetPart | undefined;

  constructor(space: Workspace) {
    this.#space = space;
    this.#parts = {
      links: new LinksView(space),
      units: new UnitsView(space),
      connectors: new ConnectorsView(space),
      simulation: new SimulationView(space),
    };
  }

  left(): void {
    this.#seen?.left();
    this.#seen = undefined;
  }

  view(): unknown {
    const { address, target } = this.#space;
    const part = PARTS.find((each) => each === address.selected) ?? 'links';
    const view = this.#parts[part];
    if (view !== this.#seen) {
      this.#seen?.left();
      this.#seen = view;
      view.shown();
    }
    return html`<h1>Fleet</h1>
      <nav class="parts" aria-label="Parts of the fleet">${PARTS.map((each) => html`<a href=${fragmentOf(onPage(address, 'fleet', each, { target }))} aria-current=${each === part ? 'page' : nothing}>${TITLES[each]}</a>`)}</nav>
      <div class="fleet">${view.view()}</div>`;
  }
}
