/**
 * Numbers of the transactions of one entity, which keeps nothing when it ends.
 *
 * X1. A number stands for a moment, and no PDU of its transaction is sent before that moment: so a later life, which
 *     begins at its own moment, never uses it again until the numbers of that width have all passed. How fast they pass
 *     is fixed by the width: one octet lasts four minutes, two four hours, three nineteen days, four thirteen years.
 * X2. A number that is in use or was just before is skipped.
 */

/** ms of a number, by its width in octets: the first that is not known here has the last one's. */
const UNIT_MS = [1_000, 250, 100, 100, 1] as const;

/** More than an entity has transactions at a time or remembers. */
const MOST_TRIES = 2_048;

export interface NextNumber {
  readonly sequence: bigint;
  /** From then on it may be used (X1). */
  readonly from: number;
}

export class SequenceNumbers {
  readonly #unitMs: number;
  readonly #modulus: bigint;
  /** What is added to a moment to make it one of the calendar. */
  readonly #epochMs: number;
  #last: number;

  /** At the moment `now`, which is `wallMs` since 1970. */
  constructor(octets: number, now: number, wallMs: number) {
    this.#unitMs = UNIT_MS[octets - 1] ?? UNIT_MS[4];
    this.#modulus = 1n << BigInt(8 * octets);
    this.#epochMs = wallMs - now;
    this.#last = this.#at(now);
  }

  #at(now: number): number {
    return Math.floor((now + this.#epochMs) / this.#unitMs);
  }

  next(now: number, isTaken: (sequence: bigint) => boolean): NextNumber {
    let sequence = 0n;
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      this.#last += 1;
      sequence = BigInt(this.#last) % this.#modulus;
      if (!isTaken(sequence)) break;
    }
    return { sequence, from: Math.max(now, this.#last * this.#unitMs - this.#epochMs) };
  }
}
