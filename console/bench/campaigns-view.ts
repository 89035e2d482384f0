/**
 * Campaigns and their runs: started, paused, resumed, a step done again, with every attempt. RF Bench Service, rule 1.
 */

import type { Attempt, CampaignState, CampaignSummary } from '../../contract/bench/run.ts';
import { arrange, byId, element, setAttribute, setText } from '../element.ts';
import { duration } from '../moment.ts';
import { act, read } from './bench-service.ts';
import { OutcomeLine } from './outcome-line.ts';
import { RatesView } from './rates-view.ts';
import { optionFor, showOptions } from './run-options.ts';

const VERDICTS = { true: ['ok', '✓ passed'], false: ['bad', '✗ failed'], null: ['', 'no verdict'] } as const;
const TONES: Readonly<Record<Attempt['outcome'], string>> = {
  passed: 'ok',
  failed: 'bad',
  error: 'bad',
  aborted: 'warn',
  skipped: 'muted',
  inconclusive: 'warn',
};
const SIGNS: Readonly<Record<Attempt['outcome'], string>> = {
  passed: '✓',
  failed: '✗',
  error: '■',
  aborted: '▲',
  skipped: '○',
  inconclusive: '?',
};
/** A run with this status is over, and its steps may be done again. */
const OVER: readonly CampaignState['status'][] = ['finished', 'failed', 'aborted'];

export class CampaignsView {
  readonly #changed: () => void;
  readonly #openReport: (runId: string) => void;
  readonly #outcome = new OutcomeLine(byId('campaign-outcome', HTMLElement));
  readonly #choice = byId('campaign-choice', HTMLSelectElement);
  readonly #runs = byId('campaign-runs', HTMLSelectElement);
  readonly #pause = byId('campaign-pause', HTMLButtonElement);
  readonly #resume = byId('campaign-resume', HTMLButtonElement);
  readonly #rates = new RatesView();
  readonly #rows = new Map<string, HTMLTableRowElement>();
  #states: readonly CampaignState[] = [];
  #summaries: readonly CampaignSummary[] = [];
  #drawn = '';

  constructor(changed: () => void, openReport: (runId: string) => void) {
    this.#changed = changed;
    this.#openReport = openReport;
    const start = byId('campaign-start', HTMLButtonElement);
    start.addEventListener('click', () => void this.#start(start));
    this.#choice.addEventListener('change', () => this.#describe());
    this.#runs.addEventListener('change', () => this.#showRun());
    this.#pause.addEventListener('click', () => void this.#order(this.#pause, 'pause'));
    this.#resume.addEventListener('click', () => void this.#order(this.#resume, 'resume'));
  }

  async refresh(): Promise<void> {
    [this.#summaries, this.#states] = await Promise.all([
      read<readonly CampaignSummary[]>('/api/v1/campaigns'),
      read<readonly CampaignState[]>('/api/v1/campaign-runs'),
    ]);
    showOptions(
      this.#choice,
      this.#summaries.map(({ name, display_name, steps }) =>
        optionFor(name, `${display_name ?? name} (${steps} steps)`),
      ),
    );
    this.#describe();
    this.#list();
  }

  /** Reads one run again. */
  async follow(id: string): Promise<void> {
    const run = await read<CampaignState>(`/api/v1/campaign-runs/${encodeURIComponent(id)}`);
    this.#states = this.#states.map((each) => (each.id === id ? run : each));
    this.#list();
  }

  #list(): void {
    showOptions(
      this.#runs,
      this.#states.map((run) => optionFor(run.id, `${run.campaign} · ${statusWords(run)} · ${run.id}`)),
    );
    this.#showRun();
  }

  #describe(): void {
    const summary = this.#summaries.find(({ name }) => name === this.#choice.value);
    const cron = summary?.cron === undefined ? '' : ` Starts automatically: ${summary.cron} (UTC).`;
    setText(
      byId('campaign-about', HTMLElement),
      summary === undefined ? '' : `${summary.description}${cron}`,
    );
  }

  get #chosen(): CampaignState | undefined {
    return this.#states.find(({ id }) => id === this.#runs.value);
  }

  #showRun(): void {
    const run = this.#chosen;
    const drawn = JSON.stringify(run ?? null);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const section = byId('campaign-run', HTMLElement);
    section.hidden = run === undefined;
    byId('campaign-none', HTMLElement).hidden = run !== undefined;
    if (run === undefined) return;
    const [tone, words] = VERDICTS[`${run.verdict}`];
    const badge = byId('campaign-verdict', HTMLElement);
    setText(badge, words);
    setAttribute(badge, 'class', `badge ${tone}`);
    setText(byId('campaign-status', HTMLElement), progressWords(run));
    const bar = byId('campaign-bar', HTMLProgressElement);
    bar.max = Math.max(1, run.total_steps);
    bar.value = run.cursor;
    this.#pause.disabled = run.status !== 'running' || run.pause_requested;
    this.#resume.disabled = run.status !== 'paused' && run.status !== 'interrupted';
    this.#showAttempts(run);
    const sweep = run.attempts.findLast(({ points }) => points !== undefined && points.length > 0);
    void this.#rates.show(run.campaign, sweep);
  }

  /** Rows are kept: attempts are only added, and whoever stands on a button stays there. */
  #showAttempts(run: CampaignState): void {
    const keyOf = (at: number): string => `${run.id}|${at}|${OVER.includes(run.status)}`;
    const rows = run.attempts.map((attempt, at) => {
      const row = this.#rows.get(keyOf(at)) ?? this.#row(run, attempt);
      this.#rows.set(keyOf(at), row);
      return row;
    });
    const keys = new Set(run.attempts.map((_, at) => keyOf(at)));
    for (const key of this.#rows.keys()) if (!keys.has(key)) this.#rows.delete(key);
    arrange(byId('attempts', HTMLTableElement).tBodies[0]!, rows);
  }

  #row(run: CampaignState, attempt: Attempt): HTMLTableRowElement {
    const { step, outcome, detail, run_id } = attempt;
    const actions = element('td', { class: 'actions' });
    if (run_id !== undefined) {
      const open = element('button', { type: 'button', 'aria-label': `Report of ${step}` }, 'Report');
      open.addEventListener('click', () => this.#openReport(run_id));
      actions.append(open);
    }
    if (OVER.includes(run.status)) {
      const again = element('button', { type: 'button', 'aria-label': `Do ${step} again` }, 'Again');
      again.addEventListener('click', () => void this.#rerun(again, run, step));
      actions.append(again);
    }
    return element(
      'tr',
      {},
      element('th', { scope: 'row', class: 'mono' }, step),
      element('td', { class: TONES[outcome] }, `${SIGNS[outcome]} ${outcome}`),
      element('td', {}, detail),
      element('td', { class: 'mono muted' }, momentWords(run, attempt)),
      actions,
    );
  }

  async #start(button: HTMLButtonElement): Promise<void> {
    const path = `/api/v1/campaigns/${encodeURIComponent(this.#choice.value)}/run`;
    const state = await this.#outcome.run(button, () => act<CampaignState>('POST', path), startedWords);
    await this.refresh();
    if (state !== undefined) this.#runs.value = state.id;
    this.#showRun();
    this.#changed();
  }

  async #order(button: HTMLButtonElement, order: 'pause' | 'resume'): Promise<void> {
    const run = this.#chosen;
    if (run === undefined) return;
    const path = `/api/v1/campaign-runs/${encodeURIComponent(run.id)}/${order}`;
    await this.#outcome.run(
      button,
      () => act<CampaignState>('POST', path),
      () => (order === 'pause' ? 'it pauses at the next step' : 'it resumes'),
    );
    this.#drawn = '';
    await this.refresh();
    this.#changed();
  }

  async #rerun(button: HTMLButtonElement, run: CampaignState, step: string): Promise<void> {
    const path = `/api/v1/campaign-runs/${encodeURIComponent(run.id)}/steps/${encodeURIComponent(step)}/rerun`;
    await this.#outcome.run(
      button,
      () => act<CampaignState>('POST', path),
      () => `${step} is done again`,
    );
    await this.refresh();
    this.#changed();
  }
}

function startedWords({ campaign, id }: CampaignState): string {
  return `${campaign} started as ${id}`;
}

/** From the start of the daemon; of an attempt under another start of it, that too: the two do not compare. */
function momentWords(run: CampaignState, { at_uptime_ms, uptime_since: since }: Attempt): string {
  const moment = `+${duration(at_uptime_ms)}`;
  if (since === undefined || since === run.uptime_since) return moment;
  return `${moment} after the restart at ${since.slice(11, 19)}Z`;
}

function statusWords({ status, verdict, pause_requested }: CampaignState): string {
  if (pause_requested) return 'pausing at the next step';
  return status === 'finished' ? VERDICTS[`${verdict}`][1].replace(/^. /, '') : status;
}

function progressWords(run: CampaignState): string {
  const { cursor, total_steps, attempts, started_at_uptime_ms } = run;
  const attempted = `${attempts.length} ${attempts.length === 1 ? 'attempt' : 'attempts'}`;
  const began = `began ${duration(started_at_uptime_ms)} after the daemon started`;
  return `${statusWords(run)} · ${cursor} of ${total_steps} steps · ${attempted} · ${began}`;
}
