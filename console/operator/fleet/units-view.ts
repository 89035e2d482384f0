/** Bench units: which live, how they are, what they are busy with, and their verbs. */

import { html, nothing } from 'lit-html';
import type { SelftestReport, UnitList, UnitVerb, UnitView } from '../../../contract/unit.ts';
import { duration } from '../../moment.ts';
import { order } from '../../service.ts';
import { Polled } from '../data/polled.ts';
import { counted } from '../parts/counted.ts';
import { Deeds } from '../parts/deeds.ts';
import { typedIn } from '../parts/dom-value.ts';
import { needsView } from '../parts/needs.ts';
import { needsRole } from '../parts/permission.ts';
import { refusalView } from '../parts/refusal.ts';
import type { Workspace } from '../workspace.ts';
import type { FleetPart } from './fleet-part.ts';

const EVERY_MS = 2_000;
const UNKNOWN =
  'Whether the unit took it is not known: its version and activity stand here when it answers again.';

export class UnitsView implements FleetPart {
  readonly #space: Workspace;
  readonly #deeds: Deeds;
  #units: Polled<UnitList> | undefined;
  /** The verb and serial number that are about to be ordered. */
  #asked = '';

  constructor(space: Workspace) {
    this.#space = space;
    this.#deeds = new Deeds(space.soon);
  }

  shown(): void {
    this.#units = new Polled('/v1/units', EVERY_MS, this.#space.calmly);
  }

  left(): void {
    this.#units?.close();
    this.#units = undefined;
    this.#asked = '';
  }

  view(): unknown {
    const { answer, refusal } = this.#units ?? {};
    const units = answer?.units ?? [];
    return html`${refusalView(refusal)}
      <p class="muted" role="status">${answer === undefined ? 'Asking…' : `${counted(units.length, 'unit')}, ${units.filter(({ alive }) => alive).length} alive`}</p>
      ${answer !== undefined && units.length === 0 ? html`<p class="empty">No unit has registered.</p>` : nothing}
      ${units.map((unit) => this.#one(unit))}`;
  }

  #one(unit: UnitView): unknown {
    const { serial, software, hardware_revision, alive, health, last_heard, activity, gateways } = unit;
    const silence = duration(Math.max(0, this.#space.clock.now() - Date.parse(last_heard)));
    return html`<section class="panel" aria-label="Unit ${serial}"><h2 class="name">${serial}</h2>
      <p><span class=${alive ? 'ok' : 'bad'}>${alive ? '● alive' : '✗ silent'}</span> <span class=${health.state === 'ok' ? '' : 'warn'}>${health.state}</span> ${health.reason ?? ''}
        <span class="muted">${software.name} ${software.version}, hardware ${hardware_revision}, last message ${silence} ago</span></p>
      ${activity === undefined ? nothing : html`<p>${activity.verb}: ${activity.phase} ${activity.percent === undefined ? nothing : html`<progress max="100" value=${activity.percent} aria-label="${activity.verb} of ${serial}"></progress> ${activity.percent.toFixed(0)} %`}</p>`}
      <ul class="plain">${gateways.map(
        ({
          name,
          registered,
          health: state,
          links,
        }) => html`<li><strong>${name}</strong> <span class=${state.state === 'up' ? 'ok' : 'bad'}>${state.state === 'up' ? '●' : '✗'} ${state.state}</span> ${state.reason ?? ''}
        <span class="muted">${registered ? '' : 'not on the bus; '}${links.map(({ target, link }) => `${target} ${link}`).join(', ')}</span></li>`,
      )}</ul>
      ${this.#verbs(serial)} ${this.#update(serial)} ${this.#outcomes(serial)}</section>`;
  }

  #verbs(serial: string): unknown {
    const needs = needsView(needsRole(this.#space.caller.answer, 'supervisor'));
    const reboot = `reboot ${serial}`;
    return html`<div class="choices">
      <button ?disabled=${this.#deeds.isUnderWay(`selftest ${serial}`)} @click=${() => this.#order(serial, 'selftest')}>${this.#deeds.isUnderWay(`selftest ${serial}`) ? 'Testing…' : 'Self-test'}</button>
      ${
        this.#asked === reboot
          ? html`<button @click=${() => this.#ask('')}>Do not reboot</button><button class="danger" @click=${() => this.#order(serial, 'reboot')}>Reboot ${serial} now${needs}</button>`
          : html`<button ?disabled=${this.#deeds.isUnderWay(reboot)} @click=${() => this.#ask(reboot)}>Reboot…${needs}</button>`
      }
      <button aria-expanded=${this.#asked === `update ${serial}` ? 'true' : 'false'} @click=${() => this.#ask(this.#asked === `update ${serial}` ? '' : `update ${serial}`)}>Update…${needs}</button></div>`;
  }

  #update(serial: string): unknown {
    if (this.#asked !== `update ${serial}`) return nothing;
    const { query } = this.#space.address;
    const { image = '', version = '' } = query;
    const isWhole = URL.canParse(image) && version.trim() !== '';
    return html`<form class="tools" aria-label="Update ${serial}" @submit=${(event: Event) => {
      event.preventDefault();
      if (isWhole) this.#order(serial, 'update', { image, version: version.trim() });
    }}>
      <label>Image <input class="wide" .value=${image} placeholder="https://…" @input=${(event: Event) => this.#space.select({ image: typedIn(event) })} /></label>
      <label>Version <input class="short" .value=${version} placeholder="1.5.0" @input=${(event: Event) => this.#space.select({ version: typedIn(event) })} /></label>
      <button class="danger" type="submit" ?disabled=${!isWhole}>Install on ${serial}${needsView(needsRole(this.#space.caller.answer, 'supervisor'))}</button></form>`;
  }

  #outcomes(serial: string): unknown {
    const report = this.#deeds.answerOf(`selftest ${serial}`) as SelftestReport | undefined;
    const refused = (['selftest', 'update', 'reboot'] as const).map((verb) =>
      refusalView(this.#deeds.refusalOf(`${verb} ${serial}`), UNKNOWN),
    );
    const accepted = (['update', 'reboot'] as const).filter((verb) =>
      this.#deeds.answerOf(`${verb} ${serial}`),
    );
    return html`${refused}
      ${report === undefined ? nothing : selftestView(report)}
      ${accepted.map((verb) => html`<p role="status" class="ok">✓ ${serial} has begun: ${verb}. It is over when the unit answers again.</p>`)}`;
  }

  #ask(asked: string): void {
    this.#asked = asked;
    this.#space.soon();
  }

  #order(serial: string, verb: UnitVerb, body?: object): void {
    if (verb !== 'selftest') this.#ask('');
    const path = `/v1/units/${encodeURIComponent(serial)}/${verb}`;
    void this.#deeds.give(`${verb} ${serial}`, () => order(path, body, this.#space.operator));
  }
}

/** As the unit said it: one of others may say something else. */
function selftestView({ passed, checks }: Partial<SelftestReport>): unknown {
  return html`<p role="status" class=${passed === true ? 'ok' : 'bad'}>${passed === true ? '✓ self-test passed' : '✗ self-test failed'}</p>
    <ul class="plain">${(checks ?? []).map(({ name, passed: ok, detail }) => html`<li><span class=${ok ? 'ok' : 'bad'}>${ok ? '✓' : '✗'}</span> ${name} <span class="muted">${detail ?? ''}</span></li>`)}</ul>`;
}
