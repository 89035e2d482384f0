/**
 * The worker of something this process owns for a while, a partition or a leadership: started, started again when it
 * fails, stopped for good when the ownership ends. Who owns what is decided elsewhere.
 *
 * W1. Starts and stops never overlap: there is at most one worker of one ownership.
 * W2. A worker fails once: what it says after that is of the same failure.
 * W3. That the bus is away is no fault of a worker and costs it no patience: it is started again in a moment. What
 *     takes long and fails is tried ever more seldom, for it may be what is too much for the bus: the pause grows, and
 *     is no longer than the attempt was.
 * W4. Of one that cannot be started nothing goes on: no timer, no follower, nothing that listens.
 * W6. What is given back is still this process's until its worker has stopped (holding.H3): what is on its way is
 *     finished. What is lost is somebody else's at once.
 * W7. One that finds a later epoch than its own is not started again under it: its lease is given back, to be taken
 *     above that epoch (holding.H5).
 * W5. One that is still being started when the ownership ends is not waited for in vain: `over` ends what it waits for,
 *     which may be that it holds again.
 */

import { BUS_RETRY_MS } from '../../contract/limits/bus.ts';
import { Outage } from '../../contract/outage.ts';
import { growingPauseMs } from '../../messaging/while-bus-is-away.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { Overtaken } from '../../ports/overtaken.ts';
import type { Supervisor, Trouble } from '../supervisor.ts';

export interface Worker {
  /** Resolves when nothing of it writes any more. */
  stop(): Promise<void>;
}

/** Starts a worker; what it has begun when that fails is stopped (W4). */
export async function begun<Begun extends Worker & { start(): Promise<void> }>(
  worker: Begun,
): Promise<Begun> {
  try {
    await worker.start();
    return worker;
  } catch (error) {
    // Why it could not be started is what matters.
    await worker.stop().catch(() => undefined);
    throw error;
  }
}

export interface WorkerContext {
  readonly epoch: number;
  /**
   * Whether the others still have to leave what is owned to this process, now: false for one that slept too long and
   * has not noticed yet. Asked before what no epoch guards.
   */
  readonly holds: () => boolean;
  /** Aborted when the ownership ends, also while the worker is being started (W5). */
  readonly over?: AbortSignal;
  /** The worker cannot go on; it is stopped and started again. */
  readonly failed: (error: unknown) => void;
}

export interface OwnedWorkerOptions {
  readonly epoch: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly start: (context: WorkerContext) => Promise<Worker>;
  /** Whether the ownership holds, while it is not over here. */
  readonly holds: () => boolean;
  /** What it owns was written under this later epoch (W7). */
  readonly overtaken?: (epoch: number) => void;
  /** The worker failed and is being stopped; whoever supervises it says when it starts again. */
  readonly crashed: (reason: string) => void;
}

/** Something that this process owns, as people see it. */
export interface OwnedWork {
  readonly name: string;
  readonly epoch: number;
  readonly state: 'starting' | 'running' | 'restarting' | 'quarantined' | 'stopping';
  readonly crashes: number;
  readonly reason: string | undefined;
}

/** What this process owns of one kind, as the inspector sees it and people release it. */
export interface Ownerships {
  readonly prefix: string;
  readonly supervisor: Supervisor;
  owned(): OwnedWork[];
  /** Starts the worker of a quarantined one again; false when it is not quarantined. */
  resume(name: string): boolean;
  /** Gives a quarantined one back; false when it is not quarantined. */
  reset(name: string): boolean;
}

export class OwnedWorker {
  readonly #options: OwnedWorkerOptions;
  #worker: Worker | undefined;
  #turn: Promise<void> = Promise.resolve();
  readonly #ending = new AbortController();
  #holds = true;
  #triedAt = 0;
  /** Outages since it was last started (W3). */
  #outages = 0;

  constructor(options: OwnedWorkerOptions) {
    this.#options = options;
  }

  get epoch(): number {
    return this.#options.epoch;
  }

  get #isOver(): boolean {
    return this.#ending.signal.aborted;
  }

  get running(): boolean {
    return this.#worker !== undefined;
  }

  /**
   * Starts the worker, behind whatever of this ownership is still being stopped; resolves when it runs or has failed.
   */
  start(): Promise<void> {
    this.#turn = this.#turn.then(() => this.#startNow());
    return this.#turn;
  }

  /** Ends the ownership, which is given back or lost (W6); resolves when its worker has stopped. */
  end({ isLost }: { readonly isLost: boolean }): Promise<void> {
    if (isLost) this.#holds = false;
    this.#ending.abort('the ownership is over');
    this.#turn = this.#turn
      .then(() => this.#stopNow())
      .then(() => {
        this.#holds = false;
      });
    return this.#turn;
  }

  /** How it stands under the supervisor that knows it by this name. */
  view(name: string, supervisor: Supervisor): OwnedWork {
    const trouble = supervisor.trouble()[name];
    const state = stateOf(this.running, trouble);
    return { name, epoch: this.epoch, state, crashes: supervisor.crashes(name), reason: trouble?.reason };
  }

  async #startNow(): Promise<void> {
    if (this.#isOver || this.#worker !== undefined) return;
    const { epoch, holds, start, clock } = this.#options;
    this.#triedAt = clock.monotonic();
    let hasFailed = false;
    const failed = (error: unknown): void => {
      if (!hasFailed) this.#failed(error);
      hasFailed = true;
    };
    try {
      this.#worker = await start({
        epoch,
        holds: () => this.#holds && holds(),
        over: this.#ending.signal,
        failed,
      });
      if (!hasFailed) this.#outages = 0;
    } catch (error) {
      failed(error);
    }
  }

  #failed(error: unknown): void {
    if (this.#isOver) return;
    const { clock, log, crashed, overtaken, epoch } = this.#options;
    this.#turn = this.#turn.then(() => this.#stopNow());
    if (error instanceof Outage) return void clock.setTimeout(() => void this.start(), this.#pauseMs());
    log.error({ err: error }, 'worker failed');
    if (error instanceof Overtaken && overtaken !== undefined && error.epoch > epoch)
      return overtaken(error.epoch);
    crashed(error instanceof Error ? error.message : String(error));
  }

  /** W3 */
  #pauseMs(): number {
    const tookMs = this.#options.clock.monotonic() - this.#triedAt;
    const pauseMs = Math.min(growingPauseMs(this.#outages), Math.max(BUS_RETRY_MS, tookMs));
    this.#outages += 1;
    return pauseMs;
  }

  async #stopNow(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker
      ?.stop()
      .catch((error: unknown) => this.#options.log.error({ err: error }, 'worker not stopped'));
  }
}

function stateOf(running: boolean, trouble: Trouble | undefined): OwnedWork['state'] {
  if (trouble?.quarantined === true) return 'quarantined';
  if (running) return 'running';
  return trouble === undefined ? 'starting' : 'restarting';
}
