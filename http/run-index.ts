/**
 * The newest runs of the cell, as bucket `mcs_runs` reports them: the list of runs is read from here and never scanned
 * from logs. Mission Control Service, section 4.2.
 *
 * N1. At most `RUN_LIST_MOST` runs are kept, those with the highest identifiers: a ULID begins with its time.
 * N2. Nothing is answered before every run of the bucket was seen, and nothing while the bus is away (kept-watch.W1).
 */

import { buckets } from '../contract/bus/buckets.ts';
import { RUN_LIST_MOST } from '../contract/limits/run.ts';
import type { RunSummary } from '../contract/run.ts';
import { readRunEntry } from '../contract/run-wire.ts';
import { keepWatching } from '../messaging/kept-watch.ts';
import type { Bus, Stoppable } from '../ports/bus.ts';
import type { Log } from '../ports/log.ts';

export interface RunIndex extends Stoppable {
  /** Newest first; undefined while it is not known (N2). */
  newest(limit: number): readonly RunSummary[] | undefined;
  /** The entry of a run if it is among the newest. */
  of(run: string): RunSummary | undefined;
  /** Calls the listener at each change of a run from now on, with undefined when it has left the list; ends by its result. */
  onChange(listener: RunListener): () => void;
}

export type RunListener = (run: string, now: RunSummary | undefined) => void;

/** Watches the index from now on. */
export function watchRuns(bus: Bus, log: Log): RunIndex {
  const kept = new NewestRuns();
  const watch = keepWatching({ bus, log }, buckets.runs, (run, entry) => {
    if (entry === undefined || entry.value.length === 0) return kept.remove(run);
    const summary = readRunEntry(entry);
    if (summary === undefined) log.warn({ run }, 'malformed entry in the list of runs skipped');
    else kept.put(summary);
  });
  return {
    newest: (limit) => (watch.live ? kept.newest(limit) : undefined),
    of: (run) => kept.get(run),
    onChange: (listener) => kept.onChange(listener),
    stop: () => watch.stop(),
  };
}

/**
 * The bucket is read from its oldest entry on, each newer than nearly all before: what one costs must not depend on how
 * many are kept (N1).
 */
class NewestRuns {
  readonly #byRun = new Map<string, RunSummary>();
  /** Their identifiers, the oldest first. */
  readonly #order: string[] = [];
  readonly #listeners = new Set<RunListener>();

  onChange(listener: RunListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  get(run: string): RunSummary | undefined {
    return this.#byRun.get(run);
  }

  put(summary: RunSummary): void {
    const { run } = summary;
    const isNew = !this.#byRun.has(run);
    this.#byRun.set(run, summary);
    if (isNew) this.#order.splice(this.#placeOf(run), 0, run);
    const oldest = this.#order.length > RUN_LIST_MOST ? this.#order.shift()! : undefined;
    if (oldest !== undefined) this.#byRun.delete(oldest);
    if (oldest === run) return;
    if (oldest !== undefined) this.#tell(oldest, undefined);
    this.#tell(run, summary);
  }

  remove(run: string): void {
    if (!this.#byRun.delete(run)) return;
    this.#order.splice(this.#placeOf(run), 1);
    this.#tell(run, undefined);
  }

  #tell(run: string, now: RunSummary | undefined): void {
    for (const listener of this.#listeners) listener(run, now);
  }

  newest(limit: number): RunSummary[] {
    const from = Math.max(0, this.#order.length - limit);
    return this.#order
      .slice(from)
      .reverse()
      .map((run) => this.#byRun.get(run)!);
  }

  /** Of the first that is not older; from the end, where nearly all of them go. */
  #placeOf(run: string): number {
    let place = this.#order.length;
    while (place > 0 && this.#order[place - 1]! >= run) place -= 1;
    return place;
  }
}
