/** The directory as a table, of which only the rows in sight are in the document. */

import { html, nothing } from 'lit-html';
import { dateTime, duration } from '../../moment.ts';
import { fragmentOf } from '../address.ts';
import { RowsInSight } from '../parts/rows-in-sight.ts';
import type { Workspace } from '../workspace.ts';
import { type FileRow, sizeText } from './file-rows.ts';
import { progressView, stateBadge } from './transfer-table.ts';

const HEAD = ['file', 'type', 'size', 'generation', 'listed', 'transfer', 'checksum'];

export class FileTable {
  readonly #space: Workspace;
  readonly #inSight: RowsInSight;

  constructor(space: Workspace) {
    this.#space = space;
    this.#inSight = new RowsInSight(space.soon);
  }

  view(rows: readonly FileRow[]): unknown {
    return this.#inSight.view({
      label: 'Directory on board',
      kind: 'files',
      head: HEAD,
      rows,
      keyOf: ({ file }) => file.id,
      rowView: (row, index) => this.#row(row, index),
    });
  }

  #row({ file, listedAt, transfer }: FileRow, index: number): unknown {
    const { address, clock } = this.#space;
    const link = fragmentOf({ ...address, selected: file.id, query: { ...address.query, form: '' } });
    const unknown = html`<span class="muted">unknown</span>`;
    return html`<tr aria-rowindex=${index} aria-current=${file.id === address.selected ? 'true' : nothing}>
      <th scope="row" class="mono"><a href=${link}>${file.id}</a></th><td>${file.file_type ?? unknown}</td>
      <td class="num">${file.size === undefined ? unknown : sizeText(file.size)}</td><td class="num">${file.generation ?? unknown}</td>
      <td class="num">${listedAt === undefined ? html`<span class="muted">never</span>` : html`<span title=${dateTime(listedAt)}>${duration(Math.max(0, clock.now() - listedAt))} ago</span>`}</td>
      <td>${transfer === undefined ? html`<span class="muted">${file.transfer ?? 'none'}</span>` : html`${stateBadge(transfer.transfer)} ${progressView(transfer.transfer)}`}</td>
      <td class="mono">${file.checksum ?? nothing}</td></tr>`;
  }
}
