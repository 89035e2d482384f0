/** Who takes data out of the bus, and how far behind each is. */

import { html, nothing } from 'lit-html';
import type {
  ConnectorLagView,
  ConnectorsView as Connectors,
  ConnectorView,
} from '../../../contract/connector.ts';
import { standingOf } from '../../../contract/connector-standing.ts';
import { dateTime, duration } from '../../moment.ts';
import { remove } from '../../service.ts';
import { Polled } from '../data/polled.ts';
import { counted } from '../parts/counted.ts';
import { Deeds } from '../parts/deeds.ts';
import { needsView } from '../parts/needs.ts';
import { needsRole } from '../parts/permission.ts';
import { refusalView } from '../parts/refusal.ts';
import type { Workspace } from '../workspace.ts';
import type { FleetPart } from './fleet-part.ts';

const EVERY_MS = 3_000;

export class ConnectorsView implements FleetPart {
  readonly #space: Workspace;
  readonly #deeds: Deeds;
  #connectors: Polled<Connectors> | undefined;
  /** The one that is about to be taken out. */
  #asked = '';

  constructor(space: Workspace) {
    this.#space = space;
    this.#deeds = new Deeds(() => {
      this.#connectors?.soon();
      space.soon();
    });
  }

  shown(): void {
    this.#connectors = new Polled('/v1/connectors', EVERY_MS, this.#space.calmly);
  }

  left(): void {
    this.#connectors?.close();
    this.#connectors = undefined;
    this.#asked = '';
  }

  view(): unknown {
    const { answer, refusal } = this.#connectors ?? {};
    const all = answer?.connectors ?? [];
    return html`${refusalView(refusal)}
      <p class="muted" role="status">${answer === undefined ? 'Asking…' : `${counted(all.length, 'connector')}; what they have not read is counted on the bus`}</p>
      ${answer !== undefined && all.length === 0 ? html`<p class="empty">No connector has registered.</p>` : nothing}
      ${all.map((each) => this.#one(each))}`;
  }

  #one({ name, data, targets, instance, lags }: ConnectorView): unknown {
    return html`<section class="panel" aria-label="Connector ${name}"><h2 class="name">${name}</h2>
      <p>${
        instance === null
          ? html`<span class="muted">○ ended in order</span>`
          : html`<span class=${instance.alive ? 'ok' : 'bad'}>${instance.alive ? '● alive' : '✗ silent'}</span> ${instance.health.state} ${instance.health.reason ?? ''}
        <span class="muted">${instance.instance}, ${instance.software.name} ${instance.software.version}, last message ${duration(Math.max(0, this.#space.clock.now() - Date.parse(instance.last_heard)))} ago</span>`
      }</p>
      <p class="muted">${data.join(', ')} of ${targets.length > 6 ? `${targets.length} targets` : targets.join(', ')}</p>
      ${
        lags.length === 0
          ? nothing
          : html`<div class="scroll" tabindex="0" role="region" aria-label="Lags of ${name}"><table>
        <thead><tr><th scope="col">stream</th><th scope="col">not taken</th><th scope="col">behind by</th><th scope="col">taken, not stored</th><th scope="col">the stream keeps</th><th scope="col">state</th></tr></thead>
        <tbody>${lags.map((lag) => lagRow(lag))}</tbody></table></div>`
      }
      ${instance?.alive === true ? nothing : this.#removal(name)}</section>`;
  }

  #removal(name: string): unknown {
    const needs = needsView(needsRole(this.#space.caller.answer, 'supervisor'));
    const ask = (asked: string): void => {
      this.#asked = asked;
      this.#space.soon();
    };
    const take = (): void => {
      ask('');
      void this.#deeds.give(name, () =>
        remove(`/v1/connectors/${encodeURIComponent(name)}`, this.#space.operator),
      );
    };
    return html`<div class="choices">${
      this.#asked === name
        ? html`<button @click=${() => ask('')}>Keep it</button><button class="danger" @click=${take}>Take ${name} out and forget where it read to${needs}</button>`
        : html`<button ?disabled=${this.#deeds.isUnderWay(name)} @click=${() => ask(name)}>Take it out…${needs}</button>`
    }</div>${refusalView(this.#deeds.refusalOf(name), 'Whether it was taken out is seen here in a moment.')}`;
  }
}

function lagRow(lag: ConnectorLagView): unknown {
  const { stream, consumer, retention_seconds, at_risk, active, reason, oldest_unread } = lag;
  const { waiting, behindMs, held, storesAt } = standingOf(lag);
  return html`<tr class=${at_risk ? 'critical' : ''}><th scope="row" class="mono" title=${consumer}>${stream}</th>
    <td class="num">${waiting}</td><td class="num">${behindMs === 0 ? '' : duration(behindMs)}</td>
    <td title=${oldest_unread === undefined ? '' : `oldest of ${dateTime(Date.parse(oldest_unread))}`}>${held}${storesAt === undefined ? '' : `, stored at ${dateTime(storesAt).slice(11)}`}</td><td class="num">${retention_seconds === undefined ? '' : duration(retention_seconds * 1_000)}</td>
    <td>${at_risk ? html`<span class="badge bad">▲ about to lose what is unread</span>` : active ? html`<span class="ok">● reads</span>` : html`<span class="muted">○ does not read</span>`} ${reason ?? ''}</td></tr>`;
}
