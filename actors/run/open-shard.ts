/**
 * What the parts of a shard share: the runs that are open here, where they are entered, and whether the shard is still
 * this process's. Part of a shard (`shard.ts`).
 */

import { setMaxListeners } from 'node:events';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { SHARD_OPEN_RUNS } from '../../contract/limits/run.ts';
import type { Program } from '../../contract/program.ts';
import type { RunChartEvent, RunInput } from '../../machines/run/protocol.ts';
import type { KeptEnvelopes } from '../../messaging/kept-envelopes.ts';
import type { KnownIn, KnownPast } from '../../messaging/known-past.ts';
import { LowWaterMark, type LowWaterMarkOptions } from '../../messaging/low-water-mark.ts';
import { retryWhileBusIsAway } from '../../messaging/while-bus-is-away.ts';
import type { Cells } from '../../ports/cells.ts';
import type { Tokens } from '../../ports/tokens.ts';
import { IndexWriter } from './index-writer.ts';
import type { HeldRun } from './open-run.ts';
import { OpenRuns } from './open-runs.ts';
import type { RunServices } from './services.ts';

export interface ShardOptions {
  /** `0` to `7` */
  readonly shard: string;
  readonly epoch: number;
  readonly services: RunServices;
  readonly tokens: Tokens;
  readonly cells: Cells<RunInput, RunChartEvent>;
  readonly past?: KnownPast;
  /** What is kept of its runs beside their logs; default: nothing. */
  readonly kept?: KeptEnvelopes;
  /** Whether the shard is still this process's, now. */
  readonly holds: () => boolean;
  /** Aborted when the shard is not this process's any more, also while it is being started. */
  readonly over?: AbortSignal | undefined;
  /** The shard cannot continue: its owner starts it again. */
  readonly failed: (error: unknown) => void;
}

/** Positions below which everything is read and logged, by stream. */
interface Stands extends Readonly<Record<string, number>> {
  readonly submission: number;
  readonly answer: number;
}

export class OpenShard {
  readonly options: ShardOptions;
  readonly runs = new Map<string, HeldRun>();
  readonly openRuns: OpenRuns;
  readonly index: IndexWriter;
  readonly mark: LowWaterMark<Stands>;
  readonly stopping = new AbortController();
  #room: (() => void) | undefined;
  #lastEvent: KnownIn | undefined;

  /**
   * `stands`: where the low-water mark may stand now; `known`: the last messages known (low-water-mark.F3);
   * `lossFound`: low-water-mark.F7.
   */
  constructor(
    options: ShardOptions,
    { stands, known, lossFound }: Pick<LowWaterMarkOptions<Stands>, 'stands' | 'known' | 'lossFound'>,
  ) {
    this.options = options;
    const { shard, epoch, services, failed, past, over } = options;
    const { bus, clock, log } = services;
    // Every run of it may wait for the bus at the same time.
    setMaxListeners(0, this.stopping.signal);
    const stop = (): void => this.stopping.abort('the shard is over');
    if (over?.aborted) stop();
    else over?.addEventListener('abort', stop, { signal: this.stopping.signal });
    this.openRuns = new OpenRuns(bus, shard);
    this.index = new IndexWriter(bus, clock, this.stopping.signal, () => options.holds());
    this.mark = new LowWaterMark({
      bus,
      clock,
      log,
      epoch,
      name: `runs.${shard}`,
      lost: failed,
      stands,
      ...(known !== undefined && { known }),
      ...(lossFound !== undefined && { lossFound }),
      past,
      first: { submission: 1, answer: 1 },
      about: [streams.runSubmissions, streams.runAnswers, streams.runs],
    });
  }

  /** The last event of any of its runs that was stored here. */
  get lastEvent(): KnownIn | undefined {
    return this.#lastEvent;
  }

  storedEvent(run: string, seq: number): void {
    if (seq <= (this.#lastEvent?.seq ?? 0)) return;
    const at = this.options.services.clock.now();
    this.#lastEvent = { stream: streams.runs, seq, at, subject: subject.runEvents(run) };
  }

  /** Why a run gets an end: the mission that is in force does not have one of its targets any more. */
  hasLeft({ targets }: Program): string | undefined {
    const mission = this.options.services.missions.current;
    const left = Object.values(targets).find((target) => mission?.targets.has(target) === false);
    return left === undefined ? undefined : `${left} is not in the topology any more`;
  }

  /** Once the shard is left nothing of it comes to life again (shard.S7). */
  get isStopped(): boolean {
    return this.stopping.signal.aborted;
  }

  /** Undefined once the shard is left. */
  whileBusIsAway<Value>(step: () => Promise<Value>): Promise<{ readonly value: Value } | undefined> {
    return retryWhileBusIsAway({ clock: this.options.services.clock, signal: this.stopping.signal }, step);
  }

  /** Resolves when one more run may be open here. */
  roomForOne(): Promise<void> | undefined {
    if (this.runs.size < SHARD_OPEN_RUNS) return undefined;
    return new Promise((resolve) => {
      this.#room = resolve;
    });
  }

  /** Lets go whoever waits for room. */
  makeRoom(): void {
    this.#room?.();
  }
}
