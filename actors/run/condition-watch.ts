/**
 * A judgement followed over time: what was stored since it began is read first, then what comes; in the order of
 * reception, of several targets in that of their moments. Mission Control Service, sections 2.3 and 3.2.
 *
 * Z1. The verdict does not depend on when somebody looked: samples are judged at their own time, the present counts
 *     only once everything stored has been read, and what came after the window does not count.
 * Z2. An `expect` holds on a sample received after it began: behind where the bus stood when it was first looked at,
 *     whatever its millisecond, or between its begin and that by the clock of the ground. What came before is only what
 *     a change is compared with.
 * Z3. "No" is said when the window is over and everything stored until then has been read.
 */

import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Judgement, Watched } from './judgement.ts';
import type { SampleAt } from './samples.ts';
import type { Row, ValueStream } from './value-stream.ts';

/** By ordinal. */
export type LastSamples = ReadonlyMap<number, SampleAt>;

export interface WatchOptions {
  readonly judgement: Judgement;
  readonly clock: Clock;
  /** Begin and end of the window, ms since 1970. */
  readonly since: number;
  readonly until: number;
  /** Whether only samples of after `since` count (Z2). */
  readonly afterwards: boolean;
  /** Samples received before this are too old to count. */
  readonly oldest: number;
  /** Makes the stream of one target; `hear` gets its rows. */
  readonly open: (
    target: string,
    watched: readonly Watched[],
    hear: (rows: readonly Row[], atHead: boolean) => void,
  ) => ValueStream;
  readonly signal: AbortSignal;
}

export interface WatchVerdict {
  readonly ok: boolean;
  /** The sample of each measure it rests on. */
  readonly last: LastSamples;
}

/** Follows the judgement to its verdict; undefined when `signal` ended it. */
export async function watchCondition(options: WatchOptions): Promise<WatchVerdict | undefined> {
  const { signal } = options;
  if (signal.aborted) return undefined;
  return new Promise((resolve, reject) => {
    const watch = new ConditionWatch(options, (ok) => resolve({ ok, last: watch.last }));
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
    watch.follow().catch(reject);
  });
}

class ConditionWatch {
  readonly last = new Map<number, SampleAt>();
  readonly #options: WatchOptions;
  readonly #settle: (ok: boolean) => void;
  /** Streams whose stored rows have not all been received. */
  #behind = new Set<string>();
  /** Rows received before everything stored was. */
  #early: Row[] = [];
  #caughtUp = false;
  #heard: boolean;
  /** The moment judged last. */
  #judgedAt: number;
  #over = false;
  #timer: TimerHandle | undefined;

  constructor(options: WatchOptions, settled: (ok: boolean) => void) {
    this.#options = options;
    this.#judgedAt = options.since;
    this.#heard = !options.afterwards || options.judgement.reads.length === 0;
    this.#settle = (ok) => {
      if (this.#over) return;
      this.#end();
      settled(ok);
    };
    options.signal.addEventListener('abort', () => this.#end(), { once: true });
  }

  async follow(): Promise<void> {
    const { judgement, open } = this.#options;
    const targets = [...new Set(judgement.reads.map(({ target }) => target))];
    this.#behind = new Set(targets);
    const streams = targets.map((target) => {
      const watched = judgement.reads.filter((each) => each.target === target);
      return open(target, watched, (rows, atHead) => this.#hear(target, rows, atHead));
    });
    await Promise.all(streams.map((stream) => stream.caughtUp()));
    this.#behind.clear();
    this.#caughtUp = true;
    this.#takeEarly();
    await this.#windowEnds();
    await Promise.all(streams.map((stream) => stream.drained()));
    if (this.#over) return;
    this.#judgeNow();
    this.#settle(false);
  }

  #windowEnds(): Promise<void> {
    const { clock, until, signal } = this.#options;
    return new Promise((resolve) => {
      if (this.#over) return resolve();
      const timer = clock.setTimeout(resolve, Math.max(0, Math.ceil(until - clock.now())));
      signal.addEventListener('abort', () => clock.clearTimeout(timer), { once: true });
    });
  }

  #end(): void {
    this.#over = true;
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
  }

  // Rows
  // ------------------------------------------------------------------------------------------------------------------

  #hear(target: string, rows: readonly Row[], atHead: boolean): void {
    if (this.#over) return;
    if (!this.#caughtUp) {
      this.#early.push(...rows);
      return;
    }
    if (atHead) this.#behind.delete(target);
    else this.#behind.add(target);
    this.#take(rows);
    if (!this.#over && this.#behind.size === 0) this.#judgeNow();
  }

  /** What was stored of several targets is judged in one order. */
  #takeEarly(): void {
    const rows = this.#early.sort((a, b) => a.at - b.at);
    this.#early = [];
    this.#take(rows);
    if (!this.#over) this.#judgeNow();
  }

  /** Rows in the order of their moments; those of one moment are judged together. */
  #take(rows: readonly Row[]): void {
    const { until, since } = this.#options;
    for (let first = 0; first < rows.length && !this.#over; ) {
      const { at } = rows[first]!;
      if (at > until) return;
      this.#passTo(at);
      let counts = false;
      let next = first;
      for (; next < rows.length && rows[next]!.at === at; next += 1) {
        const isAfter = at > since || rows[next]!.isBehind;
        counts ||= isAfter;
        this.#feed(rows[next]!, isAfter);
      }
      if (counts) this.#judge(Math.max(this.#judgedAt, at));
      first = next;
    }
  }

  /** `isAfter`: received after the judgement began (Z2). */
  #feed(row: Row, isAfter: boolean): void {
    const { judgement, since, afterwards, oldest } = this.#options;
    const { evaluation } = judgement;
    const { ordinal, value, at, groundMs, timeMs } = row;
    if (groundMs < oldest) return;
    this.last.set(ordinal, { value, timeMs, groundMs, deferred: false });
    if (afterwards && !isAfter) return evaluation.prime(ordinal, value, at);
    this.#heard = true;
    evaluation.feed(ordinal, value, afterwards ? Math.max(at, since) : at);
  }

  // Verdicts
  // --------------------------------------------------------------------------------------------------------------

  #judge(moment: number): void {
    if (this.#over) return;
    this.#judgedAt = moment;
    if (this.#heard && this.#options.judgement.evaluation.truth(moment) === true) this.#settle(true);
  }

  /** Judges each moment before `at` at which something turned without a sample (Z1). */
  #passTo(at: number): void {
    const end = Math.min(at, this.#options.until);
    for (let due = this.#nextDue(); due !== undefined && due < end && !this.#over; due = this.#nextDue()) {
      this.#judge(due);
    }
  }

  /** Everything stored has been received: the present is known. */
  #judgeNow(): void {
    const { clock, until } = this.#options;
    const now = clock.now();
    this.#passTo(now);
    this.#judge(Math.max(this.#judgedAt, Math.min(now, until)));
    if (!this.#over) this.#judgeAgain(now);
  }

  /** A `stable for` becomes true without a new sample. */
  #judgeAgain(now: number): void {
    const { clock, until } = this.#options;
    if (this.#timer !== undefined) clock.clearTimeout(this.#timer);
    const due = this.#nextDue();
    this.#timer =
      due === undefined || due > until
        ? undefined
        : clock.setTimeout(() => this.#judgeNow(), Math.max(0, Math.ceil(due - now)));
  }

  #nextDue(): number | undefined {
    const due = this.#options.judgement.evaluation.deadline(this.#judgedAt);
    return due !== undefined && due > this.#judgedAt ? due : undefined;
  }
}
