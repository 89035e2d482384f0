/** One schedule on its pass: when it runs, why it may not, what was validated, and what can be done with it. */

import { html, nothing } from 'lit-html';
import type { Schedule } from '../../../contract/schedule.ts';
import { dateTime, duration } from '../../moment.ts';
import { fragmentOf, onPage } from '../address.ts';
import type { HeldPass } from '../data/held-pass.ts';
import { pairsOf } from '../parts/procedure-fields.ts';
import { refusalView } from '../parts/refusal.ts';
import { whyLink } from '../parts/why.ts';
import type { Workspace } from '../workspace.ts';
import type { ScheduleCommands } from './schedule-commands.ts';
import {
  comparison,
  extentOf,
  isOpenSchedule,
  SCHEDULE_LOOK,
  slackOf,
  slackWords,
} from './schedule-words.ts';

export class ScheduleCard {
  readonly #space: Workspace;
  readonly #commands: ScheduleCommands;
  /** Whether to cancel it is asked once more. */
  #cancelling = '';

  constructor(space: Workspace, commands: ScheduleCommands) {
    this.#space = space;
    this.#commands = commands;
  }

  /** `held`: its pass; undefined where it is not known here. */
  view(schedule: Schedule, held: HeldPass | undefined): unknown {
    const { id, state, run, library, environment, by, run_id } = schedule;
    const { sign, word, tone } = SCHEDULE_LOOK[state];
    const isSelected = this.#space.address.query['schedule'] === id;
    return html`<li class="schedule" aria-current=${isSelected ? 'true' : nothing}>
      <p><span class="badge ${tone}">${sign} ${word}</span> <strong>${id}</strong>
        <span class="muted">${by === undefined ? '' : `by ${by}`}</span> ${whyLink('schedule', id, this.#space.target, `schedule ${id}`)}</p>
      <p>${run}${library === undefined ? '' : ` of ${library}`} in ${environment}, <span class="muted">${pairsOf(schedule, this.#space.mission.answer)}</span></p>
      ${this.#when(schedule, held)}
      ${run_id === undefined ? nothing : html`<p>Its run: <a href=${fragmentOf(onPage(this.#space.address, 'runs', run_id, { target: this.#space.target }))}>${run_id}</a></p>`}
      ${schedule.reasons.length === 0 ? nothing : html`<ul class="reasons" aria-label="Why it is ${word}">${schedule.reasons.map((reason) => html`<li>${reason}</li>`)}</ul>`}
      ${(schedule.warnings ?? []).map((warning) => html`<p class="warn">△ ${warning}</p>`)}
      ${schedule.needs_validation || (schedule.validation ?? schedule.fallen) !== undefined ? validationView(schedule, held) : nothing}
      ${isOpenSchedule(schedule) ? this.#buttons(schedule, held) : nothing}
      ${this.#outcome(id)}</li>`;
  }

  #when(schedule: Schedule, held: HeldPass | undefined): unknown {
    const { start } = extentOf(schedule);
    const left = start - this.#space.clock.now();
    const slack = held === undefined ? undefined : slackOf(schedule, held);
    return html`<p><span class="mono">${dateTime(start)}</span> (${schedule.start})${isOpenSchedule(schedule) ? html`, ${left > 0 ? `in ${duration(left)}` : 'its start is here'}` : nothing};
      at most ${schedule.max_duration}${slack === undefined ? nothing : html`, <span class=${slack < 0 ? 'bad' : ''}>${slackWords(slack)}</span>`}${schedule.sends ? '; sends telecommands' : ''}</p>`;
  }

  #buttons(schedule: Schedule, held: HeldPass | undefined): unknown {
    const { id, needs_validation, validation } = schedule;
    const busy = this.#commands.underWay !== '';
    const { operator } = this.#space;
    return html`<div class="tools" role="group" aria-label="Commands for ${id}">
      ${
        needs_validation && validation === undefined && held !== undefined
          ? html`<button class="primary" ?disabled=${busy} @click=${() => void this.#commands.validate(id, operator, { ...held.view.pass, ir: schedule.ir })}>Validate as supervisor</button>`
          : nothing
      }
      ${
        this.#cancelling === id
          ? html`<button @click=${() => this.#ask('')}>Keep it</button><button class="danger" ?disabled=${busy} @click=${() => this.#cancel(id)}>Cancel ${id} now</button>`
          : html`<button ?disabled=${busy} @click=${() => this.#ask(id)}>Cancel…</button>`
      }
      ${this.#commands.underWay === id ? html`<span role="status">under way…</span>` : nothing}</div>`;
  }

  #outcome(id: string): unknown {
    const outcome = this.#commands.outcomes.get(id);
    if (outcome === undefined) return nothing;
    const unknown = `Whether the service took “${outcome.command}” stands here in a moment; it may be given again.`;
    return html`${refusalView(outcome.refusal, unknown)}${outcome.note === undefined ? nothing : html`<p class="refusal" role="alert">${outcome.note}</p>`}`;
  }

  #ask(id: string): void {
    this.#cancelling = id;
    this.#space.soon();
  }

  #cancel(id: string): void {
    this.#cancelling = '';
    void this.#commands.cancel(id, this.#space.operator);
  }
}

/** What was validated beside what is now, or what there is to validate. */
function validationView(schedule: Schedule, held: HeldPass | undefined): unknown {
  const { validation, fallen } = schedule;
  const rows = comparison(schedule, held);
  return html`<table class="compared"><caption>${
    validation !== undefined
      ? `Validated by ${validation.by} at ${dateTime(Date.parse(validation.at))}`
      : fallen !== undefined
        ? `Does not hold any more: validated by ${fallen.by} at ${dateTime(Date.parse(fallen.at))}`
        : 'Needs a validation: what it would hold for'
  }</caption>
    <thead><tr><th scope="col"><span class="unseen">what</span></th><th scope="col">validated</th><th scope="col">now</th></tr></thead>
    <tbody>${rows.map(({ what, validated, now, differs }) => html`<tr class=${differs ? 'differs' : ''}><th scope="row">${what}</th><td class="mono">${validated}</td><td class="mono">${now}${differs ? html` <span class="badge bad">≠ differs</span>` : nothing}</td></tr>`)}</tbody></table>`;
}
