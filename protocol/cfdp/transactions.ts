/**
 * The transactions of an entity that are not over, by source and number.
 *
 * I1. They take turns: the one that sent goes behind the others.
 * I2. What is over leaves at once, and is remembered for as long as the other entity may repeat itself.
 */

import type { ByteRange } from '../../contract/byte-ranges.ts';
import { ClosedTransactions } from './closed-transactions.ts';
import { keyOf } from './downloads.ts';
import type { Receiver } from './file-receiver.ts';
import type { Sender } from './file-sender.ts';
import { type PduAddress, writePdu } from './pdu.ts';
import type { TransactionId } from './user-message.ts';

export interface Transaction {
  readonly id: TransactionId;
  readonly machine: Sender | Receiver;
  /** How its PDUs are addressed. */
  readonly address: PduAddress;
  /** Nothing is sent before. */
  readonly from: number;
  /** Stands for the metadata that were received. */
  content?: string;
}

/** Bytes of a file that a transaction needs to go on. */
export interface Wanted {
  readonly id: TransactionId;
  readonly range: ByteRange;
}

export class Transactions {
  readonly closed = new ClosedTransactions();
  readonly #open = new Map<string, Transaction>();

  get size(): number {
    return this.#open.size;
  }

  get(id: TransactionId): Transaction | undefined {
    return this.#open.get(keyOf(id));
  }

  all(): Iterable<Transaction> {
    return this.#open.values();
  }

  add(transaction: Transaction): void {
    this.#open.set(keyOf(transaction.id), transaction);
  }

  /** Does something to one of them, and lets it go when it is over (I2). */
  with(id: TransactionId, now: number, act: (transaction: Transaction) => void): boolean {
    const transaction = this.get(id);
    if (transaction === undefined) return false;
    act(transaction);
    this.#settle(transaction, now);
    return true;
  }

  each(now: number, act: (machine: Sender | Receiver) => void): void {
    for (const transaction of this.#open.values()) {
      act(transaction.machine);
      this.#settle(transaction, now);
    }
  }

  /** The next PDU of any of them (I1). */
  pull(now: number): Buffer | undefined {
    for (const [key, transaction] of this.#open) {
      const body = now >= transaction.from ? transaction.machine.pull(now) : undefined;
      if (body === undefined) continue;
      this.#open.delete(key);
      this.#open.set(key, transaction);
      const pdu = writePdu(transaction.address, body);
      this.#settle(transaction, now);
      return pdu;
    }
    return undefined;
  }

  wanted(): Wanted[] {
    return [...this.#open.values()].flatMap(({ id, machine }) => {
      const range = machine.role === 'sender' ? machine.wanted : undefined;
      return range === undefined ? [] : [{ id, range }];
    });
  }

  nextDue(now: number): number | undefined {
    let next: number | undefined;
    for (const { machine, from } of this.#open.values()) {
      const due = from > now ? from : machine.nextDue;
      if (due !== undefined && (next === undefined || due < next)) next = due;
    }
    return next;
  }

  #settle({ id, machine, content }: Transaction, now: number): void {
    if (machine.state !== 'closed') return;
    this.#open.delete(keyOf(id));
    this.closed.add(id, now, content);
  }
}
