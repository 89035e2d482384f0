/** Telecommands of the target: the list, the form of one, its review, and the chains of those that were sent. */

import { html, nothing } from 'lit-html';
import { fragmentOf, onPage } from '../address.ts';
import type { CatalogueTelecommand } from '../data/catalogue.ts';
import { typedIn } from '../parts/dom-value.ts';
import { refusalView } from '../parts/refusal.ts';
import type { Page, Workspace } from '../workspace.ts';
import { chainView } from './chain-view.ts';
import { Chains } from './chains.ts';
import { TelecommandHistory } from './history-view.ts';
import { TelecommandForm } from './telecommand-form.ts';

export class TelecommandsPage implements Page {
  readonly title = 'Telecommands';
  readonly #space: Workspace;
  readonly #form: TelecommandForm;
  readonly #chains: Chains;
  readonly #history: TelecommandHistory;

  constructor(space: Workspace) {
    this.#space = space;
    this.#history = new TelecommandHistory(space);
    this.#chains = new Chains(() => {
      this.#history.soon();
      space.calmly();
    });
    this.#form = new TelecommandForm(space, this.#chains);
    space.whenRecovered(() => this.#chains.reopen());
  }

  left(): void {
    this.#chains.leave();
    this.#history.leave();
  }

  view(): unknown {
    const { target, catalogues, address } = this.#space;
    const catalogue = target === '' ? undefined : catalogues.of(target);
    if (target !== '') this.#chains.watch(target);
    const find = (address.query['find'] ?? '').toLowerCase();
    const all = catalogue?.telecommands ?? [];
    const listed = all.filter(({ name, telecommand }) =>
      `${name} ${telecommand.description ?? ''}`.toLowerCase().includes(find),
    );
    const selected = all.find(({ name }) => name === address.selected);
    return html`<h1>Telecommands of ${target}</h1>${refusalView(catalogues.refusalOf(target))}
      <div class="columns with-history">
      <section class="panel list" aria-label="Telecommands">
        <label>Find <input type="search" .value=${address.query['find'] ?? ''} @input=${(event: Event) => this.#space.select({ find: typedIn(event) })} /></label>
        <ul>${listed.map((each) => this.#item(each))}</ul>
        ${catalogue !== undefined && listed.length === 0 ? html`<p class="muted">No telecommand has that in its name.</p>` : nothing}
      </section>
      <div>${selected === undefined ? html`<p class="empty">${address.selected === '' ? 'Choose a telecommand in the list.' : catalogue === undefined ? 'Reading the catalogue…' : `${target} has no telecommand ${address.selected}.`}</p>` : this.#form.view(selected)}</div>
      <section class="panel" aria-label="Acknowledgements"><h2>Acknowledgements</h2>
        <p class="muted">${this.#chains.isWatching ? `Every telecommand to ${target} from now on` : 'not live at the moment'}; earlier ones are in the history.</p>
        <ul class="chains">${this.#chains.all.map((chain) => chainView(chain, this.#space.clock.now()))}</ul></section>
      <div class="beside">${this.#history.view()}</div></div>`;
  }

  #item({ name, telecommand }: CatalogueTelecommand): unknown {
    const link = fragmentOf(
      onPage(this.#space.address, 'telecommands', name, {
        target: this.#space.target,
        find: this.#space.address.query['find'] ?? '',
      }),
    );
    return html`<li><a href=${link} aria-current=${name === this.#space.address.selected ? 'true' : nothing}>
      <span class="mono">${name}</span>${telecommand.hazardous ? html` <span class="badge bad">▲ hazardous</span>` : nothing}
      <span class="under muted">${telecommand.description ?? ''}</span></a></li>`;
  }
}
