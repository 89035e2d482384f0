/** Every alarm that needs somebody, and what can be done with many of them at once. */

import { html, nothing } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import type { AlarmReaction } from '../../../contract/alarm-reaction.ts';
import { reactionWords } from '../../../contract/alarm-reaction-words.ts';
import { clockTime, dateTime, duration } from '../../moment.ts';
import { fragmentOf, onPage } from '../address.ts';
import { ageView } from '../parts/age.ts';
import { counted } from '../parts/counted.ts';
import { isTicked, typedIn } from '../parts/dom-value.ts';
import { valueText, withUnit } from '../parts/limits.ts';
import { needsView } from '../parts/needs.ts';
import { needsName } from '../parts/permission.ts';
import { refusalView } from '../parts/refusal.ts';
import { whyLink } from '../parts/why.ts';
import { standingOfRun } from '../runs/run-order.ts';
import type { Page, Workspace } from '../workspace.ts';
import { type AlarmCommand, AlarmCommands } from './alarm-commands.ts';
import { type AlarmRow, alarmRows, STATE_WORDS, TERMS, valueWords } from './alarm-rows.ts';

/** More at once are a flood: the filter is there for it. */
const SHOWN = 500;
/** A time of day alone is of today for half as long. */
const DAY_MS = 86_400_000;

export class AlarmsPage implements Page {
  readonly title = 'Alarms';
  readonly #space: Workspace;
  readonly #commands: AlarmCommands;
  readonly #chosen = new Set<string>();
  #term: string = TERMS[1];

  constructor(space: Workspace) {
    this.#space = space;
    this.#commands = new AlarmCommands(space.soon);
  }

  view(): unknown {
    const { alarms, runs, reactions } = this.#space;
    const all = alarmRows(alarms.all, runs.answer?.runs ?? [], (alarm) => reactions.of(alarm));
    const rows = all.filter((row) => this.#isAskedFor(row));
    this.#forgetOthers(rows);
    const chosen = rows.filter(({ key }) => this.#chosen.has(key));
    return html`<h1>Alarms</h1>
      ${alarms.isRead ? nothing : html`<p class="muted">Reading the alarms…</p>`} ${refusalView(alarms.refusal)}
      ${this.#bar(rows, chosen)}
      <p class="muted" role="status">${rows.length === all.length ? '' : `${rows.length} of `}${counted(all.length, 'alarm')}${rows.length > SHOWN ? `; the first ${SHOWN} are shown` : ''}</p>
      ${alarms.isLive && all.length === 0 ? html`<p class="empty">✓ Every alarm is normal, and none is shelved.</p>` : this.#table(rows)}`;
  }

  /** What is not asked for any more is not chosen either; looked for by key, since all of thousands may be chosen. */
  #forgetOthers(rows: readonly AlarmRow[]): void {
    if (this.#chosen.size === 0) return;
    const keys = new Set(rows.map(({ key }) => key));
    for (const key of this.#chosen) if (!keys.has(key)) this.#chosen.delete(key);
  }

  #isAskedFor({ target, path, alarm }: AlarmRow): boolean {
    const { find = '', only = '', severity = '' } = this.#space.address.query;
    if (only === 'target' && target !== this.#space.target) return false;
    if (severity !== '' && alarm.record.severity !== severity) return false;
    return `${target} ${path}`.toLowerCase().includes(find.toLowerCase());
  }

  #bar(rows: readonly AlarmRow[], chosen: readonly AlarmRow[]): unknown {
    const { query } = this.#space.address;
    const can = chosen.filter(({ canAcknowledge }) => canAcknowledge);
    const shelved = chosen.filter(({ shelvedUntil }) => shelvedUntil !== undefined);
    const busy = this.#commands.underWay > 0;
    const needs = needsView(needsName(this.#space.caller.answer));
    return html`<div class="tools" role="group" aria-label="What to show">
        <label>Find <input type="search" .value=${query['find'] ?? ''} @input=${(event: Event) => this.#space.select({ find: typedIn(event) })} /></label>
        <label>Severity <select @change=${(event: Event) => this.#space.select({ severity: typedIn(event) })}>
          ${['', 'critical', 'warning'].map((each) => html`<option value=${each} ?selected=${each === (query['severity'] ?? '')}>${each || 'any'}</option>`)}</select></label>
        <label><input type="checkbox" .checked=${query['only'] === 'target'} @change=${(event: Event) => this.#space.select({ only: isTicked(event) ? 'target' : '' })} /> only ${this.#space.target}</label>
      </div>
      <div class="tools" role="group" aria-label="With the selected alarms">
        <label><input type="checkbox" .checked=${rows.length > 0 && chosen.length === rows.length} .indeterminate=${chosen.length > 0 && chosen.length < rows.length}
          @change=${(event: Event) => this.#chooseAll(rows, isTicked(event))} /> all</label>
        <button class="primary" ?disabled=${busy || can.length === 0} @click=${() => this.#give('acknowledge', can)}>Acknowledge ${can.length || ''}${needs}</button>
        <button ?disabled=${busy || chosen.length === 0} @click=${() => this.#give('shelve', chosen)}>Shelve ${chosen.length || ''} for ${this.#term}${needs}</button>
        <label>Term <input class="short" list="terms" .value=${this.#term} @input=${(event: Event) => this.#setTerm(typedIn(event))} /></label>
        <datalist id="terms">${TERMS.map((term) => html`<option value=${term}></option>`)}</datalist>
        <button ?disabled=${busy || shelved.length === 0} @click=${() => this.#give('unshelve', shelved)}>Unshelve ${shelved.length || ''}${needs}</button>
        ${busy ? html`<span role="status">${this.#commands.underWay} under way…</span>` : nothing}
      </div>`;
  }

  #table(rows: readonly AlarmRow[]): unknown {
    return html`<div class="scroll" tabindex="0" role="region" aria-label="Table of alarms">
      <table class="alarms"><thead><tr><th scope="col"><span class="unseen">Select</span></th><th scope="col"><span class="word">severity</span></th><th scope="col">alarm</th><th scope="col">value and limit</th><th scope="col">now</th><th scope="col">state</th><th scope="col">since</th><th scope="col">reaction</th><th scope="col">shelved</th></tr></thead>
      <tbody>${repeat(
        rows.slice(0, SHOWN),
        ({ key }) => key,
        (row) => this.#row(row),
      )}</tbody></table></div>`;
  }

  #row(row: AlarmRow): unknown {
    const { key, target, path, alarm } = row;
    const { record } = alarm;
    const measure = this.#space.catalogues.of(target)?.byName.get(path);
    const { value, crossed } = valueWords(alarm, measure);
    const outcome = this.#commands.outcomes.get(key);
    const plot = fragmentOf(onPage(this.#space.address, 'values', '', { target, plot: path }));
    return html`<tr class="${record.state.toLowerCase()} ${record.severity ?? ''}">
      <td><input type="checkbox" aria-label="Select ${target} ${path}" .checked=${this.#chosen.has(key)} @change=${(event: Event) => this.#choose(key, isTicked(event))} /></td>
      <td><span class="badge ${record.severity === 'critical' ? 'bad' : 'warn'}">${record.severity === 'critical' ? '▲' : '△'} <span class="word">${record.severity ?? 'none'}</span></span></td>
      <td><strong>${target}</strong> ${measure === undefined ? path : html`<a href=${plot}>${path}</a>`}
        ${outcome?.refusal === undefined ? nothing : refusalView(outcome.refusal, `Whether the service took “${outcome.command}” is not known; it may be given again.`)}</td>
      <td class="num">${value} <span class="muted">${crossed}</span></td>
      <td class="num">${this.#now(row, measure?.unit)}</td>
      <td>${STATE_WORDS[record.state]}${record.cause === 'acknowledged' && record.by !== undefined ? html` <span class="muted">by ${record.by}</span>` : nothing} ${whyLink('alarm', key, target, `alarm ${target} ${path}`)}</td>
      <td>${this.#since(record.active_since)}</td>
      <td>${this.#reaction(row)}</td>
      <td>${this.#shelved(row)}</td></tr>`;
  }

  /** The current value, where its target is the one that is followed. */
  #now({ target, path }: AlarmRow, unit: string | undefined): unknown {
    const live = target === this.#space.values?.target ? this.#space.values.byName.get(path) : undefined;
    return live === undefined
      ? html`<span class="muted">–</span>`
      : html`${withUnit(valueText(live.sample.value), unit)} ${ageView(live.groundAt, this.#space.clock.now())}`;
  }

  #since(since: string | undefined): unknown {
    if (since === undefined) return html`<span class="muted">–</span>`;
    const at = Date.parse(since);
    const age = Math.max(0, this.#space.clock.now() - at);
    const words = age < DAY_MS / 2 ? `${clockTime(at).slice(0, 8)}Z` : dateTime(at);
    return html`<span title=${dateTime(at)}>${words}</span>, <span class="muted">for ${duration(age)}</span>`;
  }

  /** Those that wait, each with what for; else the last one. */
  #reaction({ target, reaction, held }: AlarmRow): unknown {
    if (held.length > 0) return held.map((each) => this.#heldReaction(target, each));
    if (reaction === undefined) return html`<span class="muted">none</span>`;
    return html`<a href=${this.#runLink(reaction.run)}>${reaction.procedure}</a> ${standingOfRun(reaction)}`;
  }

  #heldReaction(target: string, reaction: AlarmReaction): unknown {
    const { run = '', procedure } = reaction;
    const words = reactionWords(target, reaction, (text) => `${clockTime(Date.parse(text)).slice(0, 8)}Z`);
    return html`<p class="held"><a href=${this.#runLink(run)}>${procedure}</a> <strong class="warn">${words}</strong></p>`;
  }

  #runLink(run: string): string {
    return fragmentOf(onPage(this.#space.address, 'runs', run, { target: this.#space.target }));
  }

  #shelved({ shelvedUntil, alarm }: AlarmRow): unknown {
    if (shelvedUntil === undefined) return nothing;
    const left = shelvedUntil - this.#space.clock.now();
    return html`<span class="badge">${left > 0 ? `${duration(left)} left` : 'ends now'}</span> <span class="muted">${alarm.record.cause === 'shelved' ? `by ${alarm.record.by ?? ''}` : ''}</span>`;
  }

  #choose(key: string, on: boolean): void {
    if (on) this.#chosen.add(key);
    else this.#chosen.delete(key);
    this.#space.soon();
  }

  #chooseAll(rows: readonly AlarmRow[], on: boolean): void {
    this.#chosen.clear();
    if (on) for (const { key } of rows) this.#chosen.add(key);
    this.#space.soon();
  }

  #setTerm(term: string): void {
    this.#term = term;
    this.#space.soon();
  }

  #give(command: AlarmCommand, rows: readonly AlarmRow[]): void {
    void this.#commands.give(command, rows, this.#term, this.#space.operator);
  }
}
