/**
 * Who may upload now. Each upload fills a file of the temporary folder, so few go on at once; and none may hold its
 * place with a trickle. Mission Control Service, section 4.7 rule 8.
 *
 * L1. At most `most` at a time.
 * L2. Where no place is free, the slowest upload that has been slower than `UPLOAD_SLOWEST_BYTES_PER_S` for longer than
 *     `UPLOAD_GRACE_MS` gives its place up. While nobody waits an upload may be as slow as its line is.
 */

import { UPLOAD_GRACE_MS, UPLOAD_SLOWEST_BYTES_PER_S } from '../contract/limits/transfer.ts';

export interface UploadSlot {
  /** Counts what came. */
  took(bytes: number): void;
  /** Whether its place was given to another one (L2). */
  readonly isGivenUp: boolean;
  release(): void;
}

interface Taken {
  readonly since: number;
  bytes: number;
  isGivenUp: boolean;
  readonly giveUp: () => void;
}

export class UploadSlots {
  readonly #most: number;
  readonly #taken = new Set<Taken>();

  constructor(most: number) {
    this.#most = most;
  }

  /** A place, or undefined when none is free; `giveUp` is called when it is given to another one. */
  take(now: number, giveUp: () => void): UploadSlot | undefined {
    if (this.#taken.size >= this.#most && !this.#giveUpSlowest(now)) return undefined;
    const taken: Taken = { since: now, bytes: 0, isGivenUp: false, giveUp };
    this.#taken.add(taken);
    return {
      took: (bytes) => {
        taken.bytes += bytes;
      },
      get isGivenUp() {
        return taken.isGivenUp;
      },
      release: () => void this.#taken.delete(taken),
    };
  }

  /** L2 */
  #giveUpSlowest(now: number): boolean {
    const old = [...this.#taken].filter(({ since }) => now - since > UPLOAD_GRACE_MS);
    const rated = old.map((taken) => ({ taken, rate: taken.bytes / ((now - taken.since) / 1_000) }));
    const [slowest] = rated.sort((a, b) => a.rate - b.rate);
    if (slowest === undefined || slowest.rate >= UPLOAD_SLOWEST_BYTES_PER_S) return false;
    this.#taken.delete(slowest.taken);
    slowest.taken.isGivenUp = true;
    slowest.taken.giveUp();
    return true;
  }
}
