/**
 * Telecommands of the past: who, when, which run, and what became of each.
 *
 * H1. Sending again opens the form, filled in with what was asked for then; it sends nothing.
 */

import { html, nothing } from 'lit-html';
import type { EventPage, TelecommandEntry, TelecommandPage } from '../../../contract/event.ts';
import { isBadTcEnd, isGoodTcEnd } from '../../../contract/telecommand-state.ts';
import { later } from '../../browser-clock.ts';
import { dateTime } from '../../moment.ts';
import { ask } from '../../service.ts';
import { fragmentOf, onPage } from '../address.ts';
import { Paged } from '../data/paged.ts';
import { Deeds } from '../parts/deeds.ts';
import { isTicked, typedIn } from '../parts/dom-value.ts';
import { refusalView } from '../parts/refusal.ts';
import { whyLink } from '../parts/why.ts';
import type { Workspace } from '../workspace.ts';
import type { Asked } from './draft.ts';
import { queryOfAsked } from './telecommand-fields.ts';

const PAGE = 50;
/** The log has a telecommand a moment after its chain. */
const RECORDED_MS = 1_500;

export class TelecommandHistory {
  readonly #space: Workspace;
  readonly #list: Paged<TelecommandPage, TelecommandEntry>;
  readonly #deeds: Deeds;
  #cancel: (() => void) | undefined;
  /** Of which it is not known what was asked for. */
  #unknown = '';

  constructor(space: Workspace) {
    this.#space = space;
    this.#deeds = new Deeds(space.soon);
    this.#list = new Paged<TelecommandPage, TelecommandEntry>(
      ({ telecommands }) => telecommands,
      ({ id }) => id,
      space.calmly,
    );
  }

  /** Something happened to a telecommand: it is in the log in a moment. */
  soon(): void {
    this.#cancel ??= later(() => {
      this.#cancel = undefined;
      this.#list.again();
    }, RECORDED_MS);
  }

  leave(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#list.forget();
  }

  view(): unknown {
    const { target, address } = this.#space;
    const { by = '', only = '' } = address.query;
    const name = only === 'selected' ? address.selected : '';
    const asked = Object.entries({ target, by: by.trim(), name }).filter(([, value]) => value !== '');
    if (target !== '') this.#list.choose(`/v1/tc?limit=${PAGE}&${new URLSearchParams(asked)}`);
    const { rows, refusal, isAsking, hasOlder } = this.#list;
    return html`<section class="panel" aria-labelledby="history-title"><h2 id="history-title">History</h2>
      <div class="tools" role="group" aria-label="Which of the past">
        <label>By <input type="search" class="medium" .value=${by} placeholder="anybody" @change=${(event: Event) => this.#space.select({ by: typedIn(event) })} /></label>
        ${address.selected === '' ? nothing : html`<label><input type="checkbox" .checked=${only === 'selected'} @change=${(event: Event) => this.#space.select({ only: isTicked(event) ? 'selected' : '' })} /> only ${address.selected}</label>`}
        <span class="muted" role="status">${isAsking ? 'reading…' : rows.length === 0 && refusal === undefined ? 'none' : ''}</span></div>
      ${refusalView(refusal)}
      ${
        rows.length === 0
          ? nothing
          : html`<div class="scroll history" tabindex="0" role="region" aria-label="Telecommands of the past"><table>
        <thead><tr><th scope="col">sent</th><th scope="col">telecommand</th><th scope="col">state</th><th scope="col">by</th><th scope="col"><span class="unseen">again</span></th></tr></thead>
        <tbody>${rows.map((entry) => this.#row(entry))}</tbody></table></div>`
      }
      ${hasOlder ? html`<button ?disabled=${isAsking} @click=${() => this.#list.older()}>Older ones</button>` : nothing}</section>`;
  }

  #row(entry: TelecommandEntry): unknown {
    const {
      id,
      target,
      telecommand = '',
      by = '',
      run,
      state = 'not known any more',
      reached_at,
      detail,
    } = entry;
    const tone = isGoodTcEnd(state) ? 'ok' : isBadTcEnd(state) ? 'bad' : '';
    const ofRun =
      run === undefined
        ? nothing
        : html`<a href=${fragmentOf(onPage(this.#space.address, 'runs', run))}>run ${run.slice(-8)}</a>`;
    return html`<tr><td class="mono">${dateTime(Date.parse(reached_at))}</td>
      <th scope="row" class="mono">${telecommand || id}</th>
      <td><span class=${tone}>${tone === 'ok' ? '✓' : tone === 'bad' ? '✗' : '●'} ${state}</span> <span class="muted">${detail ?? ''}</span> ${whyLink('telecommand', `${target}.${id}`, target, telecommand || id)}</td><td>${by} ${ofRun}</td>
      <td><button ?disabled=${telecommand === '' || this.#deeds.isUnderWay(id)} @click=${() => void this.#again(entry)} aria-label="Fill in ${telecommand} again">Again…</button>
        ${refusalView(this.#deeds.refusalOf(id))}
        ${this.#unknown === id ? html`<p class="warn" role="status">What it was sent with is not in the log: the form has its defaults.</p>` : nothing}</td></tr>`;
  }

  /** H1 */
  async #again({ id, target, telecommand = '', reached_at }: TelecommandEntry): Promise<void> {
    const { page } = this.#space.address;
    const [, component = '', instance, name = ''] = /^(\w+)(?:\[([^\]]*)\])?\.(.*)$/.exec(telecommand) ?? [];
    const from = new Date(Date.parse(reached_at) - 60_000).toISOString();
    let asked: Partial<Asked> | undefined;
    await this.#deeds.give(id, async () => {
      const question = new URLSearchParams({ subject: id, kinds: 'request', data: 'true', limit: '1', from });
      const { events } = await ask<EventPage>(`/v1/events?${question}`);
      asked = events[0]?.data as Partial<Asked> | undefined;
    });
    // Whoever has gone on to something else meanwhile is not taken away from it.
    const isElsewhere = this.#space.address.page !== page || this.#space.target !== target;
    if (this.#deeds.refusalOf(id) !== undefined || isElsewhere) return;
    this.#unknown = asked === undefined ? id : '';
    const typed = queryOfAsked(asked ?? (instance === undefined ? {} : { instance }));
    this.#space.open('telecommands', `${component}.${name}`, { ...typed, target });
  }
}
