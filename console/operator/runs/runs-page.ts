/** Runs: those that wait for somebody first; one of them in detail, or the start of a new one. */

import { html, nothing } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import type { RunSummary } from '../../../contract/run.ts';
import { duration } from '../../moment.ts';
import { fragmentOf, onPage } from '../address.ts';
import { counted } from '../parts/counted.ts';
import { typedIn } from '../parts/dom-value.ts';
import { refusalView } from '../parts/refusal.ts';
import type { Page, Workspace } from '../workspace.ts';
import { FollowedRun } from './followed-run.ts';
import { idleWords, RunDetail } from './run-detail.ts';
import { inOrder, standingOfRun } from './run-order.ts';
import { StartForm } from './start-form.ts';

const TONES = { waiting: 'warn', suspended: 'warn', running: 'ok', passed: '', failed: 'bad' } as const;
const SIGNS = { waiting: '?', suspended: '‖', running: '▶', passed: '✓', failed: '✗' } as const;

export class RunsPage implements Page {
  readonly title = 'Runs';
  readonly #space: Workspace;
  readonly #detail: RunDetail;
  readonly #start: StartForm;
  #followed: FollowedRun | undefined;

  constructor(space: Workspace) {
    this.#space = space;
    this.#detail = new RunDetail(space);
    space.whenRecovered(() => this.#followed?.reopen());
    this.#start = new StartForm(space, (run) => {
      space.runs.soon();
      space.open('runs', run);
    });
  }

  left(): void {
    this.#follow('');
  }

  view(): unknown {
    const { runs, address } = this.#space;
    const { find = '', start = '' } = address.query;
    const listed = inOrder(runs.answer?.runs ?? []).filter((run) => textOf(run).includes(find.toLowerCase()));
    this.#follow(address.selected);
    return html`<h1>Runs</h1>${refusalView(runs.refusal)}
      <div class="columns two">
      <section class="panel list" aria-label="Runs">
        <label>Find <input type="search" .value=${find} @input=${(event: Event) => this.#space.select({ find: typedIn(event) })} /></label>
        <label>Start <select @change=${(event: Event) => this.#space.open('runs', '', { start: typedIn(event) })}>
          <option value="" ?selected=${start === ''}>a procedure…</option>
          ${(this.#space.mission.answer?.procedures ?? []).map(({ library, procedure }) => {
            const name = `${library}/${procedure}`;
            return html`<option value=${name} ?selected=${name === start}>${procedure} (${library})</option>`;
          })}</select></label>
        <p class="muted" role="status">${runs.answer === undefined ? 'Reading the runs…' : listed.length === 0 ? 'No run.' : `${counted(listed.length, 'run')}, those that wait first`}</p>
        <ul>${repeat(
          listed,
          ({ run }) => run,
          (run) => this.#item(run),
        )}</ul></section>
      <div>${this.#right(start)}</div></div>`;
  }

  #right(start: string): unknown {
    const mission = this.#space.mission.answer;
    if (this.#followed !== undefined) return this.#detail.view(this.#followed);
    if (start !== '' && mission !== undefined) return this.#start.view(start, mission);
    return html`<p class="empty">Choose a run in the list, or a procedure to start.</p>`;
  }

  #item(run: RunSummary): unknown {
    const standing = standingOfRun(run);
    const now = this.#space.clock.now();
    const link = fragmentOf(
      onPage(this.#space.address, 'runs', run.run, {
        target: this.#space.target,
        find: this.#space.address.query['find'] ?? '',
      }),
    );
    const deadline = run.pending?.deadline;
    return html`<li><a href=${link} aria-current=${run.run === this.#space.address.selected ? 'true' : nothing}>
      <span class="badge ${TONES[standing]}">${SIGNS[standing]} ${standing}</span> <strong>${run.procedure}</strong>
      <span class="under muted">${Object.values(run.targets).join(', ')} in ${run.environment}</span>
      ${run.pending?.prompt === undefined || run.finished !== undefined ? nothing : html`<span class="under prompt">${run.pending.prompt}</span>`}
      ${deadline === undefined || run.finished !== undefined ? nothing : html`<span class="warn">${duration(Math.max(0, Date.parse(deadline) - now))} left</span>`}
      <span class="under muted mono">${run.run.slice(-8)} ${idleWords(run.updated_at, now)}</span></a></li>`;
  }

  #follow(run: string): void {
    if ((this.#followed?.run ?? '') === run) return;
    this.#followed?.close();
    this.#followed = run === '' ? undefined : new FollowedRun(run, this.#space.calmly);
  }
}

function textOf({ run, procedure, environment, targets, by = '' }: RunSummary): string {
  return `${run} ${procedure} ${environment} ${Object.values(targets).join(' ')} ${by}`.toLowerCase();
}
