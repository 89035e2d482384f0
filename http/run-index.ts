/**
 * The newest runs of the cell, as bucket `mcs_runs` reports them: the list of runs is read from here and never scanned
 * from logs. Mission Control Service, section 4.2.
 *
 * N1. At most `RUN_LIST_MOST` runs are kept, those with the highest identifiers: a ULID begins with its time.
 * N2. Nothing is answered before every run of the bucket was seen, and nothing while the bus is away (kept-watch.W1).
 */

import { buckets } from '../contract/bus/buckets.ts';
import { RUN_LIST_MOST } from '../contract/limits.ts';
import type { RunIndexEntry, RunSummary } from '../contract/run.ts';
import { isUlid } from '../contract/token.ts';
import { keepWatching } from '../messaging/kept-watch.ts';
import type { Bus, Entry, Stoppable } from '../ports/bus.ts';
import type { Log } from '../ports/log.ts';

export interface RunIndex extends Stoppable {
  /** Newest first; undefined while it is not known (N2). */
  newest(limit: number): readonly RunSummary[] | undefined;
  /** The entry of a run if it is among the newest. */
  of(run: string): RunSummary | undefined;
}

/** Watches the index from now on. */
export function watchRuns(bus: Bus, log: Log): RunIndex {
  const kept = new NewestRuns();
  const watch = keepWatching({ bus, log }, buckets.runs, (run, entry) => {
    if (entry === undefined || entry.value.length === 0) return kept.remove(run);
    const summary = readEntry(entry);
    if (summary === undefined) log.warn({ run }, 'malformed entry in the list of runs skipped');
    else kept.put(summary);
  });
  return {
    newest: (limit) => (watch.live ? kept.newest(limit) : undefined),
    of: (run) => kept.get(run),
    stop: () => watch.stop(),
  };
}

/** N1. */
class NewestRuns {
  readonly #byRun = new Map<string, RunSummary>();

  get(run: string): RunSummary | undefined {
    return this.#byRun.get(run);
  }

  put(summary: RunSummary): void {
    this.#byRun.set(summary.run, summary);
    if (this.#byRun.size > RUN_LIST_MOST) this.#byRun.delete(this.#sorted().at(-1)!);
  }

  remove(run: string): void {
    this.#byRun.delete(run);
  }

  newest(limit: number): RunSummary[] {
    return this.#sorted()
      .slice(0, limit)
      .map((run) => this.#byRun.get(run)!);
  }

  #sorted(): string[] {
    return [...this.#byRun.keys()].sort().reverse();
  }
}

function readEntry({ key, value }: Entry): RunSummary | undefined {
  try {
    const entry = JSON.parse(Buffer.from(value).toString()) as Partial<RunIndexEntry> | null;
    return entry?.run === key && isUlid(key) ? (entry as RunSummary) : undefined;
  } catch {
    return undefined;
  }
}
