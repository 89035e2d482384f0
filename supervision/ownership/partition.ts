/**
 * Who does which part of the work: lanes of telecommands, the decoding of a gateway, the telemetry of a target, the
 * gateways themselves. A partition has one owner at a time, written by conditional write; the revision of that write is
 * the epoch of the owner, its fencing token (O1).
 *
 * Q1. A partition belongs to the living member that ranks highest for it (rendezvous hashing), so members agree without
 *     talking and few partitions move when members come and go.
 * Q2. An owner is replaced only when it has released the partition or is dead for the one who takes it, and for the bus
 *     (membership.E4).
 * Q3. A process whose own heartbeat fails stops everything it owns before the others may take it (membership.E2).
 * Q4. A worker that fails is started again by the supervisor of its role, under the same ownership (`owned-worker.ts`).
 * Q5. A partition is not claimed again before its former worker here has stopped: there is never more than one.
 * Q6. What changes costs what changed: a few partitions are taken or given back at once, the rest of what is due waits;
 *     what many changes of one moment make due is looked at once.
 * Q7. Epochs rise also where the store of the owners went back: whoever takes a partition writes down the epoch it
 *     knows, and its own is above it. An owner whose entry is not in the store any more owns nothing.
 */

import { buckets } from '../../contract/bus/buckets.ts';
import { PARTITION_MOVES, PARTITION_START_MS } from '../../contract/limits.ts';
import type { Bus, Entry, Watch } from '../../ports/bus.ts';
import type { Clock, Random, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { DEFAULT_INTENSITY, Supervisor } from '../supervisor.ts';
import type { Membership } from './membership.ts';
import {
  type OwnedWork,
  OwnedWorker,
  type Ownerships,
  type Worker,
  type WorkerContext,
} from './owned-worker.ts';
import { Ranking } from './ranking.ts';

/** The partitions of one role, named by the things they stand for. */
export interface PartitionRole {
  readonly role: string;
  /** First segment of the partition names: `lane`, `decoder`, … */
  readonly prefix: string;
  start(name: string, context: WorkerContext): Promise<Worker>;
}

/** Entry of a partition. */
interface Ownership {
  /** Null: free. */
  readonly owner: string | null;
  /** The highest epoch there was before (Q7). */
  readonly after?: number;
}

interface Known {
  readonly owner: string | null;
  readonly revision: number;
  readonly epoch: number;
}

interface Owned {
  readonly worker: OwnedWorker;
  /** Of the entry that says so. */
  readonly revision: number;
}

interface PartitionsOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly instance: string;
  readonly membership: Membership;
  readonly role: PartitionRole;
  readonly escalated: (reason: string) => void;
}

export class Partitions implements Ownerships {
  readonly #options: PartitionsOptions;
  readonly #entries = new Map<string, Known>();
  /** The highest epoch known of each partition, whatever became of its entry (Q7). */
  readonly #highest = new Map<string, number>();
  readonly #owned = new Map<string, Owned>();
  /** Partitions being taken or given back. */
  readonly #moving = new Set<string>();
  /** Partitions no longer owned whose worker is still being stopped (Q5). */
  readonly #leaving = new Map<string, { epoch: number; left: Promise<void> }>();
  readonly #supervisor: Supervisor;
  readonly #ranking = new Ranking();
  /** Partitions to be looked at. */
  readonly #due = new Set<string>();
  #tick: TimerHandle | undefined;
  #wanted: ReadonlySet<string> = new Set();
  /** Of those wanted, one that did not run when it was last asked for. */
  #unsettled: string | undefined;
  #watch: Watch | undefined;
  #stopped = false;

  constructor(options: PartitionsOptions) {
    this.#options = options;
    const { clock, random, log, role } = options;
    this.#supervisor = new Supervisor({
      input: { ...DEFAULT_INTENSITY, name: `${role.role} ${role.prefix}` },
      clock,
      random,
      log,
      children: {
        restart: (name) => this.#restart(name),
        quarantined: () => undefined,
        released: (name, reset) => void (reset ? this.#release(name) : this.#restart(name)),
        escalated: options.escalated,
      },
    });
  }

  async start(): Promise<void> {
    const bucket = this.#options.bus.bucket(buckets.members);
    this.#watch = await bucket.watch(`partition.${this.#options.role.prefix}.*`, (key, entry) =>
      this.#saw(key, entry),
    );
    await this.#watch.ready;
  }

  /** The partitions there are; called when the mission changes. */
  want(names: Iterable<string>): void {
    this.#wanted = new Set(names);
    this.#ranking.setNames(this.#wanted);
    this.reconcile();
    this.#look();
  }

  /** Compares what is with what should be; called at each change of members and at each heartbeat. */
  reconcile(): void {
    if (this.#stopped) return;
    if (!this.#options.membership.holds) return this.#abandonAll();
    for (const name of this.#wanted) this.#due.add(name);
    for (const name of this.#owned.keys()) this.#due.add(name);
    this.#lookSoon();
  }

  /** Names whose worker runs here. */
  get running(): string[] {
    return [...this.#owned].filter(([, { worker }]) => worker.running).map(([name]) => name);
  }

  /** Whether every wanted partition runs, here or elsewhere. */
  get settled(): boolean {
    const before = this.#unsettled;
    if (before !== undefined && this.#wanted.has(before) && !this.#isSettled(before)) return false;
    this.#unsettled = [...this.#wanted].find((name) => !this.#isSettled(name));
    return this.#unsettled === undefined;
  }

  trouble(): ReturnType<Supervisor['trouble']> {
    return this.#supervisor.trouble();
  }

  get prefix(): string {
    return this.#options.role.prefix;
  }

  /** What this process owns or is still leaving, by name. */
  owned(): OwnedWork[] {
    const owned = [...this.#owned].map(([name, { worker }]) => worker.view(name, this.#supervisor));
    const leaving = [...this.#leaving].map(
      ([name, { epoch }]) => ({ name, epoch, state: 'stopping', crashes: 0, reason: undefined }) as const,
    );
    return [...owned, ...leaving].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Starts the worker of a quarantined partition again; false when it is not quarantined. */
  resume(name: string): boolean {
    return this.#supervisor.resume(name);
  }

  /**
   * Gives a quarantined partition back, to be claimed again by whoever ranks highest; false when it is not quarantined.
   */
  reset(name: string): boolean {
    return this.#supervisor.reset(name);
  }

  /** Stops every worker and frees what is owned. */
  async drain(): Promise<void> {
    this.#stopped = true;
    this.#supervisor.drain();
    if (this.#tick !== undefined) this.#options.clock.clearTimeout(this.#tick);
    const names = this.#owned.keys();
    await Promise.all(Array.from({ length: PARTITION_MOVES }, () => this.#releaseEach(names)));
    await Promise.all([...this.#leaving.values()].map(({ left }) => left));
    await this.#watch?.stop();
  }

  #key(name: string): string {
    return `partition.${this.#options.role.prefix}.${name}`;
  }

  #isSettled(name: string): boolean {
    const owned = this.#owned.get(name);
    if (owned !== undefined) return owned.worker.running;
    const owner = this.#entries.get(name)?.owner;
    return owner !== undefined && owner !== null && this.#options.membership.isAlive(owner);
  }

  // What is due -------------------------------------------------------------------------------------------------------

  #saw(key: string, entry: Entry | undefined): void {
    const name = key.slice(`partition.${this.#options.role.prefix}.`.length);
    const known = this.#entries.get(name);
    if (entry === undefined) this.#entries.delete(name);
    else if (known === undefined || known.revision < entry.revision || entry.rewound === true)
      this.#know(name, ownershipIn(entry), entry.revision);
    else return;
    const owned = this.#owned.get(name);
    const isOurs = entry?.revision === owned?.revision && entry?.rewound !== true;
    if (owned !== undefined && !isOurs) this.#abandon(name);
    this.#due.add(name);
    this.#lookSoon();
  }

  /** Returns the epoch of whoever wrote the entry (Q7). */
  #know(name: string, { owner, after = 0 }: Ownership, revision: number): number {
    const epoch = owner === null ? after : Math.max(revision, after + 1);
    this.#entries.set(name, { owner, revision, epoch });
    this.#highest.set(name, Math.max(epoch, this.#highest.get(name) ?? 0));
    return epoch;
  }

  /** Q6 */
  #lookSoon(): void {
    if (this.#tick !== undefined || this.#stopped) return;
    this.#tick = this.#options.clock.setTimeout(() => {
      this.#tick = undefined;
      this.#look();
    }, 0);
  }

  #look(): void {
    const { membership, role } = this.#options;
    // Late with its heartbeat it would lose all by taking more; the next one looks again (membership.E8).
    if (this.#stopped || !membership.isInTime) return;
    if (this.#ranking.setMembers(membership.alive(role.role)))
      for (const name of this.#wanted) this.#due.add(name);
    for (const name of this.#due) {
      if (this.#moving.size >= PARTITION_MOVES) return;
      // Looked at again when the move has ended.
      if (this.#moving.has(name)) continue;
      this.#due.delete(name);
      const move = this.#moveFor(name);
      if (move !== undefined) this.#begin(name, move);
    }
  }

  /** What there is to do about a partition, now. */
  #moveFor(name: string): (() => Promise<void>) | undefined {
    const { instance, membership } = this.#options;
    if (this.#leaving.has(name)) return undefined;
    const best = this.#wanted.has(name) ? this.#ranking.best(name) : undefined;
    const isElsewhere = best !== undefined && best !== instance;
    if (this.#owned.has(name))
      return isElsewhere || !this.#wanted.has(name) ? () => this.#release(name) : undefined;
    const owner = this.#entries.get(name)?.owner ?? null;
    if (best === instance && (owner === null || owner === instance || !membership.isAlive(owner)))
      return () => this.#claim(name);
    return isElsewhere && owner === instance ? () => this.#disown(name) : undefined;
  }

  #begin(name: string, move: () => Promise<void>): void {
    this.#moving.add(name);
    void move().finally(() => {
      this.#moving.delete(name);
      if (this.#due.size > 0) this.#lookSoon();
    });
  }

  // Ownership --------------------------------------------------------------------------------------------------------

  async #claim(name: string): Promise<void> {
    const { bus, instance, log, membership } = this.#options;
    try {
      const { owner = null, revision: expected = 0 } = this.#entries.get(name) ?? {};
      if (owner !== null && owner !== instance && !(await membership.isSilent(owner))) return;
      // It may have slept meanwhile, or waited for long.
      if (!membership.holds || this.#stopped) return;
      const ownership: Ownership = { owner: instance, after: this.#highest.get(name) ?? 0 };
      const written = await bus.bucket(buckets.members).put(this.#key(name), bytes(ownership), expected);
      if (written.outcome === 'conflict') return await this.#lookUp(name);
      await this.#claimed(name, ownership, written.revision);
    } catch (error) {
      log.warn({ err: error, partition: this.#key(name) }, 'partition not claimed');
    }
  }

  async #claimed(name: string, ownership: Ownership, revision: number): Promise<void> {
    // Somebody else has claimed it since, and the watch was faster than the answer.
    if (this.#stopped || (this.#entries.get(name)?.revision ?? 0) > revision) return;
    const worker = this.#worker(name, this.#know(name, ownership, revision));
    this.#owned.set(name, { worker, revision });
    await this.#within(PARTITION_START_MS, worker.start());
  }

  /** Whoever loses to what the watch has not reported is behind, or the store went back (Q7). */
  async #lookUp(name: string): Promise<void> {
    const before = this.#entries.get(name)?.revision;
    const entry = await this.#options.bus.bucket(buckets.members).get(this.#key(name));
    if (this.#entries.get(name)?.revision !== before || entry?.revision === before) return;
    const wentBack = entry !== undefined && before !== undefined && entry.revision < before;
    this.#saw(this.#key(name), wentBack ? { ...entry, rewound: true } : entry);
  }

  /** It was abandoned here (Q3) and is another's now, who waits for it to be released (Q2). */
  async #disown(name: string): Promise<void> {
    const entry = this.#entries.get(name);
    if (entry !== undefined) await this.#giveBack(name, entry.revision);
  }

  async #releaseEach(names: Iterator<string>): Promise<void> {
    for (let next = names.next(); next.done !== true; next = names.next()) await this.#release(next.value);
  }

  /** Stops the worker and gives the partition back. */
  async #release(name: string): Promise<void> {
    const owned = this.#owned.get(name);
    if (owned !== undefined) await this.#leave(name, owned, () => this.#giveBack(name, owned.revision));
  }

  async #giveBack(name: string, revision: number): Promise<void> {
    const { bus, log } = this.#options;
    const free: Ownership = { owner: null, after: this.#highest.get(name) ?? 0 };
    try {
      await bus.bucket(buckets.members).put(this.#key(name), bytes(free), revision);
    } catch (error) {
      log.warn({ err: error, partition: this.#key(name) }, 'not released');
    }
  }

  /** Q3, without a word to the bus, which may be away. */
  #abandonAll(): void {
    const names = [...this.#owned.keys()];
    if (names.length === 0) return;
    const { log, role } = this.#options;
    log.warn(
      { partitions: names.length, role: role.role, prefix: this.prefix },
      'no heartbeat in time: releasing everything',
    );
    for (const name of names) void this.#leave(name, this.#owned.get(name)!);
  }

  /** Stops the worker of a partition that is lost: somebody else has it, or may have it soon. */
  #abandon(name: string): void {
    const owned = this.#owned.get(name);
    if (owned === undefined) return;
    this.#options.log.warn({ partition: this.#key(name), epoch: owned.worker.epoch }, 'ownership lost');
    void this.#leave(name, owned);
  }

  #leave(name: string, { worker }: Owned, then?: () => Promise<void>): Promise<void> {
    this.#owned.delete(name);
    this.#supervisor.ended(name);
    const left = worker
      .end()
      .then(then)
      .then(() => {
        this.#leaving.delete(name);
        this.#due.add(name);
        this.#lookSoon();
      });
    this.#leaving.set(name, { epoch: worker.epoch, left });
    return left;
  }

  /** Resolves with the work, or when it has taken so long. */
  #within(ms: number, work: Promise<void>): Promise<void> {
    const { clock } = this.#options;
    return new Promise((resolve) => {
      const timer = clock.setTimeout(resolve, ms);
      void work.finally(() => {
        clock.clearTimeout(timer);
        resolve();
      });
    });
  }

  #worker(name: string, epoch: number): OwnedWorker {
    const { clock, log, membership, role } = this.#options;
    return new OwnedWorker({
      epoch,
      clock,
      log: log.child({ partition: this.#key(name) }),
      start: (context) => role.start(name, context),
      holds: () => membership.holds,
      crashed: (reason) => this.#supervisor.crashed(name, reason),
    });
  }

  #restart(name: string): void {
    void this.#owned.get(name)?.worker.start();
  }
}

/** What cannot be read says nothing of an owner. */
function ownershipIn({ value }: Entry): Ownership {
  try {
    const { owner, after } = JSON.parse(Buffer.from(value).toString()) as Partial<Ownership>;
    return { owner: owner ?? null, ...(after !== undefined && { after }) };
  } catch {
    return { owner: null };
  }
}

function bytes(ownership: Ownership): Buffer {
  return Buffer.from(JSON.stringify(ownership));
}
