/**
 * The entry of a bucket that names the owner of something, as this process knows it and writes it. Every write is
 * conditional on the newest revision known here, so at most one of those who take it does (O1).
 *
 * A1. Epochs rise also where the store went back: whoever takes the lease writes down the highest epoch it knows, and
 *     its own is above it.
 * A2. Who loses a write to what its watch has not reported reads the entry: it is behind, the store went back, or its
 *     own write arrived and the answer was lost. The entry names its owner.
 * A3. An entry of which anything cannot be read is free, with a line in the log: nobody waits for an owner that cannot
 *     be, and no epoch is made of what is no number of one.
 */

import { objectIn } from '../../contract/json-bytes.ts';
import { asObject, type Foreign } from '../../contract/reply.ts';
import { isKey } from '../../contract/token.ts';
import type { Bucket, Entry } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';

/** What an entry says, and when it was seen. */
export interface KnownLease<Terms> {
  /** Null: free. */
  readonly owner: string | null;
  /** The highest epoch there was before that of the owner (A1). */
  readonly after: number;
  readonly revision: number;
  /** What only some owners agree on with those who wait. */
  readonly terms: Terms;
  /** Own time at which this revision was first seen. */
  readonly at: number;
}

export interface LeaseKind<Terms extends object> {
  readonly bucket: () => Bucket;
  readonly key: (name: string) => string;
  readonly instance: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Of an entry that nobody owns: measures of time. */
  readonly freeTerms: Terms;
  /** How long a write is tried; absent or undefined: as the bus does. */
  readonly deadlineMs?: (terms: Terms) => number | undefined;
}

/** What is no object is not taken for an empty one. */
const NOTHING: Foreign = { after: null };

export class Lease<Terms extends object> {
  readonly #kind: LeaseKind<Terms>;
  readonly key: string;
  #known: KnownLease<Terms> | undefined;
  /** No epoch is known that was above it, whatever became of the entry (A1). */
  #highest = 0;

  constructor(kind: LeaseKind<Terms>, name: string) {
    this.#kind = kind;
    this.key = kind.key(name);
  }

  /** Undefined: there is no entry, as far as is known here. */
  get known(): KnownLease<Terms> | undefined {
    return this.#known;
  }

  get highest(): number {
    return this.#highest;
  }

  /** Somebody has owned it under that epoch, whatever the entry says (A1). */
  knows(epoch: number): void {
    this.#highest = Math.max(this.#highest, epoch);
  }

  /** Takes up what the bucket holds; false when it is known already or older than what is known. */
  saw(entry: Entry | undefined): boolean {
    if (entry === undefined) this.#known = undefined;
    else if (this.#revision >= entry.revision && entry.rewound !== true) return false;
    else this.#know(this.#read(entry), entry.revision);
    return true;
  }

  /** Writes on the revision expected; undefined when another one stands there. Rejects with `Outage`. */
  async write(
    owner: string | null,
    terms: Terms,
    { after, expected }: { after: number; expected: number },
  ): Promise<number | undefined> {
    const { bucket, deadlineMs } = this.#kind;
    const value = Buffer.from(JSON.stringify({ owner, ...terms, after }));
    const forMs = deadlineMs?.(terms);
    const options = forMs === undefined ? undefined : { deadlineMs: forMs };
    const written = await bucket().put(this.key, value, expected, options);
    if (written.outcome === 'conflict') return undefined;
    if (this.#revision < written.revision) this.#know({ owner, after, terms }, written.revision);
    return written.revision;
  }

  /** What the bucket holds, where it is not what is known here (A2). */
  async read(): Promise<{ readonly entry: Entry | undefined } | undefined> {
    const before = this.#known?.revision;
    const entry = await this.#kind.bucket().get(this.key, before);
    if (this.#known?.revision !== before || entry?.revision === before) return undefined;
    const wentBack = entry !== undefined && before !== undefined && entry.revision < before;
    return { entry: wentBack ? { ...entry, rewound: true } : entry };
  }

  get #revision(): number {
    return this.#known?.revision ?? 0;
  }

  #know(lease: Omit<KnownLease<Terms>, 'revision' | 'at'>, revision: number): void {
    this.#known = { ...lease, revision, at: this.#kind.clock.monotonic() };
    this.#highest = Math.max(this.#highest, revision, lease.after + 1);
  }

  /** A3 */
  #read({ value }: Entry): Omit<KnownLease<Terms>, 'revision' | 'at'> {
    const { freeTerms, log } = this.#kind;
    const { owner = null, after = 0, ...said } = asObject(objectIn(value)) ?? NOTHING;
    const terms = { ...freeTerms, ...said } as Terms;
    const isOwner = owner === null || (typeof owner === 'string' && isKey(owner));
    const areTerms = Object.keys(freeTerms).every((name) => isMeasure(terms[name as keyof Terms]));
    if (isOwner && areTerms && isWhole(after)) return { owner, after, terms };
    log.error({ key: this.key }, 'malformed claim of ownership: treated as free');
    return { owner: null, after: 0, terms: freeTerms };
  }
}

/** Of time, which need not be whole. */
function isMeasure(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER;
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
