/**
 * How many bytes of requests may wait in front of a link. A link is declared at a rate; what brings requests to it, the
 * executor and its drivers, may be slower. Requests that wait there for longer than they are remembered are asked again
 * while the first is still in front of the link, and each time more of what is sent was sent before. Pure.
 *
 * R1. A request that waited for longer than `TRANSFER_QUEUE_MS` before it left shows how many bytes leave in that time:
 *     so many may wait.
 * R2. Each that leaves sooner makes room for one more.
 */

import { TRANSFER_QUEUE_MS } from '../../contract/limits/transfer.ts';

export class QueueRoom {
  #most = Number.POSITIVE_INFINITY;

  get bytes(): number {
    return this.#most;
  }

  /** A request of so many bytes has left, or was given up, so many ms after it was made, behind `ahead` bytes with it. */
  left(bytes: number, ahead: number, waitedMs: number): void {
    if (waitedMs <= TRANSFER_QUEUE_MS) this.#most += bytes;
    else this.#most = Math.max(bytes, Math.floor((ahead * TRANSFER_QUEUE_MS) / waitedMs));
  }
}
