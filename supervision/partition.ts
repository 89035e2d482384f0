/**
 * Who does which part of the work: lanes of telecommands, the decoding of a gateway, the telemetry of a target, the
 * gateways themselves. A partition has one owner at a time, written by conditional write; the revision of that write is
 * the epoch of the owner, its fencing token (O1).
 *
 * Q1. A partition belongs to the living member that ranks highest for it (rendezvous hashing), so members agree without
 *     talking and few partitions move when members come and go.
 * Q2. An owner is replaced only when it has released the partition or is dead for the one who takes it, and for the bus (E4).
 * Q3. A process whose own heartbeat fails stops everything it owns before the others may take it (E2).
 * Q4. A worker that fails is started again by the supervisor of its role, under the same ownership (`tenure.ts`).
 * Q5. A partition is not claimed again before its former worker here has stopped: there is never more than one.
 */

import { createHash } from 'node:crypto';
import { buckets } from '../contract/subject.ts';
import type { Bus, Entry, Watch } from '../ports/bus.ts';
import type { Clock, Random } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Membership } from './membership.ts';
import { DEFAULT_INTENSITY, Supervisor } from './supervisor.ts';
import { type OwnedWork, type Ownerships, Tenure, type Worker, type WorkerContext } from './tenure.ts';

/** The partitions of one role, named by the things they stand for. */
export interface PartitionRole {
  readonly role: string;
  /** First segment of the partition names: `lane`, `decoder`, … */
  readonly prefix: string;
  start(name: string, context: WorkerContext): Promise<Worker>;
}

interface Ownership {
  readonly owner: string | null;
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
  readonly #entries = new Map<string, { owner: string | null; revision: number }>();
  readonly #owned = new Map<string, Tenure>();
  readonly #claiming = new Set<string>();
  /** Partitions no longer owned whose worker is still being stopped (Q5). */
  readonly #leaving = new Map<string, { epoch: number; left: Promise<void> }>();
  readonly #supervisor: Supervisor;
  #wanted: ReadonlySet<string> = new Set();
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
    this.reconcile();
  }

  /** Compares what is with what should be; called at each change of members, entries and at each heartbeat. */
  reconcile(): void {
    if (this.#stopped) return;
    if (!this.#options.membership.holds) {
      for (const name of [...this.#owned.keys()]) this.#abandon(name);
      return;
    }
    const alive = this.#options.membership.alive(this.#options.role.role);
    for (const name of this.#wanted) this.#reconcileOne(name, alive);
    for (const name of [...this.#owned.keys()]) if (!this.#wanted.has(name)) this.#release(name);
  }

  /** Names whose worker runs here. */
  get running(): string[] {
    return [...this.#owned].filter(([, owned]) => owned.running).map(([name]) => name);
  }

  /** Whether every wanted partition runs, here or elsewhere. */
  get settled(): boolean {
    return [...this.#wanted].every((name) => {
      const owned = this.#owned.get(name);
      if (owned !== undefined) return owned.running;
      const owner = this.#entries.get(name)?.owner;
      return owner !== undefined && owner !== null && this.#options.membership.isAlive(owner);
    });
  }

  trouble(): ReturnType<Supervisor['trouble']> {
    return this.#supervisor.trouble();
  }

  get prefix(): string {
    return this.#options.role.prefix;
  }

  /** What this process owns or is still leaving, by name. */
  owned(): OwnedWork[] {
    const owned = [...this.#owned].map(([name, each]) => each.view(name, this.#supervisor));
    const leaving = [...this.#leaving].map(
      ([name, { epoch }]) => ({ name, epoch, state: 'stopping', crashes: 0, reason: undefined }) as const,
    );
    return [...owned, ...leaving].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Starts the worker of a quarantined partition again; false when it is not quarantined. */
  resume(name: string): boolean {
    return this.#supervisor.resume(name);
  }

  /** Gives a quarantined partition back, to be claimed anew by whoever ranks highest; false when it is not quarantined. */
  reset(name: string): boolean {
    return this.#supervisor.reset(name);
  }

  /** Stops every worker and frees what is owned. */
  async drain(): Promise<void> {
    this.#stopped = true;
    this.#supervisor.drain();
    for (const name of [...this.#owned.keys()]) void this.#release(name);
    await Promise.all([...this.#leaving.values()].map(({ left }) => left));
    await this.#watch?.stop();
  }

  #key(name: string): string {
    return `partition.${this.#options.role.prefix}.${name}`;
  }

  #saw(key: string, entry: Entry | undefined): void {
    const name = key.slice(`partition.${this.#options.role.prefix}.`.length);
    const known = this.#entries.get(name);
    if (entry === undefined) this.#entries.delete(name);
    else if (known === undefined || known.revision < entry.revision) {
      const { owner } = JSON.parse(Buffer.from(entry.value).toString()) as Ownership;
      this.#entries.set(name, { owner, revision: entry.revision });
    } else return;
    const owned = this.#owned.get(name);
    if (owned !== undefined && entry !== undefined && entry.revision > owned.epoch) this.#abandon(name);
    this.reconcile();
  }

  #reconcileOne(name: string, alive: readonly string[]): void {
    const { instance, membership } = this.#options;
    const best = highestRanked(name, alive);
    if (this.#owned.has(name)) {
      if (best !== undefined && best !== instance) void this.#release(name);
      return;
    }
    const owner = this.#entries.get(name)?.owner ?? null;
    const free = owner === null || owner === instance || !membership.isAlive(owner);
    if (best === instance && free) void this.#claim(name);
    else if (best !== undefined && best !== instance && owner === instance) void this.#disown(name);
  }

  // Ownership --------------------------------------------------------------------------------------------------------

  async #claim(name: string): Promise<void> {
    if (this.#claiming.has(name) || this.#leaving.has(name)) return;
    this.#claiming.add(name);
    const { bus, instance, log } = this.#options;
    try {
      const { owner = null, revision: expected = 0 } = this.#entries.get(name) ?? {};
      if (owner !== null && owner !== instance && !(await this.#options.membership.isSilent(owner))) return;
      const value = Buffer.from(JSON.stringify({ owner: instance } satisfies Ownership));
      const written = await bus.bucket(buckets.members).put(this.#key(name), value, expected);
      if (written.outcome === 'conflict' || this.#stopped) return;
      // Somebody else has claimed it since, and the watch was faster than the answer.
      if ((this.#entries.get(name)?.revision ?? 0) > written.revision) return;
      this.#entries.set(name, { owner: instance, revision: written.revision });
      const tenure = this.#tenure(name, written.revision);
      this.#owned.set(name, tenure);
      tenure.start();
    } catch (error) {
      log.warn({ err: error, partition: this.#key(name) }, 'partition not claimed');
    } finally {
      this.#claiming.delete(name);
    }
  }

  /** It was abandoned here (Q3) and is another's now, who waits for it to be released (Q2). */
  async #disown(name: string): Promise<void> {
    const entry = this.#entries.get(name);
    if (entry === undefined || this.#claiming.has(name) || this.#leaving.has(name)) return;
    this.#claiming.add(name);
    await this.#giveBack(name, entry.revision);
    this.#claiming.delete(name);
  }

  /** Stops the worker and gives the partition back. */
  async #release(name: string): Promise<void> {
    const owned = this.#owned.get(name);
    if (owned === undefined) return;
    await this.#leave(name, owned, () => this.#giveBack(name, owned.epoch));
  }

  async #giveBack(name: string, epoch: number): Promise<void> {
    const value = Buffer.from(JSON.stringify({ owner: null } satisfies Ownership));
    await this.#options.bus
      .bucket(buckets.members)
      .put(this.#key(name), value, epoch)
      .catch((error: unknown) =>
        this.#options.log.warn({ err: error, partition: this.#key(name) }, 'not released'),
      );
  }

  /** Stops the worker of a partition that is lost: somebody else has it, or may have it soon (Q3). */
  #abandon(name: string): void {
    const owned = this.#owned.get(name);
    if (owned === undefined) return;
    this.#options.log.warn({ partition: this.#key(name), epoch: owned.epoch }, 'ownership lost');
    void this.#leave(name, owned);
  }

  #leave(name: string, owned: Tenure, then?: () => Promise<void>): Promise<void> {
    this.#owned.delete(name);
    this.#supervisor.ended(name);
    const left = owned
      .end()
      .then(then)
      .then(() => {
        this.#leaving.delete(name);
        this.reconcile();
      });
    this.#leaving.set(name, { epoch: owned.epoch, left });
    return left;
  }

  #tenure(name: string, epoch: number): Tenure {
    const { clock, log, membership, role } = this.#options;
    return new Tenure({
      epoch,
      clock,
      log: log.child({ partition: this.#key(name) }),
      start: (context) => role.start(name, context),
      holds: () => membership.holds,
      crashed: (reason) => this.#supervisor.crashed(name, reason),
    });
  }

  #restart(name: string): void {
    this.#owned.get(name)?.start();
  }
}

/** The member whose hash with the name is largest (Q1). */
export function highestRanked(name: string, members: readonly string[]): string | undefined {
  let best: { member: string; rank: string } | undefined;
  for (const member of members) {
    const rank = createHash('sha256').update(`${name}\n${member}`).digest('hex');
    if (best === undefined || rank > best.rank) best = { member, rank };
  }
  return best?.member;
}
