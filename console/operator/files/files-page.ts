/** Files on board of the target: its directory with the age of the listing, what comes down and goes up, one file. */

import { html, nothing } from 'lit-html';
import type { TcReply } from '../../../contract/telecommand.ts';
import { duration } from '../../moment.ts';
import { order } from '../../service.ts';
import type { ServiceError } from '../../service-error.ts';
import { fragmentOf } from '../address.ts';
import { counted } from '../parts/counted.ts';
import { typedIn } from '../parts/dom-value.ts';
import { refusalOf, refusalView } from '../parts/refusal.ts';
import { chainView } from '../telecommands/chain-view.ts';
import { Chains } from '../telecommands/chains.ts';
import type { Page, Workspace } from '../workspace.ts';
import { Directory } from './directory.ts';
import { FileDetail } from './file-detail.ts';
import { FILE_ORDERS, fileRows, listedBetween } from './file-rows.ts';
import { FileTable } from './file-table.ts';
import { LiveTransfers } from './live-transfers.ts';
import { TransferTable } from './transfer-table.ts';
import { isUnderWay } from './transfer-words.ts';
import { UploadForm } from './upload-form.ts';

/** Requests for a listing that are shown. */
const CHAINS_SHOWN = 2;

interface Followed {
  readonly directory: Directory;
  readonly transfers: LiveTransfers;
}

export class FilesPage implements Page {
  readonly title = 'Files';
  readonly #space: Workspace;
  readonly #chains: Chains;
  readonly #files: FileTable;
  readonly #transfers: TransferTable;
  readonly #detail: FileDetail;
  readonly #upload: UploadForm;
  #of: Followed | undefined;
  #isAsking = false;
  #refusal: ServiceError | undefined;

  constructor(space: Workspace) {
    this.#space = space;
    this.#chains = new Chains(space.calmly);
    this.#files = new FileTable(space);
    this.#transfers = new TransferTable(space);
    this.#detail = new FileDetail(space);
    this.#upload = new UploadForm(space);
    space.whenRecovered(() => {
      this.#of?.directory.reopen();
      this.#of?.transfers.reopen();
      this.#chains.reopen();
    });
  }

  left(): void {
    this.#of?.directory.close();
    this.#of?.transfers.close();
    this.#of = undefined;
    this.#detail.leave();
  }

  view(): unknown {
    const { target, address, mission } = this.#space;
    if (target === '') return html`<h1>Files</h1><p class="muted">Reading the mission…</p>`;
    const { directory, transfers } = this.#follow(target);
    const { find = '', order: wanted = '', form } = address.query;
    const files = directory.answer?.files ?? [];
    const rows = fileRows(files, transfers.all, find, wanted);
    return html`<h1>Files of ${target}</h1>
      ${this.#tools(directory)} ${refusalView(directory.refusal)} ${this.#staleWords(directory, transfers)}
      <p class="muted" role="status" id="listing-words">${this.#listingWords(directory, rows.length)}</p>
      <div class="columns file-columns"><div>${this.#files.view(rows)} ${this.#transfersView(transfers)}</div>
      <div>${form === 'upload' && mission.answer !== undefined ? this.#upload.view(address.selected, mission.answer) : nothing}
        ${this.#right(directory, transfers)}</div></div>`;
  }

  #follow(target: string): Followed {
    if (this.#of?.directory.target !== target) {
      this.left();
      const { calmly, clock } = this.#space;
      this.#of = {
        directory: new Directory(target, calmly),
        transfers: new LiveTransfers(target, () => clock.now(), calmly),
      };
      this.#refusal = undefined;
    }
    return this.#of!;
  }

  #tools(directory: Directory): unknown {
    const { query } = this.#space.address;
    const wanted = query['order'] || FILE_ORDERS[0];
    const write = fragmentOf({ ...this.#space.address, query: { ...query, form: 'upload' } });
    const asked = this.#chains.all.filter(({ target }) => target === directory.target).slice(0, CHAINS_SHOWN);
    return html`<div class="tools" role="group" aria-label="What to show">
        <label>Find <input type="search" class="identifiers" .value=${query['find'] ?? ''} placeholder="identifier, checksum, state" @input=${(event: Event) => this.#space.select({ find: typedIn(event) })} /></label>
        <label>Order <select @change=${(event: Event) => this.#space.select({ order: typedIn(event) })}>
          ${FILE_ORDERS.map((each) => html`<option value=${each} ?selected=${each === wanted}>${each}</option>`)}</select></label>
        <button ?disabled=${this.#isAsking} @click=${() => void this.#refresh(directory.target)}>Ask ${directory.target} for a listing</button>
        <a href=${write}>Write a file…</a></div>
      ${refusalView(this.#refusal, 'Whether it was sent stands among the telecommands; a listing changes nothing on board.')}
      ${asked.length === 0 ? nothing : html`<ul class="chains asked">${asked.map((chain) => chainView(chain, this.#space.clock.now()))}</ul>`}`;
  }

  #staleWords(directory: Directory, transfers: LiveTransfers): unknown {
    const notLive = [
      directory.answer !== undefined && !directory.isLive ? 'the directory' : [],
      transfers.isLive ? [] : 'transfers',
    ].flat();
    if (notLive.length === 0) return nothing;
    return html`<p class="warn" role="status">Not live at the moment: ${notLive.join(', ')}. Trying again…</p>`;
  }

  #listingWords({ answer, refusal }: Directory, shown: number): string {
    if (answer === undefined) return refusal === undefined ? 'Reading the directory…' : '';
    const { files } = answer;
    const listed = listedBetween(files);
    if (listed === undefined) return 'Nothing was listed yet: ask for a listing.';
    const now = this.#space.clock.now();
    const ago = (at: number): string => `${duration(Math.max(0, now - at))} ago`;
    const oldest = listed.oldest < listed.newest - 1_000 ? `, the oldest entry ${ago(listed.oldest)}` : '';
    return `${shown === files.length ? '' : `${shown} of `}${counted(files.length, 'file')}; last listed ${ago(listed.newest)}${oldest}`;
  }

  #transfersView({ all }: LiveTransfers): unknown {
    const underWay = all.filter(({ transfer }) => isUnderWay(transfer)).length;
    return html`<h2 class="name">Transfers</h2><p class="muted" role="status">${all.length === 0 ? 'None within a day.' : `${underWay} under way, ${all.length - underWay} over within a day`}</p>
      ${all.length === 0 ? nothing : this.#transfers.view(all)}`;
  }

  #right({ answer }: Directory, { all }: LiveTransfers): unknown {
    const id = this.#space.address.selected;
    if (id === '') {
      this.#detail.leave();
      return html`<p class="empty">Select a file.</p>`;
    }
    return this.#detail.view(
      id,
      answer?.files.find((file) => file.id === id),
      all.filter(({ transfer }) => transfer.file_id === id),
    );
  }

  async #refresh(target: string): Promise<void> {
    this.#isAsking = true;
    this.#space.soon();
    this.#refusal = await refusalOf(async () => {
      const path = `/v1/targets/${encodeURIComponent(target)}/files/refresh`;
      const { id } = await order<TcReply>(path, undefined, this.#space.operator);
      this.#chains.follow(target, id);
    });
    this.#isAsking = false;
    this.#space.soon();
  }
}
