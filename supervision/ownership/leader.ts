/**
 * One process of the cell leads a role of which there is one. Its lease is the entry of the role in bucket
 * `mcs_leader`, renewed three times in its time to live; the revision of the write that took it is the epoch of the
 * leader, its fencing token. Mission Control Service, sections 4.4 (recovery) and 8.
 *
 * D1. A standby takes over when its own clock has seen the same revision unchanged for `TAKE` of the time to live that
 *     the entry names, and nobody wrote since: no two clocks are compared, and no two processes need the same
 *     configuration.
 * D2. A leader that has not renewed for `HOLD` of that time, counted from before the sending, stops by itself: before
 *     any standby may begin.
 * D3. A leader that stops in order frees the lease when its worker writes no more; one that is known to be gone from
 *     this machine is replaced at once.
 * D4. The lease is not taken again before the former worker here has stopped: there is never more than one.
 * D5. Whether a write arrived whose answer was lost is read from the entry: it names its owner.
 * D6. Epochs rise also where the store went back: whoever takes the lease writes down the highest it knows, and its own
 *     is above it. A leader whose lease is not in the store any more leads nothing.
 */

import { buckets } from '../../contract/bus/buckets.ts';
import { BUS_RETRY_MS } from '../../contract/limits.ts';
import type { Bus, Entry, Watch } from '../../ports/bus.ts';
import type { Clock, Random, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { DEFAULT_INTENSITY, Supervisor } from '../supervisor.ts';
import {
  type OwnedWork,
  OwnedWorker,
  type Ownerships,
  type Worker,
  type WorkerContext,
} from './owned-worker.ts';

/** What is led: a name of the cell, and the worker of whoever leads it. */
export interface LeadWork {
  readonly name: string;
  start(context: WorkerContext): Promise<Worker>;
}

/** Entry of bucket `mcs_leader`. */
interface Lease {
  /** Null: free. */
  readonly owner: string | null;
  /** How long the owner may be silent. */
  readonly ttlMs: number;
  /** The highest epoch there was before that of the owner (D6). */
  readonly after?: number;
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

interface Seen {
  readonly lease: Lease;
  readonly revision: number;
  /** Own time at which this revision was first seen. */
  readonly at: number;
}

interface Held {
  readonly worker: OwnedWorker;
  /** Of the newest write of this leader that is known to be stored. */
  revision: number;
  /** Own time before that write was sent. */
  renewedAt: number;
  ttlMs: number;
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
  #watch: Watch | undefined;
  #ttlMs: number | undefined;
  #seen: Seen | undefined;
  #held: Held | undefined;
  /** No epoch is known that was above it (D6). */
  #highest = 0;
  /** The former owned worker, while its worker is being stopped (D4). */
  #leaving: OwnedWorker | undefined;
  #left: Promise<void> = Promise.resolve();
  #taking: Promise<void> | undefined;
  #renewal: Promise<void> = Promise.resolve();
  #timer: TimerHandle | undefined;
  #watchdog: TimerHandle | undefined;
  #stopped = false;

  constructor(options: LeadershipOptions) {
    this.#options = options;
    const { clock, random, log, work } = options;
    this.#supervisor = new Supervisor({
      input: { ...DEFAULT_INTENSITY, name: `leader ${work.name}` },
      clock,
      random,
      log,
      children: {
        restart: () => void this.#held?.worker.start(),
        quarantined: () => undefined,
        released: (_name, reset) => void (reset ? this.#release() : this.#held?.worker.start()),
        escalated: options.escalated,
      },
    });
  }

  async start(): Promise<void> {
    this.#watch = await this.#bucket.watch(this.#name, (_key, entry) => {
      this.#saw(entry);
      this.reconcile();
    });
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
    if (this.#held !== undefined) {
      if (!this.#isHeld(this.#held)) this.#abandon(this.#held);
      return;
    }
    if (this.#taking !== undefined || this.#leaving !== undefined) return;
    const waitMs = this.#freeIn();
    if (waitMs <= 0) this.#taking = this.#take(this.#ttlMs);
    else this.#later(waitMs);
  }

  /** Whether somebody leads, this process with a worker that runs. */
  get settled(): boolean {
    if (this.#ttlMs === undefined) return true;
    return this.#held === undefined ? this.#freeIn() > 0 : this.#held.worker.running;
  }

  owned(): OwnedWork[] {
    if (this.#held !== undefined) return [this.#held.worker.view(this.#name, this.#supervisor)];
    if (this.#leaving === undefined) return [];
    const { epoch } = this.#leaving;
    return [{ name: this.#name, epoch, state: 'stopping', crashes: 0, reason: undefined }];
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
    this.#release();
    await this.#left;
    await this.#watch?.stop();
  }

  get #name(): string {
    return this.#options.work.name;
  }

  get #bucket() {
    return this.#options.bus.bucket(buckets.leaders);
  }

  // The lease ---------------------------------------------------------------------------------------------------------

  #isHeld({ renewedAt, ttlMs }: Held): boolean {
    return this.#options.clock.monotonic() - renewedAt < HOLD * ttlMs;
  }

  /** After how long the lease may be taken, as far as this process has seen (D1, D3). */
  #freeIn(): number {
    if (this.#seen === undefined) return 0;
    const { lease, at } = this.#seen;
    const { instance, clock, isGone } = this.#options;
    if (lease.owner === null || lease.owner === instance || isGone(lease.owner)) return 0;
    return at + TAKE * lease.ttlMs - clock.monotonic();
  }

  #saw(entry: Entry | undefined): void {
    const held = this.#held;
    if (entry === undefined) {
      this.#seen = undefined;
      if (held !== undefined) this.#abandon(held);
      return;
    }
    if ((this.#seen?.revision ?? 0) >= entry.revision && entry.rewound !== true) return;
    const lease = leaseIn(entry);
    this.#know(lease, entry.revision);
    if (held === undefined) return;
    if (entry.rewound === true) return this.#abandon(held);
    if (entry.revision <= held.revision) return;
    if (lease.owner === this.#options.instance) held.revision = entry.revision;
    else this.#abandon(held);
  }

  #know(lease: Lease, revision: number): void {
    this.#seen = { lease, revision, at: this.#options.clock.monotonic() };
    this.#highest = Math.max(this.#highest, revision, (lease.after ?? 0) + 1);
  }

  async #write(lease: Lease, expected: number): Promise<number | undefined> {
    const value = Buffer.from(JSON.stringify(lease));
    const written = await this.#bucket.put(this.#name, value, expected, {
      deadlineMs: Math.max(lease.ttlMs / 3, BUS_RETRY_MS),
    });
    if (written.outcome === 'conflict') return undefined;
    if ((this.#seen?.revision ?? 0) < written.revision) this.#know(lease, written.revision);
    return written.revision;
  }

  /**
   * Reads what a watch may not have reported yet (D5): later than what was known when it asked, or the store went back.
   */
  async #look(): Promise<void> {
    const before = this.#seen?.revision;
    const entry = await this.#bucket.get(this.#name);
    if (this.#seen?.revision !== before) return;
    const wentBack = entry !== undefined && before !== undefined && entry.revision < before;
    this.#saw(wentBack ? { ...entry, rewound: true } : entry);
  }

  async #take(ttlMs: number): Promise<void> {
    const { clock, instance, log } = this.#options;
    const renewedAt = clock.monotonic();
    let waitMs = 0;
    try {
      const after = this.#highest;
      const revision = await this.#write({ owner: instance, ttlMs, after }, this.#seen?.revision ?? 0);
      const epoch = Math.max(revision ?? 0, after + 1);
      if (revision === undefined) await this.#look();
      else await this.#took({ worker: this.#worker(epoch), revision, renewedAt, ttlMs });
    } catch (error) {
      log.warn({ err: error, leader: this.#name }, 'leadership not taken');
      waitMs = BUS_RETRY_MS;
    }
    this.#taking = undefined;
    if (this.#held === undefined && !this.#stopped) this.#later(waitMs);
  }

  async #took(held: Held): Promise<void> {
    if (this.#stopped) return this.#free(held.revision);
    // Somebody else has taken it since, and the watch was faster than the answer; or the answer came too late.
    if ((this.#seen?.revision ?? 0) > held.revision || !this.#isHeld(held)) return;
    this.#options.log.info({ leader: this.#name, epoch: held.worker.epoch }, 'leads');
    this.#held = held;
    void held.worker.start();
    this.#expectRenewal(held);
    this.#later(held.ttlMs / 3);
  }

  async #renew(held: Held): Promise<void> {
    const { clock, instance, log } = this.#options;
    const ttlMs = this.#ttlMs ?? held.ttlMs;
    const sentAt = clock.monotonic();
    // Whoever reads the new entry counts by it.
    held.ttlMs = Math.min(held.ttlMs, ttlMs);
    let waitMs = ttlMs / 3;
    try {
      const lease: Lease = { owner: instance, ttlMs, after: held.worker.epoch - 1 };
      const revision = await this.#write(lease, held.revision);
      if (revision === undefined) {
        await this.#look();
        waitMs = 0;
      } else if (this.#held === held) {
        Object.assign(held, { revision: Math.max(held.revision, revision), renewedAt: sentAt, ttlMs });
        this.#expectRenewal(held);
      }
    } catch (error) {
      log.warn({ err: error, leader: this.#name }, 'leadership not renewed');
      waitMs = Math.min(waitMs, BUS_RETRY_MS);
    }
    if (this.#held === held) this.#later(waitMs);
  }

  /** D2, whatever its writes are waiting for. */
  #expectRenewal({ renewedAt, ttlMs }: Held): void {
    const { clock } = this.#options;
    if (this.#watchdog !== undefined) clock.clearTimeout(this.#watchdog);
    this.#watchdog = clock.setTimeout(
      () => this.reconcile(),
      Math.max(0, renewedAt + HOLD * ttlMs - clock.monotonic()),
    );
  }

  /** The one timer: a leader renews, a standby looks whether the lease is free. */
  #later(waitMs: number): void {
    const { clock } = this.#options;
    if (this.#timer !== undefined) clock.clearTimeout(this.#timer);
    this.#timer = clock.setTimeout(() => {
      this.reconcile();
      if (this.#held !== undefined) this.#renewal = this.#renew(this.#held);
    }, waitMs);
  }

  #clearTimers(): void {
    for (const timer of [this.#timer, this.#watchdog]) {
      if (timer !== undefined) this.#options.clock.clearTimeout(timer);
    }
  }

  // The worker --------------------------------------------------------------------------------------------------------

  #worker(epoch: number): OwnedWorker {
    const { clock, log, work } = this.#options;
    const worker: OwnedWorker = new OwnedWorker({
      epoch,
      clock,
      log: log.child({ leader: work.name }),
      start: (context) => work.start(context),
      holds: () => this.#held?.worker === worker && this.#isHeld(this.#held),
      crashed: (reason) => this.#supervisor.crashed(work.name, reason),
    });
    return worker;
  }

  /** Stops the worker and gives the lead back (D3). */
  #release(): void {
    const held = this.#held;
    if (held !== undefined) this.#leave(held, () => this.#renewal.then(() => this.#free(held.revision)));
  }

  /** The lease is lost: somebody else has it, or may have it soon (D2). */
  #abandon(held: Held): void {
    this.#options.log.warn({ leader: this.#name, epoch: held.worker.epoch }, 'leadership lost');
    this.#leave(held);
  }

  #leave({ worker }: Held, then?: () => Promise<void>): void {
    this.#held = undefined;
    this.#leaving = worker;
    this.#clearTimers();
    this.#supervisor.ended(this.#name);
    this.#left = worker
      .end()
      .then(then)
      .then(() => {
        this.#leaving = undefined;
        this.reconcile();
      });
  }

  async #free(expected: number): Promise<void> {
    const { log, instance } = this.#options;
    try {
      const free: Lease = { owner: null, ttlMs: 0, after: this.#highest };
      const freed = await this.#write(free, expected);
      if (freed !== undefined) return;
      await this.#look();
      if (this.#seen?.lease.owner === instance) await this.#write(free, this.#seen.revision);
    } catch (error) {
      log.warn({ err: error, leader: this.#name }, 'leadership not released');
    }
  }
}

/** What cannot be read says nothing of an owner. */
function leaseIn({ value }: Entry): Lease {
  try {
    const {
      owner = null,
      ttlMs = 0,
      after = 0,
    } = JSON.parse(Buffer.from(value).toString()) as Partial<Lease>;
    return { owner, ttlMs, after };
  } catch {
    return { owner: null, ttlMs: 0 };
  }
}
