/** One run: what it waits for, what can be done with it, its steps and its log. */

import { html, nothing } from 'lit-html';
import type { Answer, Choice } from '../../../contract/run.ts';
import type { RunEvent } from '../../../contract/run-event.ts';
import { MEANING_OF, pairsText, runWords } from '../../../contract/run-words.ts';
import { unitsIn } from '../../input-units.ts';
import { progressOf, STEP_LOOK, stepRows } from '../../inspect/run-steps.ts';
import { clockTime, dateTime, duration } from '../../moment.ts';
import { typedIn } from '../parts/dom-value.ts';
import { needsView } from '../parts/needs.ts';
import { needsIdentity, needsRole } from '../parts/permission.ts';
import { refusalView } from '../parts/refusal.ts';
import { whyLink } from '../parts/why.ts';
import type { Workspace } from '../workspace.ts';
import type { FollowedRun } from './followed-run.ts';
import { questionView } from './question-form.ts';
import { standingOfRun } from './run-order.ts';
import { type RunAction, Speaking } from './speaking.ts';

const LOG_SHOWN = 200;
const CHOICES: readonly Choice[] = ['replay', 'skip', 'fail', 'abort'];

export class RunDetail {
  readonly #space: Workspace;
  readonly #speaking: Speaking;
  #run = '';
  #typed = '';
  /** Where the run asked what was typed for. */
  #path = '';
  #choice: Choice = 'replay';
  #isAborting = false;

  constructor(space: Workspace) {
    this.#space = space;
    this.#speaking = new Speaking(space.soon);
  }

  view(followed: FollowedRun): unknown {
    this.#begin(followed);
    const { picture, refusal } = followed;
    const { started } = picture;
    const units = unitsIn(this.#space.mission.answer, started, followed.steps);
    return html`<section aria-labelledby="run-title">
      <h2 id="run-title" class="name" tabindex="-1">${started?.procedure ?? 'Run'} <span class="mono">${followed.run}</span></h2>
      ${refusalView(refusal)}
      ${followed.isLive ? nothing : html`<p class="warn" role="status">Not live at the moment: what stands here may be old. Trying again…</p>`}
      <p>${stateWords(followed)} ${started === undefined ? nothing : html`<span class="muted">${started.library} in ${started.environment}, ${pairsText(started.targets)}${Object.keys(started.inputs).length > 0 ? `; ${pairsText(started.inputs, units(undefined))}` : ''}${started.by === undefined ? '' : `; by ${started.by}`}</span>`}
        ${whyLink('run', followed.run, this.#space.target, `run ${started?.procedure ?? followed.run}`)}</p>
      ${this.#unsent(followed)} ${this.#question_(followed)} ${this.#commands(followed)} ${this.#steps(followed)} ${logView(followed.events, units)}
    </section>`;
  }

  /** What was typed stays until the run asks something else, or its answer was taken. */
  #begin({ run, picture, events }: FollowedRun): void {
    const path = picture.pending?.path ?? this.#path;
    const isAnswered = picture.pending === undefined && events.findLast(isOfQuestion)?.event === 'answered';
    if (run === this.#run && path === this.#path && !isAnswered) return;
    if (run !== this.#run) {
      this.#isAborting = false;
      this.#speaking.forget();
    }
    // A page that was left for a sign-in comes back to the same run, with what was typed in its address.
    const isFirst = this.#run === '';
    const before = run === this.#run && this.#path === '' ? this.#typed : '';
    const typed = isFirst ? (this.#space.address.query['answer'] ?? '') : before;
    this.#run = run;
    this.#path = path;
    this.#type(typed);
  }

  #type(text: string): void {
    if (text === this.#typed) return;
    this.#typed = text;
    this.#space.select({ answer: text });
  }

  /** Somebody else was faster than an answer. */
  #unsent({ picture: { suspended, finished, pending } }: FollowedRun): unknown {
    if (this.#typed === '' || pending !== undefined || finished !== undefined || suspended === undefined)
      return nothing;
    return html`<p class="panel warn" role="status">${suspended.by} suspended the run while you were answering: “${this.#typed}” was not sent. It stands in the form when the run asks again.</p>`;
  }

  #question_(followed: FollowedRun): unknown {
    const { pending, finished } = followed.picture;
    if (pending === undefined || finished !== undefined) return nothing;
    const refused = followed.refusedAnswer;
    const note = html`${this.#speaking.said === 'answer' ? refusalView(this.#speaking.refusal, 'Whether it was taken stands in the log below; the same answer may be given again.') : nothing}
      ${refused === undefined ? nothing : html`<p class="refusal" role="alert">The run did not take it: ${refused}</p>`}`;
    const needs = this.#needs(followed, pending.role);
    const isBusy = this.#speaking.underWay !== '';
    return questionView(pending, this.#typed, isBusy, needs, this.#space.clock.now(), note, {
      typed: (text) => this.#type(text),
      answer: (answer: Omit<Answer, 'path' | 'question'>) => {
        const { path, question } = pending;
        void this.#speaking.answer(followed.run, { ...answer, path, question }, this.#space.operator);
      },
    });
  }

  #commands(followed: FollowedRun): unknown {
    const { finished, suspended } = followed.picture;
    if (finished !== undefined) return nothing;
    const busy = this.#speaking.underWay !== '';
    const needs = needsView(this.#needs(followed));
    const give = (action: RunAction, choice?: Choice): void =>
      void this.#speaking.command(followed.run, action, this.#space.operator, choice);
    return html`<div class="tools" role="group" aria-label="Commands for the run">
      ${
        suspended === undefined
          ? html`<button ?disabled=${busy} @click=${() => give('suspend')}>Suspend${needs}</button>`
          : html`<button class="primary" ?disabled=${busy} @click=${() => give('resume', this.#choice)}>Resume${needs}</button>
          <label>with <select @change=${(event: Event) => this.#choose(typedIn(event) as Choice)}>${CHOICES.map((choice) => html`<option value=${choice} ?selected=${choice === this.#choice}>${choice}: ${MEANING_OF[choice]}</option>`)}</select></label>`
      }
      ${
        this.#isAborting
          ? html`<button @click=${() => this.#ask(false)}>Do not abort</button><button class="danger" ?disabled=${busy} @click=${() => this.#abort(give)}>Abort this run now${needs}</button>`
          : html`<button ?disabled=${busy} @click=${() => this.#ask(true)}>Abort…${needs}</button>`
      }
      ${busy ? html`<span role="status">${this.#speaking.underWay} under way…</span>` : nothing}
    </div>${this.#speaking.said === 'answer' ? nothing : refusalView(this.#speaking.refusal, 'Whether it was taken stands in the log below.')}`;
  }

  /** What is missing to command it, or to answer for the role. */
  #needs({ picture }: FollowedRun, role?: string): string {
    const caller = this.#space.caller.answer;
    const environment = this.#space.environment(picture.started?.environment);
    return needsIdentity(caller, environment) || needsRole(caller, role);
  }

  #choose(choice: Choice): void {
    this.#choice = choice;
    this.#space.soon();
  }

  #ask(isAborting: boolean): void {
    this.#isAborting = isAborting;
    this.#space.soon();
  }

  #abort(give: (action: RunAction) => void): void {
    this.#isAborting = false;
    give('abort');
  }

  #steps({ steps, picture }: FollowedRun): unknown {
    const rows = stepRows(steps, picture);
    const { done, of } = progressOf(rows, steps);
    return html`<h3>Steps <span class="muted">${done} of ${of} done</span></h3>
      <ol class="steps">${rows.map((row) => {
        const { sign, tone } = STEP_LOOK[row.state];
        return html`${row.beginsIfFailed ? html`<li class="muted">if failed:</li>` : nothing}
          <li class="level-${Math.min(row.level, 6)}" aria-current=${row.isCurrent ? 'step' : nothing}><span class=${tone}>${sign}</span>
          <span class="mono">${row.name}</span> <span class="muted">${row.state}${row.attempt > 1 ? `, attempt ${row.attempt}` : ''}${row.reason === undefined ? '' : `: ${row.reason}`}</span></li>`;
      })}</ol>`;
  }
}

function isOfQuestion({ event }: RunEvent): boolean {
  return event === 'asked' || event === 'answered';
}

function stateWords({ picture, run }: FollowedRun): unknown {
  const { pending, suspended, finished, started, at } = picture;
  if (finished !== undefined)
    return html`<span class="badge ${finished.ok ? 'ok' : 'bad'}">${finished.ok ? '✓ passed' : '✗ failed'}</span> ${finished.reason ?? ''} <span class="muted">at ${dateTime(finished.at)};</span>`;
  if (started === undefined)
    return html`<span class="badge">not begun</span> <span class="muted">no event of ${run.slice(-8)} yet</span>`;
  const standing = standingOfRun({
    suspended: suspended !== undefined,
    ...(pending !== undefined && { pending: { path: pending.path, kind: pending.kind } }),
  });
  const by = suspended === undefined ? '' : `by ${suspended.by} at ${dateTime(suspended.at)}`;
  return html`<span class="badge ${standing === 'running' ? 'ok' : 'warn'}">${standing}</span> ${by} <span class="muted">last event ${clockTime(at)};</span>`;
}

function logView(events: readonly RunEvent[], units: ReturnType<typeof unitsIn>): unknown {
  const newest = events.slice(-LOG_SHOWN).reverse();
  return html`<h3>Log <span class="muted">newest first${events.length > LOG_SHOWN ? `, the last ${LOG_SHOWN} of ${events.length}` : ''}</span></h3>
    <div class="scroll log" tabindex="0" role="region" aria-label="Log of the run"><ol reversed>${newest.map(
      (event) => {
        const {
          what,
          text,
          tone,
          notes = [],
          inputs = '',
          verdict,
        } = runWords(event, units('path' in event ? event.path : undefined));
        return html`<li class=${tone}><span class="mono muted">${clockTime(Date.parse(event.at))}</span> <strong>${what}</strong>
        ${'path' in event ? html`<span class="mono">${event.path}</span>` : nothing} ${text} ${inputs} ${notes.join(', ')}
        ${verdict === undefined ? nothing : verdict.ok ? '✓' : html`<span class="bad">✗ ${verdict.reason ?? ''}</span>`}</li>`;
      },
    )}</ol></div>`;
}

/** How long ago a run moved last. */
export function idleWords(at: string | undefined, now: number): string {
  return at === undefined ? '' : `${duration(Math.max(0, now - Date.parse(at)))} ago`;
}
