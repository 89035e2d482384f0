/**
 * One process of the cell leads a role of which there is one. Its lease is the entry of the role in bucket
 * `mcs_leader`, renewed three times in its time to live; the revision of the write that took it is the epoch of the
 * leader, its fencing token (`holding.ts`). Mission Control Service, sections 4.4 (recovery) and 8.
 *
 * D1. A standby takes over when its own clock has seen the same revision unchanged for `TAKE` of the time to live that
 *     the entry names, and nobody wrote since: no two clocks are compared, and no two processes need the same
 *     configuration.
 * D2. A leader that has not renewed for `HOLD` of that time, counted from before the sending, stops by itself: before
 *     any standby may begin.
 * D3. One that is known to be gone from this machine is replaced at once, as is one that stops in order (holding.H3).
 *     A renewal is tried for a third of the time to live, because another one follows. Giving the lease back happens
 *     once, so it is tried for as long as any other write to the bus.
 */

import { buckets } from '../../contract/bus/buckets.ts';
import { BUS_RETRY_MS } from '../../contract/limits/bus.ts';
import type { Bus, Watch } from '../../ports/bus.ts';
import type { Clock, Random, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Supervisor } from '../supervisor.ts';
import { Holding, supervisorOf } from './holding.ts';
import type { OwnedWork, Ownerships, Worker, WorkerContext } from './owned-worker.ts';

/** What is led: a name of the cell, and the worker of whoever leads it. */
export interface LeadWork {
  readonly name: string;
  start(context: WorkerContext): Promise<Worker>;
}

/** What the entry of a leader says to the standbys. */
interface LeadTerms {
  /** How long the owner may be silent. */
  readonly ttlMs: number;
}

interface LeadershipOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly instance: string;
  /** Whether that process is known to have ended (D3). */
  readonly isGone: (instance: string) => boolean;
  readonly work: LeadWork;
  readonly escalated: (reason: string) => void;
}

/** The newest write of this leader that is known to be stored. */
interface Renewed {
  /** Own time before it was sent. */
  readonly at: number;
  /** What whoever reads the entry counts by. */
  readonly ttlMs: number;
}

/** Share of the time to live after which a leader without a renewal gives up by itself (D2). */
const HOLD = 0.7;
/**
 * Share after which a standby takes over (D1): past `HOLD` with room for a write on its way, and in all within the
 * whole.
 */
const TAKE = 0.9;

export class Leadership implements Ownerships {
  readonly prefix = 'leader';
  readonly #options: LeadershipOptions;
  readonly #supervisor: Supervisor;
  readonly #holding: Holding<LeadTerms>;
  #watch: Watch | undefined;
  #ttlMs: number | undefined;
  #renewed: Renewed = { at: 0, ttlMs: 0 };
  #taking: Promise<void> | undefined;
  #timer: TimerHandle | undefined;
  #watchdog: TimerHandle | undefined;
  #stopped = false;

  constructor(options: LeadershipOptions) {
    this.#options = options;
    const { clock, random, log, work, escalated } = options;
    this.#holding = this.#newHolding();
    const name = `leader ${work.name}`;
    this.#supervisor = supervisorOf({ name, clock, random, log, of: () => this.#holding, escalated });
  }

  async start(): Promise<void> {
    this.#watch = await this.#bucket.watch(this.#holding.name, (_key, entry) => this.#holding.saw(entry));
    await this.#watch.ready;
  }

  /** Stands for the lead, with the time to live that the mission wants. */
  want(ttlMs: number): void {
    this.#ttlMs = ttlMs;
    this.reconcile();
  }

  /** Compares what is with what may be; called when anything of it may have changed. */
  reconcile(): void {
    if (this.#stopped || this.#ttlMs === undefined) return;
    if (this.#holding.worker !== undefined) {
      if (!this.#isInTime) this.#holding.lose();
      return;
    }
    if (this.#taking !== undefined || this.#holding.left !== undefined) return;
    const waitMs = this.#freeIn();
    if (waitMs <= 0) this.#taking = this.#take(this.#ttlMs);
    else this.#later(waitMs);
  }

  /** Whether somebody leads, this process with a worker that runs. */
  get settled(): boolean {
    if (this.#ttlMs === undefined) return true;
    return this.#holding.worker?.running ?? this.#freeIn() > 0;
  }

  get supervisor(): Supervisor {
    return this.#supervisor;
  }

  owned(): OwnedWork[] {
    const view = this.#holding.view(this.#supervisor);
    return view === undefined ? [] : [view];
  }

  /** Starts the worker again after a quarantine; false when there is none. */
  resume(name: string): boolean {
    return this.#supervisor.resume(name);
  }

  /** Gives the lead of a quarantined worker back, to whoever takes it; false when it is not quarantined. */
  reset(name: string): boolean {
    return this.#supervisor.reset(name);
  }

  /** Stops the worker and frees the lease. */
  async drain(): Promise<void> {
    this.#stopped = true;
    this.#supervisor.drain();
    this.#clearTimers();
    await this.#taking;
    void this.#holding.release();
    await this.#holding.left;
    await this.#watch?.stop();
  }

  get #bucket() {
    return this.#options.bus.bucket(buckets.leaders);
  }

  #newHolding(): Holding<LeadTerms> {
    const { clock, log, instance, work } = this.#options;
    return new Holding<LeadTerms>(
      {
        bucket: () => this.#bucket,
        key: (name) => name,
        instance,
        clock,
        log,
        called: { what: 'leadership', field: 'leader' },
        freeTerms: { ttlMs: 0 },
        deadlineMs: ({ ttlMs }) => (ttlMs > 0 ? Math.max(ttlMs / 3, BUS_RETRY_MS) : undefined),
        start: (_name, context) => work.start(context),
        holds: () => this.#isInTime,
        crashed: (name, reason) => this.#supervisor.crashed(name, reason),
        left: (name) => {
          this.#clearTimers();
          this.#supervisor.ended(name);
        },
        changed: () => this.reconcile(),
      },
      work.name,
    );
  }

  // The lease ---------------------------------------------------------------------------------------------------------

  /** D2 */
  get #isInTime(): boolean {
    return this.#heldForMs() > 0;
  }

  #heldForMs(): number {
    const { at, ttlMs } = this.#renewed;
    return at + HOLD * ttlMs - this.#options.clock.monotonic();
  }

  /** After how long the lease may be taken, as far as this process has seen (D1, D3). */
  #freeIn(): number {
    const { lease } = this.#holding;
    if (lease === undefined) return 0;
    const { owner, at, terms } = lease;
    const { instance, clock, isGone } = this.#options;
    if (owner === null || owner === instance || isGone(owner)) return 0;
    return at + TAKE * terms.ttlMs - clock.monotonic();
  }

  async #take(ttlMs: number): Promise<void> {
    const { clock, log } = this.#options;
    this.#renewed = { at: clock.monotonic(), ttlMs };
    let waitMs = 0;
    try {
      await this.#lead(ttlMs);
    } catch (error) {
      log.warn({ err: error, leader: this.#holding.name }, 'leadership not taken');
      waitMs = BUS_RETRY_MS;
    }
    this.#taking = undefined;
    if (this.#holding.worker === undefined && !this.#stopped) this.#later(waitMs);
  }

  async #lead(ttlMs: number): Promise<void> {
    const taken = await this.#holding.take({ ttlMs }, this.#holding.lease);
    if (taken === undefined) return;
    if (this.#stopped) return this.#holding.giveBack(taken.revision);
    // The answer came too late.
    if (!this.#isInTime || this.#holding.hold(taken) === undefined) return;
    this.#options.log.info({ leader: this.#holding.name, epoch: taken.epoch }, 'leads');
    this.#expectRenewal();
    this.#later(ttlMs / 3);
  }

  async #renew(): Promise<void> {
    const { clock, log } = this.#options;
    const { worker, name } = this.#holding;
    const before = this.#renewed;
    const ttlMs = this.#ttlMs ?? before.ttlMs;
    const sentAt = clock.monotonic();
    // Whoever reads the new entry counts by it.
    this.#renewed = { at: before.at, ttlMs: Math.min(before.ttlMs, ttlMs) };
    let waitMs = ttlMs / 3;
    try {
      const isStored = await this.#holding.renew({ ttlMs });
      if (!isStored) waitMs = 0;
      else if (this.#holding.worker === worker) {
        this.#renewed = { at: sentAt, ttlMs };
        this.#expectRenewal();
      }
    } catch (error) {
      log.warn({ err: error, leader: name }, 'leadership not renewed');
      waitMs = Math.min(waitMs, BUS_RETRY_MS);
    }
    if (this.#holding.worker === worker) this.#later(waitMs);
  }

  /** D2, whatever its writes are waiting for. */
  #expectRenewal(): void {
    const { clock } = this.#options;
    if (this.#watchdog !== undefined) clock.clearTimeout(this.#watchdog);
    this.#watchdog = clock.setTimeout(() => this.reconcile(), Math.max(0, this.#heldForMs()));
  }

  /** The one timer: a leader renews, a standby looks whether the lease is free. */
  #later(waitMs: number): void {
    const { clock } = this.#options;
    if (this.#timer !== undefined) clock.clearTimeout(this.#timer);
    this.#timer = clock.setTimeout(() => {
      this.reconcile();
      if (this.#holding.worker !== undefined) void this.#renew();
    }, waitMs);
  }

  #clearTimers(): void {
    for (const timer of [this.#timer, this.#watchdog]) {
      if (timer !== undefined) this.#options.clock.clearTimeout(timer);
    }
  }
}
