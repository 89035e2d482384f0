/**
 * When the transmitter of a gateway has room for PDUs: they leave at the rate of their link, so that a modem behind the
 * gateway holds few of them at any time and a telecommand comes out soon.
 *
 * A1. Over any time PDUs have no more than that time of the transmitter, and `CFDP_AHEAD_MS` to catch up.
 * A2. Where there is much to send it is sent in parts of some time each: a request for each PDU would cost more than it
 *     carries.
 */

import { CFDP_AHEAD_MS, CFDP_BATCH_MS } from '../../contract/limits/cfdp.ts';

export class AirTime {
  /** When it has sent everything. */
  #freeAt = Number.NEGATIVE_INFINITY;
  #begunAt = Number.NEGATIVE_INFINITY;

  /** Whether a part may begin now (A2). */
  mayBegin(now: number): boolean {
    return now >= this.nextAt;
  }

  /** When the next part may begin. */
  get nextAt(): number {
    return Math.max(this.#freeAt, this.#begunAt + CFDP_BATCH_MS);
  }

  begin(now: number): void {
    this.#begunAt = now;
    this.#freeAt = Math.max(this.#freeAt, now - CFDP_AHEAD_MS);
  }

  /** Whether the part that was begun may have one more (A1). */
  hasRoom(now: number): boolean {
    return this.#freeAt <= now;
  }

  /** Bytes leave at a rate in bit/s. */
  spend(bytes: number, rate: number): void {
    this.#freeAt += (bytes * 8 * 1_000) / rate;
  }
}
