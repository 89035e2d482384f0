/**
 * The command palette: a field and what it finds. Arrows choose, Enter goes there, Escape closes. It only ever goes
 * to a place; nothing is sent from it.
 */

import { html, render } from 'lit-html';
import { byId } from '../../element.ts';
import { found, type PaletteEntry } from './palette-entries.ts';

export class Palette {
  readonly #dialog = byId('palette', HTMLDialogElement);
  readonly #entries: () => PaletteEntry[];
  #all: readonly PaletteEntry[] = [];
  #found: readonly PaletteEntry[] = [];
  #typed = '';
  #chosen = 0;

  constructor(entries: () => PaletteEntry[]) {
    this.#entries = entries;
    addEventListener('keydown', (event) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      this.open('');
    });
  }

  /** With this typed in already. */
  open(typed: string): void {
    this.#all = this.#entries();
    this.#type(typed);
    if (!this.#dialog.open) this.#dialog.showModal();
    const field = this.#dialog.querySelector('input')!;
    field.value = typed;
    field.focus();
  }

  /** What has come since it was opened is found as well: a catalogue is asked for when somebody wants it. */
  refresh(): void {
    if (!this.#dialog.open) return;
    const all = this.#entries();
    if (all.length === this.#all.length) return;
    this.#all = all;
    const chosen = this.#found[this.#chosen]?.to;
    this.#found = found(all, this.#typed);
    this.#chosen = Math.max(
      0,
      this.#found.findIndex(({ to }) => to === chosen),
    );
    this.#draw();
  }

  #type(typed: string): void {
    this.#typed = typed;
    this.#found = found(this.#all, typed);
    this.#chosen = 0;
    this.#draw();
  }

  #draw(): void {
    render(
      html`<label class="unseen" for="palette-field">Find a target, measure, telecommand, procedure, run or pass</label>
        <input id="palette-field" type="text" role="combobox" autocomplete="off" spellcheck="false"
          placeholder="Target, measure, telecommand, procedure, run, pass…"
          aria-expanded="true" aria-controls="palette-list" aria-autocomplete="list"
          aria-activedescendant=${this.#found.length === 0 ? '' : `palette-${this.#chosen}`}
          @input=${(event: Event) => this.#type((event.target as HTMLInputElement).value)}
          @keydown=${(event: KeyboardEvent) => this.#key(event)} />
        <ul id="palette-list" role="listbox" aria-label="Found">
          ${this.#found.map(
            (
              entry,
              index,
            ) => html`<li id="palette-${index}" role="option" aria-selected=${index === this.#chosen}
              @click=${() => this.#go(entry)}>
              <span class="kind">${entry.kind}</span> <span class="mono">${entry.name}</span>
              <span class="muted">${entry.detail}</span></li>`,
          )}
        </ul>
        <p class="muted" role="status">${this.#found.length === 0 ? `Nothing has “${this.#typed}” in its name.` : ''}</p>`,
      this.#dialog,
    );
  }

  #key(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && this.#found.length > 0) {
      event.preventDefault();
      this.#chosen = (this.#chosen + step + this.#found.length) % this.#found.length;
      this.#draw();
      this.#dialog.querySelector(`#palette-${this.#chosen}`)?.scrollIntoView({ block: 'nearest' });
    }
    const entry = this.#found[this.#chosen];
    if (event.key !== 'Enter' || entry === undefined) return;
    // The rest of the key would press what has the focus then, as the button that opened this.
    event.preventDefault();
    this.#go(entry);
  }

  #go(entry: PaletteEntry): void {
    this.#dialog.close();
    location.assign(entry.to);
    byId('main', HTMLElement).focus();
  }
}
