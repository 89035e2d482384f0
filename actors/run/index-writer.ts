/**
 * Writes what the list of runs shows (bucket `mcs_runs`), from the log as it grows. Mission Control Service, section
 * 2.3 (RunSummary).
 *
 * I1. The executor that holds a run is the only one that writes its entry, one write at a time; what comes meanwhile is
 *     in the next one, and the last state is always written. A write that an owner of before has still under way meets
 *     another revision; an owner that was overtaken writes no more, also one that slept between reading the revision
 *     and writing.
 * I2. While the bus is away it tries on: the list may be late, it is never wrong for good.
 * I3. What changes nothing but the time of the last event is written once in `TIME_EVERY_MS`: a log that grows line by
 *     line would else cost as many writes again.
 */

import { buckets } from '../../contract/bus/buckets.ts';
import type { RunSummary } from '../../contract/run.ts';
import { retryWhileBusIsAway } from '../../messaging/while-bus-is-away.ts';
import type { Bucket, Bus } from '../../ports/bus.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import { assertStillHeld } from './still-held.ts';

/** A person who looks at a list sees no difference. */
const TIME_EVERY_MS = 1_000;

export class IndexWriter {
  readonly #bucket: Bucket;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #holds: () => boolean;
  readonly #waiting = new Map<string, RunSummary>();
  readonly #writing = new Map<string, Promise<void>>();
  /** What is written last, without its time; and writes of the time that are put off (I3). */
  readonly #shown = new Map<string, string>();
  readonly #later = new Map<string, TimerHandle>();
  /** Of the entry that was written last. */
  readonly #revisions = new Map<string, number>();

  /** `holds`: whether the run is still this process's, now. */
  constructor(bus: Bus, clock: Clock, signal: AbortSignal, holds: () => boolean) {
    this.#bucket = bus.bucket(buckets.runs);
    this.#clock = clock;
    this.#signal = signal;
    this.#holds = holds;
  }

  /** The summary of a run has changed. */
  changed(summary: RunSummary): void {
    this.#waiting.set(summary.run, summary);
    this.#goOn(summary.run);
  }

  /** Resolves when the last state of the run is written, or the writer was ended; forgets the run. */
  async settled(run: string): Promise<void> {
    while (this.#waiting.has(run) || this.#writing.has(run)) {
      if (!this.#writing.has(run)) this.#writeNow(run);
      await this.#writing.get(run);
    }
    this.#shown.delete(run);
    this.#revisions.delete(run);
  }

  #goOn(run: string): void {
    const next = this.#waiting.get(run);
    if (next === undefined || this.#writing.has(run)) return;
    if (shownOf(next) !== this.#shown.get(run)) this.#writeNow(run);
    else if (!this.#later.has(run))
      this.#later.set(
        run,
        this.#clock.setTimeout(() => this.#writeNow(run), TIME_EVERY_MS),
      );
  }

  #writeNow(run: string): void {
    const later = this.#later.get(run);
    if (later !== undefined) this.#clock.clearTimeout(later);
    this.#later.delete(run);
    const written = this.#write(run).finally(() => {
      this.#writing.delete(run);
      this.#goOn(run);
    });
    this.#writing.set(run, written);
  }

  async #write(run: string): Promise<void> {
    const next = this.#next(run);
    if (next === undefined) return;
    this.#shown.set(run, shownOf(next));
    const value = Buffer.from(JSON.stringify(next));
    await retryWhileBusIsAway({ clock: this.#clock, signal: this.#signal }, () => this.#put(run, value));
  }

  async #put(run: string, value: Uint8Array): Promise<void> {
    for (;;) {
      const expected = this.#revisions.get(run) ?? (await this.#bucket.get(run))?.revision ?? 0;
      if (this.#signal.aborted) return;
      assertStillHeld(run, this.#holds);
      const written = await this.#bucket.put(run, value, expected);
      if (written.outcome === 'written') return void this.#revisions.set(run, written.revision);
      this.#revisions.delete(run);
    }
  }

  #next(run: string): RunSummary | undefined {
    const next = this.#waiting.get(run);
    this.#waiting.delete(run);
    return this.#signal.aborted ? undefined : next;
  }
}

/** Everything the list shows of a run but the time of its last event. */
function shownOf({ updated_at: _, ...shown }: RunSummary): string {
  return JSON.stringify(shown);
}
