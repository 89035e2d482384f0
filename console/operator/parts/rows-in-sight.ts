/**
 * A table of which only the rows in sight are in the document: what it costs is the height of the screen, not the
 * number of rows.
 *
 * R1. Rows have one height. A row is kept for as long as it is in sight, so that what has the focus keeps it.
 * R2. A table that comes into the document again begins at its top, as the browser has it.
 */

import { html, nothing } from 'lit-html';
import { ref } from 'lit-html/directives/ref.js';
import { repeat } from 'lit-html/directives/repeat.js';
import { windowOf } from './row-window.ts';

const ROW = 30;
/** Before the browser has said how high it is. */
const HEIGHT = 900;

export interface RowsView<Row> {
  /** Name of the table, for who does not see it. */
  readonly label: string;
  /** Class beside `in-sight`. */
  readonly kind: string;
  readonly head: readonly string[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** One `tr`; `index` is its `aria-rowindex`. */
  readonly rowView: (row: Row, index: number) => unknown;
}

export class RowsInSight {
  readonly #changed: () => void;
  #scrolled = 0;
  #height = HEIGHT;
  readonly #placed = (box: Element | undefined): void => {
    if (box === undefined || this.#scrolled === 0) return;
    this.#scrolled = 0;
    this.#changed();
  };

  /** `changed`: other rows are in sight. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  view<Row>({ label, kind, head, rows, keyOf, rowView }: RowsView<Row>): unknown {
    const { first, shown } = windowOf(this.#scrolled, this.#height, ROW, rows.length);
    return html`<div class="scroll in-sight ${kind}" tabindex="0" role="region" aria-label=${label} ${ref(this.#placed)} @scroll=${(event: Event) => this.#scroll(event)}>
      <table aria-rowcount=${rows.length + 1}><thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
      <tbody>
        ${spacer(first, head.length)}
        ${repeat(rows.slice(first, first + shown), keyOf, (row, index) => rowView(row, first + index + 2))}
        ${spacer(rows.length - first - shown, head.length)}
      </tbody></table></div>`;
  }

  #scroll(event: Event): void {
    const { scrollTop, clientHeight } = event.currentTarget as HTMLElement;
    this.#scrolled = scrollTop;
    this.#height = clientHeight;
    this.#changed();
  }
}

/** A row that is as high as so many that are not in the document. */
export function spacer(rows: number, columns: number, rowHeight = ROW): unknown {
  return rows <= 0
    ? nothing
    : html`<tr aria-hidden="true"><td colspan=${columns} class="spacer" height=${rows * rowHeight}></td></tr>`;
}
