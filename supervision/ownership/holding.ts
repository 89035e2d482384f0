/**
 * Something that one process of the cell owns at a time, a partition or a leadership, as this process takes part in it:
 * its lease, and the worker while this process is the owner. When it is taken, renewed and given back is decided
 * elsewhere (`leader.ts`, `partition.ts`); how, here.
 *
 * H1. The revision of the write that took the lease is the epoch of the owner, its fencing token (O1), or one above
 *     every epoch known (lease.A1).
 * H2. An owner whose entry was written by another one, or is not in the store any more, owns nothing and stops its
 *     worker. Only its own renewals, which name its epoch, leave it the owner.
 * H3. The lease is given back when the worker writes no more, and nothing is taken again before the former worker here
 *     has stopped: there is never more than one.
 * H5. An owner that finds what it owns written under a later epoch gives the lease back and names that epoch: whoever
 *     takes it next is above. So it is where the bucket of the leases went back and positions were used again.
 * H4. What is taken is the lease that was judged to be free, whatever was waited for since: a later one is another's.
 */

import type { Entry } from '../../ports/bus.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { DEFAULT_INTENSITY, Supervisor } from '../supervisor.ts';
import { type KnownLease, Lease, type LeaseKind } from './lease.ts';
import { type OwnedWork, OwnedWorker, type Worker, type WorkerContext } from './owned-worker.ts';

/** A lease that was taken, and whose worker does not run yet. */
export interface Taken {
  readonly epoch: number;
  readonly revision: number;
}

/** What all holdings of one kind have in common. */
export interface HoldingKind<Terms extends object> extends LeaseKind<Terms> {
  /** What lines of the log call it, and the field that names one of them. */
  readonly called: { readonly what: 'leadership' | 'ownership'; readonly field: 'leader' | 'partition' };
  readonly start: (name: string, context: WorkerContext) => Promise<Worker>;
  /** Whether the others still leave to this process what it owns. */
  readonly holds: () => boolean;
  readonly crashed: (name: string, reason: string) => void;
  /** The ownership is over; the worker is being stopped. */
  readonly left: (name: string) => void;
  /** Something of it has changed: who owns it, or that its former worker has stopped. */
  readonly changed: (name: string) => void;
}

interface Held {
  readonly worker: OwnedWorker;
  /** Of the newest write of this owner that is known to be stored. */
  revision: number;
}

export class Holding<Terms extends object> {
  readonly name: string;
  readonly #kind: HoldingKind<Terms>;
  readonly #lease: Lease<Terms>;
  #held: Held | undefined;
  /** No longer owned, while its worker is being stopped (H3). */
  #leaving: { readonly epoch: number; readonly left: Promise<void> } | undefined;
  #renewing: Promise<unknown> = Promise.resolve();

  constructor(kind: HoldingKind<Terms>, name: string) {
    this.name = name;
    this.#kind = kind;
    this.#lease = new Lease(kind, name);
  }

  get lease(): KnownLease<Terms> | undefined {
    return this.#lease.known;
  }

  /** The worker of this process as the owner; undefined: it is not. */
  get worker(): OwnedWorker | undefined {
    return this.#held?.worker;
  }

  /** Resolves when the former worker has stopped; undefined: there is none. */
  get left(): Promise<void> | undefined {
    return this.#leaving?.left;
  }

  /** What this process owns of it, or is still leaving. */
  view(supervisor: Supervisor): OwnedWork | undefined {
    const { name } = this;
    if (this.#held !== undefined) return this.#held.worker.view(name, supervisor);
    if (this.#leaving === undefined) return undefined;
    return { name, epoch: this.#leaving.epoch, state: 'stopping', crashes: 0, reason: undefined };
  }

  /** Takes up what the watch reports. */
  saw(entry: Entry | undefined): void {
    if (!this.#lease.saw(entry)) return;
    if (this.#held !== undefined && !this.#isOurs(this.#held, entry)) this.lose();
    this.#kind.changed(this.name);
  }

  /** Writes itself down as the owner of what was judged to be free (H4). Rejects with `Outage`. */
  async take(terms: Terms, judged: KnownLease<Terms> | undefined): Promise<Taken | undefined> {
    const { highest: after } = this.#lease;
    const expected = judged?.revision ?? 0;
    const revision = await this.#lease.write(this.#kind.instance, terms, { after, expected });
    if (revision !== undefined) return { epoch: Math.max(revision, after + 1), revision };
    await this.look();
    return undefined;
  }

  /**
   * Is the owner from now on; resolves when the worker runs or has failed. Undefined where somebody else has taken it
   * since, and the watch was faster than the answer.
   */
  hold({ epoch, revision }: Taken): Promise<void> | undefined {
    if (this.#lease.known?.revision !== revision) return undefined;
    this.#held = { worker: this.#worker(epoch), revision };
    return this.#held.worker.start();
  }

  /** Writes itself down again; false where another one stands there. Rejects with `Outage`. */
  renew(terms: Terms): Promise<boolean> {
    const renewing = this.#renew(terms);
    this.#renewing = renewing.catch(() => undefined);
    return renewing;
  }

  /** Stops the worker, and gives the lease back once it writes no more (H3). */
  release(): Promise<void> {
    const held = this.#held;
    if (held === undefined) return Promise.resolve();
    return this.#leave(held, false, () => this.#renewing.then(() => this.giveBack(held.revision)));
  }

  /** Stops the worker of what is lost: somebody else has it, or may have it soon. */
  lose(): void {
    const { log, called } = this.#kind;
    if (this.#held === undefined) return;
    const { epoch } = this.#held.worker;
    log.warn({ [called.field]: this.#lease.key, epoch }, `${called.what} lost`);
    this.leave();
  }

  /** Stops the worker without a word to the bus. */
  leave(): void {
    if (this.#held !== undefined) void this.#leave(this.#held, true);
  }

  /** Frees the entry that this process has written at that revision. */
  async giveBack(expected: number): Promise<void> {
    const { log, called, freeTerms, instance } = this.#kind;
    const free = (revision: number): Promise<number | undefined> =>
      this.#lease.write(null, freeTerms, { after: this.#lease.highest, expected: revision });
    try {
      if ((await free(expected)) !== undefined) return;
      await this.look();
      const { known } = this.#lease;
      if (known?.owner === instance) await free(known.revision);
    } catch (error) {
      log.warn({ err: error, [called.field]: this.#lease.key }, `${called.what} not released`);
    }
  }

  async #renew(terms: Terms): Promise<boolean> {
    const held = this.#held;
    if (held === undefined) return false;
    const { epoch } = held.worker;
    const { revision: expected } = held;
    const revision = await this.#lease.write(this.#kind.instance, terms, { after: epoch - 1, expected });
    if (revision === undefined) await this.look();
    else held.revision = Math.max(held.revision, revision);
    return revision !== undefined;
  }

  /** lease.A2. Rejects with `Outage`. */
  async look(): Promise<void> {
    const found = await this.#lease.read();
    if (found !== undefined) this.saw(found.entry);
  }

  /** H2: takes a renewal up whose answer has not come yet. */
  #isOurs(held: Held, entry: Entry | undefined): boolean {
    const { known } = this.#lease;
    if (entry === undefined || entry.rewound === true || known === undefined) return false;
    if (known.owner !== this.#kind.instance || known.after !== held.worker.epoch - 1) return false;
    held.revision = Math.max(held.revision, known.revision);
    return true;
  }

  #leave(held: Held, isLost: boolean, then?: () => Promise<void>): Promise<void> {
    this.#held = undefined;
    this.#kind.left(this.name);
    const left = held.worker
      .end({ isLost })
      .then(then)
      .then(() => {
        this.#leaving = undefined;
        this.#kind.changed(this.name);
      });
    this.#leaving = { epoch: held.worker.epoch, left };
    return left;
  }

  #worker(epoch: number): OwnedWorker {
    const { clock, log, called, start, holds, crashed } = this.#kind;
    return new OwnedWorker({
      epoch,
      clock,
      log: log.child({ [called.field]: this.#lease.key }),
      start: (context) => start(this.name, context),
      holds,
      overtaken: (later) => {
        this.#lease.knows(later);
        void this.release();
      },
      crashed: (reason) => crashed(this.name, reason),
    });
  }
}

interface SupervisionOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly of: (name: string) => Pick<Holding<object>, 'worker' | 'release'> | undefined;
  readonly escalated: (reason: string) => void;
}

/** The supervisor of the workers of holdings: a quarantined one is started again, or given back. */
export function supervisorOf({ name, clock, random, log, of, escalated }: SupervisionOptions): Supervisor {
  const restart = (one: string): void => void of(one)?.worker?.start();
  return new Supervisor({
    input: { ...DEFAULT_INTENSITY, name },
    clock,
    random,
    log,
    children: {
      restart,
      quarantined: () => undefined,
      released: (one, reset) => void (reset ? of(one)?.release() : restart(one)),
      escalated,
    },
  });
}
