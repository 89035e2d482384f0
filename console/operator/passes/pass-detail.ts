/** The selected pass: when, over which station, by which gateway, who says so, and what is scheduled on it. */

import { html, nothing } from 'lit-html';
import type { PassView } from '../../../contract/pass.ts';
import type { Schedule } from '../../../contract/schedule.ts';
import { dateTime, duration } from '../../moment.ts';
import { fragmentOf } from '../address.ts';
import type { HeldPass } from '../data/held-pass.ts';
import type { Workspace } from '../workspace.ts';
import { ScheduleCard } from './schedule-card.ts';
import { ScheduleCommands } from './schedule-commands.ts';

export class PassDetail {
  readonly #space: Workspace;
  readonly #card: ScheduleCard;

  constructor(space: Workspace, done: () => void) {
    this.#space = space;
    const commands = new ScheduleCommands(() => {
      done();
      space.soon();
    });
    this.#card = new ScheduleCard(space, commands);
  }

  view(held: HeldPass, schedules: readonly Schedule[]): unknown {
    const { pass, gateway } = held.view;
    const now = this.#space.clock.now();
    const isAhead = held.los > now && pass.status !== 'cancelled';
    const address = { ...this.#space.address, query: { ...this.#space.address.query, form: 'yes' } };
    return html`<section class="panel" aria-labelledby="pass-title"><h2 id="pass-title" class="name" tabindex="-1">${pass.target} over ${pass.station} <span class="mono">${pass.id}</span></h2>
      <p>${statusBadge(pass.status)} ${whenWords(held, now)}</p>
      <dl class="facts">
        <dt>AOS</dt><dd class="mono">${dateTime(held.aos)}</dd><dt>LOS</dt><dd class="mono">${dateTime(held.los)} <span class="muted">${duration(held.los - held.aos)}</span></dd>
        <dt>elevation</dt><dd>${pass.max_elevation}</dd>
        <dt>gateway</dt><dd>${gatewayWords(gateway)}</dd>
        <dt>uplink</dt><dd>${pass.uplink === false ? html`<span class="badge warn">receive-only</span>` : ratesWords(pass) || 'yes'}</dd>
        ${pass.transceiver === undefined ? nothing : html`<dt>transceiver</dt><dd>${pass.transceiver}</dd>`}
        <dt>source</dt><dd>${sourcesWords(held.view)}</dd>
      </dl>
      <h3>Scheduled on it</h3>
      ${schedules.length === 0 ? html`<p class="muted">Nothing.</p>` : html`<ul class="schedules">${schedules.map((schedule) => this.#card.view(schedule, held))}</ul>`}
      ${isAhead ? html`<p><a href=${fragmentOf(address)}>Schedule a run on this pass…</a></p>` : nothing}</section>`;
  }
}

export function statusBadge(status: PassView['pass']['status']): unknown {
  if (status === 'booked') return html`<span class="badge ok">● booked</span>`;
  return status === 'cancelled'
    ? html`<span class="badge bad">✗ cancelled</span>`
    : html`<span class="badge">○ predicted</span>`;
}

export function whenWords({ aos, los }: HeldPass, now: number): string {
  if (aos > now) return `AOS in ${duration(aos - now)}`;
  return los > now ? `in progress, LOS in ${duration(los - now)}` : `over for ${duration(now - los)}`;
}

export function gatewayWords(gateway: PassView['gateway']): unknown {
  if (gateway === undefined) return html`<span class="muted">not checked yet</span>`;
  return gateway.gateway ?? html`<span class="bad">✗ none: ${gateway.reason}</span>`;
}

function ratesWords({ rates }: PassView['pass']): string {
  return [rates?.uplink && `up ${rates.uplink}`, rates?.downlink && `down ${rates.downlink}`]
    .filter(Boolean)
    .join(', ');
}

/** What each source says, where they differ from what is stored. */
function sourcesWords({ pass }: PassView): unknown {
  const said = Object.values(pass.contributions ?? {});
  if (said.length === 0) return `${pass.source}${pass.feeder === undefined ? '' : ` (${pass.feeder})`}`;
  return said.map(
    ({ source, feeder, status, aos, los }) =>
      html`<div>${source}${feeder === undefined ? '' : ` (${feeder})`}: ${status}${aos === pass.aos && los === pass.los ? '' : html`, <span class="mono">${dateTime(Date.parse(aos))}</span> to <span class="mono">${dateTime(Date.parse(los))}</span>`}</div>`,
  );
}
