/**
 * What a scenario run in flight has seen and done: too much, and too short-lived, for its record. RF Bench Service,
 * section 2.
 *
 * L1. It lives as long as the daemon: a run that finds none is of an earlier life.
 * L2. What was asked under one key is done once, also when its cell asks again after a crash.
 * L3. Its time runs here as well as in its chart, until its end begins: what the chart asks for waits for the record.
 */

import type { Measurement } from '../../../contract/bench/datapath.ts';
import type { ExecutionEvent } from '../../../contract/bench/run.ts';
import type { Scenario } from '../../../contract/bench/scenario.ts';
import { BENCH_DETAIL_CHARACTERS } from '../../../contract/limits/bench.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { EntityEvent } from '../../../ports/entity.ts';
import type { BoardHolder } from '../radio/board-user.ts';
import type { ScenarioView } from '../runs/view.ts';
import type { StepOutcome, StepTimes } from './assertion.ts';
import type { Sampler } from './sampler.ts';

interface LifeOptions {
  readonly runId: string;
  readonly scenario: Scenario;
  /** In whose name the board is used. */
  readonly by: BoardHolder;
  /** ms since 1970. */
  readonly startedAt: number;
  /** Rising, whatever is done to the clock. */
  readonly uptime: () => number;
}

export class ScenarioLife {
  readonly runId: string;
  readonly scenario: Scenario;
  readonly by: BoardHolder;
  readonly startedAt: number;
  readonly events: ExecutionEvent[] = [];
  readonly measurements = new Map<string, Measurement>();
  readonly times = new Map<string, StepTimes>();
  readonly outcomes = new Map<string, StepOutcome>();
  /** Where numbers came from. */
  readonly sources = new Set<'pl' | 'stub'>();
  /** The run is over; undefined: its cell is lost. */
  readonly over: Promise<ScenarioView | undefined>;
  sampler: Sampler | undefined;
  cancelRequested = false;
  readonly #uptime: () => number;
  readonly #startedUptime: number;
  readonly #abort = new AbortController();
  readonly #asked = new Map<string, Promise<EntityEvent | undefined>>();
  #ended: Promise<void> | undefined;
  #disarm: () => void = () => undefined;
  #isOver: (view: ScenarioView | undefined) => void = () => undefined;

  constructor({ runId, scenario, by, startedAt, uptime }: LifeOptions) {
    this.runId = runId;
    this.scenario = scenario;
    this.by = by;
    this.startedAt = startedAt;
    this.#uptime = uptime;
    this.#startedUptime = uptime();
    this.over = new Promise((resolve) => {
      this.#isOver = resolve;
    });
  }

  /** ms since the run began. */
  elapsed(): number {
    return Math.max(0, Math.round(this.#uptime() - this.#startedUptime));
  }

  /** Aborted when the timeline is to end. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  abort(): void {
    this.#abort.abort('the run ends');
  }

  tell(kind: string, description: string, step?: string): void {
    this.events.push({
      elapsed_ms: this.elapsed(),
      ...(step !== undefined && { event_id: step }),
      kind,
      description: description.slice(0, BENCH_DETAIL_CHARACTERS),
    });
  }

  /** L3 */
  limit(clock: Clock, ms: number, over: () => void): void {
    if (this.#ended !== undefined) return;
    const timer = clock.setTimeout(over, ms);
    this.#disarm = () => clock.clearTimeout(timer);
  }

  /** What is done at the end is done once, whoever asks for it first. */
  atEnd(work: () => Promise<void>): Promise<void> {
    this.#disarm();
    this.#ended ??= work();
    return this.#ended;
  }

  once(key: string, work: () => Promise<EntityEvent | undefined>): Promise<EntityEvent | undefined> {
    const asked = this.#asked.get(key) ?? work();
    this.#asked.set(key, asked);
    return asked;
  }

  end(view: ScenarioView | undefined): void {
    this.abort();
    this.#disarm();
    this.sampler?.leave();
    this.#isOver(view);
  }
}
