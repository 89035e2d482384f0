/** One transfer in detail: which bytes are there, how fast it goes, whether it ends before LOS; and saving its content. */

import { html, nothing, svg } from 'lit-html';
import type { InspectionUpdate } from '../../../contract/inspection.ts';
import { inWords, opacityOf, paceInWords, shares, stretches } from '../../inspect/range-shares.ts';
import { dateTime } from '../../moment.ts';
import { Follower } from '../data/follower.ts';
import { passInProgress } from '../frame/pass-words.ts';
import { refusalView } from '../parts/refusal.ts';
import { whyLink } from '../parts/why.ts';
import type { Workspace } from '../workspace.ts';
import type { Saving } from './saving.ts';
import { type PassNow, paceWords } from './transfer-pace.ts';
import { stateBadge } from './transfer-table.ts';
import { isSavable, isUnderWay, type LiveTransfer, type Transfer, transferKey } from './transfer-words.ts';

/** Parts of the strip. */
const CELLS = 300;

export class TransferCard {
  readonly #space: Workspace;
  readonly #saving: Saving;
  /** What the process that transfers it says of its pace. */
  #expected:
    | { readonly key: string; readonly follower: Follower<InspectionUpdate>; words: string }
    | undefined;

  constructor(space: Workspace, saving: Saving) {
    this.#space = space;
    this.#saving = saving;
  }

  leave(): void {
    this.#expected?.follower.close();
    this.#expected = undefined;
  }

  /** Follows what is expected of the one that is under way; undefined: of none. */
  follow(live: LiveTransfer | undefined): void {
    if (live?.key === this.#expected?.key) return;
    this.leave();
    if (live === undefined) return;
    const { key } = live;
    const follower = new Follower<InspectionUpdate>({
      path: `/v1/inspect/entities/transfer/${encodeURIComponent(key)}/events`,
      message: (update) => {
        if (update.type === '@xstate.event' || this.#expected?.key !== key) return;
        this.#expected.words = paceInWords(update.snapshot.context);
        this.#space.calmly();
      },
    });
    this.#expected = { key, follower, words: '' };
  }

  view({ transfer, points, key }: LiveTransfer): unknown {
    const { size, received = [], reason, by, generation, direction } = transfer;
    const words = inWords({ size: Math.max(1, size), received });
    const now = this.#space.clock.now();
    const expected = this.#expected?.key === key ? this.#expected.words : '';
    return html`<li class="transfer" aria-label="${direction} of generation ${generation}">
      <p>${direction === 'upload' ? '↑ upload' : '↓ download'} of generation ${generation} ${stateBadge(transfer)}
        <span class="muted">${by === undefined ? '' : `by ${by}, `}since ${dateTime(Date.parse(transfer.created_at))}</span>
        ${whyLink('transfer', key, this.#space.target, `${direction} of generation ${generation}`)}</p>
      ${size === 0 ? html`<p class="muted">a file without bytes</p>` : html`${strip({ size, received }, words)}<p class="muted">${words}</p>`}
      ${isUnderWay(transfer) ? html`<p role="status">${paceWords(transfer, points, this.#pass(now), now)}</p>` : nothing}
      ${expected === '' ? nothing : html`<p class="muted">Expected by the service: ${expected}</p>`}
      ${reason === undefined ? nothing : html`<p class="${transfer.state === 'CORRUPTED' ? 'bad' : 'warn'}">${reason}</p>`}
      ${isSavable(transfer) ? this.#save(transfer) : nothing}</li>`;
  }

  #pass(now: number): PassNow | undefined {
    const begun = passInProgress(this.#space.passes?.ahead(now) ?? [], now);
    return begun && { station: begun.pass.station, los: Date.parse(begun.pass.los) };
  }

  #save(transfer: Transfer): unknown {
    const saved = this.#saving.files.get(transferKey(transfer));
    const isBusy = saved?.state === 'under way';
    const label =
      transfer.state === 'CORRUPTED' ? 'Save it as it came, with a wrong checksum…' : 'Save to disk…';
    return html`<div class="tools"><button ?disabled=${isBusy} @click=${() => void this.#saving.save(transfer)}>${label}</button>
      ${isBusy ? html`<progress max=${Math.max(1, saved.size)} value=${saved.bytes} aria-label="Bytes saved"></progress><button @click=${saved.stop}>Stop</button>` : nothing}
      ${saved?.state === 'saved' ? html`<span class="ok" role="status">✓ saved as ${saved.name}: ${saved.bytes.toLocaleString('en')} B</span>` : nothing}</div>
      ${refusalView(saved?.refusal)}`;
  }
}

function strip(
  ranges: { readonly size: number; readonly received: readonly (readonly [number, number])[] },
  words: string,
): unknown {
  const rects = stretches(shares(ranges, CELLS)).map(
    ({ x, width, share }) =>
      svg`<rect x=${x} y="0" width=${width} height="1" fill-opacity=${opacityOf(share)}></rect>`,
  );
  return html`<svg class="ranges" viewBox="0 0 ${CELLS} 1" preserveAspectRatio="none" role="img" aria-label="Which bytes are there: ${words}">${rects}</svg>`;
}
