/** Transfers of the target, those under way first: what moves, how far it is, and what keeps it. */

import { html, nothing } from 'lit-html';
import { dateTime, duration } from '../../moment.ts';
import { fragmentOf } from '../address.ts';
import { RowsInSight } from '../parts/rows-in-sight.ts';
import type { Workspace } from '../workspace.ts';
import { bytesOf, rateOf, rateText } from './transfer-pace.ts';
import { isUnderWay, type LiveTransfer, TRANSFER_LOOK, type Transfer } from './transfer-words.ts';

const HEAD = ['file', 'direction', 'state', 'rate', 'changed', 'by', 'reason'];

export class TransferTable {
  readonly #space: Workspace;
  readonly #inSight: RowsInSight;

  constructor(space: Workspace) {
    this.#space = space;
    this.#inSight = new RowsInSight(space.soon);
  }

  view(transfers: readonly LiveTransfer[]): unknown {
    return this.#inSight.view({
      label: 'Transfers',
      kind: 'transfers',
      head: HEAD,
      rows: transfers,
      keyOf: ({ key }) => key,
      rowView: (live, index) => this.#row(live, index),
    });
  }

  #row({ transfer, points }: LiveTransfer, index: number): unknown {
    const { address, clock } = this.#space;
    const link = fragmentOf({
      ...address,
      selected: transfer.file_id,
      query: { ...address.query, form: '' },
    });
    const rate = rateOf(points, clock.now());
    const changed = Date.parse(transfer.updated_at);
    return html`<tr aria-rowindex=${index} aria-current=${transfer.file_id === address.selected ? 'true' : nothing}>
      <th scope="row" class="mono"><a href=${link}>${transfer.file_id}, generation ${transfer.generation}</a></th>
      <td>${transfer.direction === 'upload' ? '↑ upload' : '↓ download'}</td>
      <td>${stateBadge(transfer)} ${progressView(transfer)}</td><td class="num">${rate === undefined ? nothing : rateText(rate)}</td>
      <td class="num"><span title=${dateTime(changed)}>${duration(Math.max(0, clock.now() - changed))} ago</span></td>
      <td>${transfer.by ?? nothing}</td><td>${transfer.reason ?? nothing}</td></tr>`;
  }
}

export function stateBadge({ state }: Transfer): unknown {
  const { sign, tone } = TRANSFER_LOOK[state];
  return html`<span class="badge ${tone}">${sign} ${state}</span>`;
}

/** How much of it is there; nothing where all is, or none can come any more. */
export function progressView(transfer: Transfer): unknown {
  if (!isUnderWay(transfer)) return nothing;
  const percent = transfer.size === 0 ? 100 : Math.floor((bytesOf(transfer) * 100) / transfer.size);
  return html`<progress max="100" value=${percent} aria-label="Bytes that are there"></progress> ${percent} %`;
}
