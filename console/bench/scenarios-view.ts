/** Scenarios, the run in flight, and how to end it. */

import type { ActiveRun, ScenarioRun, ScenarioSummary } from '../../contract/bench/run.ts';
import { byId, setText } from '../element.ts';
import { duration } from '../moment.ts';
import { act, read } from './bench-service.ts';
import { OutcomeLine } from './outcome-line.ts';
import { optionFor, showOptions } from './run-options.ts';

export class ScenariosView {
  readonly #changed: () => void;
  readonly #outcome = new OutcomeLine(byId('scenario-outcome', HTMLElement));
  readonly #choice = byId('scenario-choice', HTMLSelectElement);
  readonly #cancel = byId('scenario-cancel', HTMLButtonElement);
  #summaries: readonly ScenarioSummary[] = [];

  constructor(changed: () => void) {
    this.#changed = changed;
    this.#choice.addEventListener('change', () => this.#describe());
    const start = byId('scenario-start', HTMLButtonElement);
    start.addEventListener('click', () => void this.#start(start));
    this.#cancel.addEventListener('click', () => void this.#stop());
  }

  async refresh(): Promise<void> {
    this.#summaries = await read<readonly ScenarioSummary[]>('/api/v1/scenarios');
    showOptions(
      this.#choice,
      this.#summaries.map(({ name, display_name }) => optionFor(name, display_name ?? name)),
    );
    this.#describe();
  }

  active(run: ActiveRun | null): void {
    this.#cancel.disabled = run === null || run.cancel_requested;
    setText(
      byId('scenario-active', HTMLElement),
      run === null ? 'No scenario is running.' : activeWords(run),
    );
  }

  #describe(): void {
    const summary = this.#summaries.find(({ name }) => name === this.#choice.value);
    const profile = summary?.profile_ref === undefined ? '' : ` Profile ${summary.profile_ref}.`;
    setText(byId('scenario-about', HTMLElement), `${summary?.description ?? ''}${profile}`);
  }

  async #start(button: HTMLButtonElement): Promise<void> {
    const path = `/api/v1/scenarios/${encodeURIComponent(this.#choice.value)}/run`;
    await this.#outcome.run(
      button,
      () => act<ScenarioRun>('POST', path),
      ({ scenario_name, run_id }) => `${scenario_name} started as ${run_id}`,
    );
    this.#changed();
  }

  async #stop(): Promise<void> {
    await this.#outcome.run(
      this.#cancel,
      () => act<ScenarioRun>('POST', '/api/v1/scenarios/active/cancel'),
      ({ scenario_name }) => `${scenario_name} was asked to stop`,
    );
    this.#changed();
  }
}

function activeWords({ scenario_name, elapsed_ms, steps_executed, cancel_requested }: ActiveRun): string {
  const steps = steps_executed === undefined ? '' : `, ${steps_executed} steps done`;
  const stopping = cancel_requested ? ', stopping' : '';
  return `${scenario_name} runs for ${duration(elapsed_ms)}${steps}${stopping}.`;
}
