/**
 * An open transfer as its leader knows it: the record, the bytes on their way into it, what keeps it from going on.
 *
 * O1. Bytes of another transaction than the one before may be of another writing of the file (file-chunk.F2): with the
 *     first of them everything gathered before is let go, and the record follows in one step (transfer/record.B4).
 *     Chunks of a transaction that was left are not taken again, whenever they come and whoever reads them.
 * O3. What the record had and has no more (its bucket went back, another one wrote it from less) is missing again.
 * O2. Where every byte of a transaction is there, none of another one is taken.
 */

import { TRANSFER_TRANSACTIONS_EARLIER } from '../../contract/limits/transfer.ts';
import {
  isOpenTransfer,
  NO_TRANSACTION,
  receivedBy,
  type StoredTransfer,
  transactionOf,
} from '../../contract/transfer.ts';
import { Gathering } from './gathering.ts';

/** Who says that it cannot go on. */
export type Hindering = 'store' | 'delivery';

export class OpenTransfer {
  readonly key: string;
  /** A person decides about its cell: nothing is done for it here. */
  isQuarantined = false;
  /** Its cell is dropped: another one wrote, and its record is read again. */
  isDropped = false;
  /** When the record was last given bytes, ms since 1970. */
  toldAt = Number.NEGATIVE_INFINITY;
  /** Parts that are being stored. */
  storing = 0;
  #record: StoredTransfer;
  #gathering: Gathering;
  /** Transactions that were left; the record may not say so yet. */
  #left: readonly string[] = [];
  readonly #hindrances = new Map<Hindering, string>();

  constructor(key: string, record: StoredTransfer) {
    this.key = key;
    this.#record = record;
    this.#gathering = new Gathering(record);
    this.#hinderedAs(record);
  }

  get record(): StoredTransfer {
    return this.#record;
  }

  get gathering(): Gathering {
    return this.#gathering;
  }

  /** Whether chunks of a transaction are taken: it is the one that is gathered, or a new one (O1, O2). */
  takes(transaction: string): boolean {
    if (transaction === this.#gathering.transaction) return true;
    const hasLeft = this.#left.includes(transaction) || this.#hasLeft(this.#record, transaction);
    return !hasLeft && !this.#gathering.isComplete;
  }

  /** Another transaction brings it now (O1). */
  begins(transaction: string): void {
    const { transaction: before, received } = this.#gathering;
    if (before !== NO_TRANSACTION || received.total > 0)
      this.#left = [...this.#left, before].slice(-TRANSFER_TRANSACTIONS_EARLIER);
    this.#gathering = new Gathering(this.#record, transaction);
  }

  /** Whether that record, written by another leader, has left the transaction that is gathered here. */
  isBehind(record: StoredTransfer): boolean {
    return this.#hasLeft(record, this.#gathering.transaction);
  }

  #hasLeft({ actor }: StoredTransfer, transaction: string): boolean {
    return actor.transaction?.earlier.includes(transaction) === true;
  }

  /** Whether it waits for bytes. */
  get isReceiving(): boolean {
    const { state } = this.#record;
    const isUnderWay = (state === 'REQUESTED' || state === 'PARTIAL') && isOpenTransfer(this.#record);
    return isUnderWay && !this.isQuarantined;
  }

  /** Whether bytes are to be asked for: of an upload whose run is over nothing is written any more. */
  get isUndelivered(): boolean {
    if (this.#record.actor.ended !== undefined) return false;
    return this.isReceiving && !this.gathering.isComplete && !this.#hindrances.has('store');
  }

  /** Whether it is the same transfer, not another that took its place. */
  isOf(record: StoredTransfer): boolean {
    const { created_at, source, actor } = this.#record;
    return created_at === record.created_at && source === record.source && actor.run === record.actor.run;
  }

  /** Whether somebody has asked for it again, who wrote this record: what was over, or left alone, goes on. */
  isTakenUpBy(record: StoredTransfer): boolean {
    const wasEnded = this.#record.actor.ended !== undefined;
    const isOpenAgain = !isOpenTransfer(this.#record) || (wasEnded && record.actor.ended === undefined);
    return isOpenAgain && isOpenTransfer(record);
  }

  /** Another upload has its place now: nothing that was acknowledged of the one before is on board of this one. */
  replaced(record: StoredTransfer): void {
    this.#record = record;
    this.#gathering = new Gathering(record);
    this.toldAt = Number.NEGATIVE_INFINITY;
    this.#hinderedAs(record);
  }

  /** What another one wrote is recorded now: what is on its way into it stays (transfer/service.S7). */
  rejoined(record: StoredTransfer): void {
    this.recorded(record);
    this.isDropped = false;
    // Whatever was given to the cell that was dropped is given to the next one.
    this.toldAt = Number.NEGATIVE_INFINITY;
    this.#hinderedAs(record);
  }

  /** This is recorded now (O3). */
  recorded(record: StoredTransfer): void {
    const before = this.#record;
    this.#record = record;
    this.gathering.recorded(record);
    if (lacks(record, before)) this.gathering.restart(record);
  }

  /** What the record should say of it; undefined where that has not changed, null: nothing. */
  hindered(by: Hindering, reason: string | undefined): string | null | undefined {
    if (this.#hindrances.get(by) === reason) return undefined;
    if (reason === undefined) this.#hindrances.delete(by);
    else this.#hindrances.set(by, reason);
    const first = (['store', 'delivery'] as const).find((each) => this.#hindrances.has(each));
    return first === undefined ? null : this.#hindrances.get(first);
  }

  /** What another one has said of it lasts until it is found here that it goes on. */
  #hinderedAs({ actor: { hindrance } }: StoredTransfer): void {
    this.#hindrances.clear();
    if (hindrance !== undefined) this.#hindrances.set('delivery', hindrance);
  }
}

/** Whether bytes of the same transaction are in the record before and not in this one. */
function lacks(record: StoredTransfer, before: StoredTransfer): boolean {
  if (transactionOf(record) !== transactionOf(before)) return false;
  const received = receivedBy(record);
  return receivedBy(before)
    .list()
    .some(([start, end]) => !received.covers(start, end));
}
