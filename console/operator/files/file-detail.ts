/** The selected file: what is listed of it, bringing it down, and its transfers. */

import { html, nothing } from 'lit-html';
import type { OnboardFile } from '../../../contract/onboard-file.ts';
import type { Transfer } from '../../../contract/transfer.ts';
import { dateTime, duration } from '../../moment.ts';
import { order } from '../../service.ts';
import type { ServiceError } from '../../service-error.ts';
import { fragmentOf } from '../address.ts';
import { typedIn } from '../parts/dom-value.ts';
import { refusalOf, refusalView } from '../parts/refusal.ts';
import type { Workspace } from '../workspace.ts';
import { sizeText } from './file-rows.ts';
import { Saving } from './saving.ts';
import { TransferCard } from './transfer-card.ts';
import { isUnderWay, type LiveTransfer } from './transfer-words.ts';

export class FileDetail {
  readonly #space: Workspace;
  readonly #card: TransferCard;
  #of = '';
  #priority = '0';
  #isAsking = false;
  #refusal: ServiceError | undefined;
  /** What was answered to the last request. */
  #said = '';

  constructor(space: Workspace) {
    this.#space = space;
    this.#card = new TransferCard(space, new Saving(space.soon));
  }

  leave(): void {
    this.#card.leave();
  }

  /** `file`: as listed; undefined where the directory does not have it. */
  view(id: string, file: OnboardFile | undefined, transfers: readonly LiveTransfer[]): unknown {
    const { target, address } = this.#space;
    this.#begin(`${target}/${id}`);
    this.#card.follow(transfers.find(({ transfer }) => isUnderWay(transfer)));
    const form = fragmentOf({ ...address, query: { ...address.query, form: 'upload' } });
    return html`<section class="panel" aria-labelledby="file-title"><h2 id="file-title" class="name">File ${id} of ${target}</h2>
      ${file === undefined ? html`<p class="muted">It is not in the directory as it was last listed.</p>` : this.#facts(file)}
      <div class="tools" role="group" aria-label="Download">
        <button class="primary" ?disabled=${this.#isAsking || file === undefined} @click=${() => void this.#bringDown(id)}>${this.#isAsking ? 'Asking…' : 'Download'}</button>
        <label>Priority <input class="short" inputmode="numeric" .value=${this.#priority} @input=${(event: Event) => this.#setPriority(typedIn(event))} /></label>
        <span class="muted">higher is served first</span>
        <a href=${form}>Write to it…</a></div>
      ${refusalView(this.#refusal, 'Whether it was asked for stands in the table below; asking again finds the same transfer.')}
      ${this.#said === '' ? nothing : html`<p role="status">${this.#said}</p>`}
      <h3>Transfers</h3>
      ${transfers.length === 0 ? html`<p class="muted">None within a day.</p>` : html`<ul class="transfer-cards">${transfers.map((live) => this.#card.view(live))}</ul>`}</section>`;
  }

  #begin(of: string): void {
    if (of === this.#of) return;
    this.#of = of;
    this.#refusal = undefined;
    this.#said = '';
  }

  #facts({ file_type, size, generation, checksum, listed_at }: OnboardFile): unknown {
    const at = listed_at === undefined ? undefined : Date.parse(listed_at);
    return html`<dl class="facts"><dt>size</dt><dd>${size === undefined ? 'unknown' : sizeText(size)}</dd>
      <dt>type</dt><dd>${file_type ?? 'unknown'}</dd><dt>generation</dt><dd>${generation ?? 'unknown'}</dd>
      <dt>checksum</dt><dd class="mono">${checksum ?? 'unknown'}</dd>
      <dt>listed</dt><dd>${at === undefined ? 'never' : `${dateTime(at)}, ${duration(Math.max(0, this.#space.clock.now() - at))} ago`}</dd></dl>`;
  }

  #setPriority(text: string): void {
    this.#priority = text;
    this.#space.soon();
  }

  async #bringDown(id: string): Promise<void> {
    const { target, operator } = this.#space;
    const of = this.#of;
    this.#isAsking = true;
    this.#said = '';
    this.#space.soon();
    // What is no number is for the service to refuse.
    const priority = this.#priority.trim() === '' ? 0 : Number(this.#priority);
    const body = { target, file_id: id, priority: Number.isNaN(priority) ? this.#priority : priority };
    let made: Transfer | undefined;
    const refusal = await refusalOf(async () => {
      made = await order<Transfer>('/v1/transfers', body, operator);
    });
    this.#isAsking = false;
    if (of === this.#of) {
      this.#refusal = refusal;
      this.#said =
        made === undefined
          ? ''
          : `Asked for: generation ${made.generation} stands among the transfers below.`;
    }
    this.#space.soon();
  }
}
