/**
 * Who does which part of the work: lanes of telecommands, the decoding of a gateway, the telemetry of a target, the
 * gateways themselves. A partition has one owner at a time, written by conditional write; the revision of that write is
 * the epoch of the owner, its fencing token (`holding.ts`).
 *
 * Q1. A partition belongs to the living member that ranks highest for it (rendezvous hashing), so members agree without
 *     talking and few partitions move when members come and go.
 * Q2. An owner is replaced only when it has released the partition or is dead for the one who takes it, and for the bus
 *     (membership.E4).
 * Q3. A process whose own heartbeat fails stops everything it owns before the others may take it (membership.E2).
 * Q4. A worker that fails is started again by the supervisor of its role, under the same ownership (`owned-worker.ts`).
 * Q5. What changes costs what changed: a few partitions are taken or given back at once, the rest of what is due waits;
 *     what many changes of one moment make due is looked at once.
 * Q7. What is another member's is given as that one takes it, a few at a time (`given.ts`), and the rest is served here
 *     meanwhile: who joins takes seconds for a thousand.
 * Q6. Who ranks highest and sees another living owner for long, while it is given nothing else, asks the bus: what it
 *     knows may have been read past its watch, which then does not notice that the store went back behind it. Who
 *     joins is given one after the other (Q7) and asks about none of those meanwhile, but for what it waits for very
 *     long, and for that as seldom: somewhere something may always be moving.
 */

import { buckets } from '../../contract/bus/buckets.ts';
import {
  MEMBER_TTL_MS,
  PARTITION_MOVES,
  PARTITION_PATIENCE_MS,
  PARTITION_START_MS,
} from '../../contract/limits/membership.ts';
import type { Bus, Watch } from '../../ports/bus.ts';
import type { Clock, Random, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Supervisor } from '../supervisor.ts';
import { Given } from './given.ts';
import { Holding, type HoldingKind, supervisorOf } from './holding.ts';
import type { Membership } from './membership.ts';
import type { OwnedWork, Ownerships, Worker, WorkerContext } from './owned-worker.ts';
import { Ranking } from './ranking.ts';

/** The partitions of one role, named by the things they stand for. */
export interface PartitionRole {
  readonly role: string;
  /** First segment of the partition names: `lane`, `decoder`, … */
  readonly prefix: string;
  start(name: string, context: WorkerContext): Promise<Worker>;
}

/** Who is the owner is all that the entry of a partition says: its time is that of the heartbeat of its owner. */
type NoTerms = Readonly<Record<never, never>>;

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
  /** All that were ever wanted or have an entry, by name. */
  readonly #holdings = new Map<string, Holding<NoTerms>>();
  readonly #holdingKind: HoldingKind<NoTerms>;
  /** Partitions being taken or given back. */
  readonly #moving = new Set<string>();
  readonly #given: Given;
  readonly #supervisor: Supervisor;
  readonly #ranking = new Ranking();
  /** Partitions to be looked at. */
  readonly #due = new Set<string>();
  #tick: TimerHandle | undefined;
  #wanted: ReadonlySet<string> = new Set();
  /** Of those wanted, one that did not run when it was last asked for. */
  #unsettled: string | undefined;
  /** When a partition was last taken here. */
  #takenAt = Number.NEGATIVE_INFINITY;
  /** When the bus was last asked for the owner of a partition (Q6). */
  readonly #askedAt = new Map<string, number>();
  #watch: Watch | undefined;
  #stopped = false;

  constructor(options: PartitionsOptions) {
    this.#options = options;
    const { clock, random, log, role, escalated } = options;
    const name = `${role.role} ${role.prefix}`;
    const of = (one: string): Holding<NoTerms> => this.#of(one);
    this.#supervisor = supervisorOf({ name, clock, random, log, of, escalated });
    this.#holdingKind = this.#newHoldingKind();
    this.#given = new Given(clock, (one) => {
      this.#due.add(one);
      this.#lookSoon();
    });
  }

  async start(): Promise<void> {
    const prefix = `partition.${this.prefix}.`;
    this.#watch = await this.#bucket.watch(`${prefix}*`, (key, entry) =>
      this.#of(key.slice(prefix.length)).saw(entry),
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
    for (const { name } of this.#held()) this.#due.add(name);
    this.#lookSoon();
  }

  /** Names whose worker runs here. */
  get running(): string[] {
    return this.#held()
      .filter(({ worker }) => worker?.running === true)
      .map(({ name }) => name);
  }

  /** Whether every wanted partition runs, here or elsewhere. */
  get settled(): boolean {
    const before = this.#unsettled;
    if (before !== undefined && this.#wanted.has(before) && !this.#isSettled(before)) return false;
    this.#unsettled = [...this.#wanted].find((name) => !this.#isSettled(name));
    return this.#unsettled === undefined;
  }

  get supervisor(): Supervisor {
    return this.#supervisor;
  }

  trouble(): ReturnType<Supervisor['trouble']> {
    return this.#supervisor.trouble();
  }

  get prefix(): string {
    return this.#options.role.prefix;
  }

  /** What this process owns or is still leaving, by name. */
  owned(): OwnedWork[] {
    return [...this.#holdings.values()]
      .map((holding) => holding.view(this.#supervisor))
      .filter((view) => view !== undefined)
      .sort((a, b) => (a.name < b.name ? -1 : 1));
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
    this.#given.stop();
    if (this.#tick !== undefined) this.#options.clock.clearTimeout(this.#tick);
    const held = this.#held().values();
    await Promise.all(Array.from({ length: PARTITION_MOVES }, () => this.#releaseEach(held)));
    await Promise.all([...this.#holdings.values()].map(({ left }) => left));
    await this.#watch?.stop();
  }

  get #bucket() {
    return this.#options.bus.bucket(buckets.members);
  }

  #of(name: string): Holding<NoTerms> {
    const known = this.#holdings.get(name);
    if (known !== undefined) return known;
    const holding = new Holding(this.#holdingKind, name);
    this.#holdings.set(name, holding);
    return holding;
  }

  #newHoldingKind(): HoldingKind<NoTerms> {
    const { clock, log, instance, membership, role } = this.#options;
    return {
      bucket: () => this.#bucket,
      key: (name) => `partition.${role.prefix}.${name}`,
      instance,
      clock,
      log,
      called: { what: 'ownership', field: 'partition' },
      freeTerms: {},
      start: (name, context) => role.start(name, context),
      holds: () => membership.holds,
      crashed: (name, reason) => this.#supervisor.crashed(name, reason),
      left: (name) => this.#supervisor.ended(name),
      changed: (name) => {
        if (this.#isTaken(name)) this.#given.over(name);
        this.#due.add(name);
        this.#lookSoon();
      },
    };
  }

  /** By somebody, here or elsewhere. */
  #isTaken(name: string): boolean {
    const { worker, left, lease } = this.#of(name);
    return worker !== undefined || (left === undefined && typeof lease?.owner === 'string');
  }

  /** What this process owns. */
  #held(): Holding<NoTerms>[] {
    return [...this.#holdings.values()].filter(({ worker }) => worker !== undefined);
  }

  #isSettled(name: string): boolean {
    const { worker, lease } = this.#of(name);
    if (worker !== undefined) return worker.running;
    return typeof lease?.owner === 'string' && this.#options.membership.isAlive(lease.owner);
  }

  // What is due -------------------------------------------------------------------------------------------------------

  /** Q5 */
  #lookSoon(): void {
    if (this.#tick !== undefined || this.#stopped) return;
    this.#tick = this.#options.clock.setTimeout(() => {
      this.#tick = undefined;
      this.#look();
    }, 0);
  }

  #look(): void {
    const { membership, role } = this.#options;
    // Late with its heartbeat it would lose all by taking more; the next one looks again (membership.E8, E10).
    if (this.#stopped || !membership.mayTake) return;
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
    const holding = this.#of(name);
    if (holding.left !== undefined) return undefined;
    const best = this.#wanted.has(name) ? this.#ranking.best(name) : undefined;
    const isElsewhere = best !== undefined && best !== instance;
    if (holding.worker !== undefined && isElsewhere)
      return this.#given.begin(name) ? () => this.#give(holding) : undefined;
    if (holding.worker !== undefined) return this.#wanted.has(name) ? undefined : () => holding.release();
    const owner = holding.lease?.owner ?? null;
    if (best === instance && (owner === null || owner === instance || !membership.isAlive(owner)))
      return () => this.#claim(holding);
    if (best === instance && this.#isOld(holding)) return () => this.#ask(holding);
    return isElsewhere && owner === instance ? () => disown(holding) : undefined;
  }

  /** Longer than an owner takes to give the next of what is another's (Q6). */
  #isOld({ name, lease }: Holding<NoTerms>): boolean {
    if (lease === undefined) return false;
    const now = this.#options.clock.monotonic();
    if (now - this.#takenAt > MEMBER_TTL_MS) return now - lease.at > MEMBER_TTL_MS;
    const askedAt = this.#askedAt.get(name) ?? lease.at;
    return now - Math.max(lease.at, askedAt) > PARTITION_PATIENCE_MS;
  }

  /** Q6 */
  async #ask(holding: Holding<NoTerms>): Promise<void> {
    const { clock, log } = this.#options;
    this.#askedAt.set(holding.name, clock.monotonic());
    await holding.look().catch((error: unknown) => {
      log.warn({ err: error, partition: this.#holdingKind.key(holding.name) }, 'owner not asked for');
    });
  }

  #begin(name: string, move: () => Promise<void>): void {
    this.#moving.add(name);
    void move().finally(() => {
      this.#moving.delete(name);
      if (this.#due.size > 0) this.#lookSoon();
    });
  }

  // Ownership --------------------------------------------------------------------------------------------------------

  async #claim(holding: Holding<NoTerms>): Promise<void> {
    const { instance, log, membership } = this.#options;
    try {
      const { lease } = holding;
      const owner = lease?.owner ?? null;
      if (owner !== null && owner !== instance && !(await membership.isSilent(owner))) return;
      // It may have slept meanwhile, or waited for long.
      if (!membership.holds || this.#stopped) return;
      const taken = await holding.take({}, lease);
      if (taken === undefined || this.#stopped) return;
      this.#takenAt = this.#options.clock.monotonic();
      const running = holding.hold(taken);
      if (running !== undefined) await this.#within(PARTITION_START_MS, running);
    } catch (error) {
      log.warn({ err: error, partition: this.#holdingKind.key(holding.name) }, 'partition not claimed');
    }
  }

  /** Q7 */
  async #give(holding: Holding<NoTerms>): Promise<void> {
    const { name } = holding;
    await holding.release();
    if (this.#isTaken(name)) this.#given.over(name);
    else this.#given.released(name);
  }

  async #releaseEach(held: Iterator<Holding<NoTerms>>): Promise<void> {
    for (let next = held.next(); next.done !== true; next = held.next()) await next.value.release();
  }

  /** Q3, without a word to the bus, which may be away. */
  #abandonAll(): void {
    const held = this.#held();
    if (held.length === 0) return;
    const { log, role } = this.#options;
    log.warn(
      { partitions: held.length, role: role.role, prefix: this.prefix },
      'no heartbeat in time: releasing everything',
    );
    for (const holding of held) holding.leave();
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
}

/** It was abandoned here (Q3) and is another's now, who waits for it to be released (Q2). */
async function disown(holding: Holding<NoTerms>): Promise<void> {
  if (holding.lease !== undefined) await holding.giveBack(holding.lease.revision);
}
