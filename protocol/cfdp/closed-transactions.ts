/**
 * Transactions that are over and still answered for: the other entity repeats its last words when an acknowledgement is
 * lost. CCSDS 727.0-B-5, section 4.7.
 *
 * Z1. They are kept for a time, and so many at most; behind that a transaction is unknown.
 * Z2. Metadata that differ from those of a closed transaction begin another one of the same number: numbers of one
 *     octet come around within minutes.
 */

import { CFDP_CLOSED_KEPT, CFDP_CLOSED_MS } from '../../contract/limits/cfdp.ts';

import { keyOf } from './downloads.ts';
import type { TransactionId } from './user-message.ts';

interface Closed {
  readonly at: number;
  /** What the metadata said; undefined where none was received. */
  readonly content: string | undefined;
}

export class ClosedTransactions {
  /** In the order of closing. */
  readonly #closed = new Map<string, Closed>();

  add(id: TransactionId, now: number, content: string | undefined): void {
    const key = keyOf(id);
    this.#closed.delete(key);
    this.#closed.set(key, { at: now, content });
    for (const [oldest, { at }] of this.#closed) {
      if (this.#closed.size <= CFDP_CLOSED_KEPT && now - at < CFDP_CLOSED_MS) break;
      this.#closed.delete(oldest);
    }
  }

  has(id: TransactionId, now: number): boolean {
    const closed = this.#closed.get(keyOf(id));
    return closed !== undefined && now - closed.at < CFDP_CLOSED_MS;
  }

  /** Whether metadata are those of another transaction than the closed one (Z2). */
  isOther(id: TransactionId, content: string): boolean {
    const closed = this.#closed.get(keyOf(id));
    return closed?.content !== undefined && closed.content !== content;
  }

  get size(): number {
    return this.#closed.size;
  }
}
