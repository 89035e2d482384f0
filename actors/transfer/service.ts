/**
 * What the leader of `transfers` runs: every transfer that is open, one cell for each. Mission Control Service,
 * sections 3.5 and 4.7.
 *
 * S1. It begins with the entries of the open transfers and follows them: what is final costs nothing, however much of
 *     it is recorded. An entry without a record is of somebody who is about to write it.
 * S2. Bytes are stored before they are recorded, and recorded before the low-water mark of the chunks passes them:
 *     whatever dies in between, they are read again and nothing is lost.
 * S3. A record is written at most once a second for bytes that arrive.
 * S4. What is gathered of all files has a bound; chunks wait in their stream where there is more.
 * S5. Nothing of another generation is taken up: a newer one supersedes the transfer, an older one is left out
 *     (MC-GEN-022).
 *     Bytes of two transactions that may have brought different writings are not joined either (open-transfer.O1).
 * S6. Nothing is asked before what arrived until now was taken: a new leader asks for what is missing (MC-XFER-049).
 * S7. A record that was written by another one, as by a leader before whose last write was on its way, is read again:
 *     what has arrived since is not dropped with its cell, or it would be asked again.
 *     One that the bus has lost is written again (lost-transfers.B1).
 * S8. Nothing that was acknowledged of one upload counts for another that took its place under the same key.
 * S9. What is over and asked for again goes on from its record, also where it is being closed then: it does not leave
 *     the open ones.
 */

import type { ByteRange } from '../../contract/byte-ranges.ts';
import { receivedBy, type StoredTransfer, transactionOf, transferKey } from '../../contract/transfer.ts';
import type { TransferEffect } from '../../machines/transfer/protocol.ts';
import { paceOf, type TransferPace } from '../../mission/transfer/pace.ts';
import type { CellOwner, Gone } from '../../ports/cells.ts';
import type { TransferServices } from './binding.ts';
import type { DeliveryEvents } from './delivery.ts';
import { ServiceParts, type TransferServiceOptions } from './service-parts.ts';
import type { TransferTerm } from './transfer-store.ts';
import type { Compared } from './verification.ts';

export class TransferService implements TransferTerm, TransferServices, CellOwner, DeliveryEvents {
  readonly epoch: number;
  readonly #options: TransferServiceOptions;
  readonly #parts: ServiceParts;
  #stopped = false;

  constructor(options: TransferServiceOptions) {
    this.#options = options;
    this.epoch = options.epoch;
    const term = {
      holds: () => this.holds(),
      isStopped: () => this.#stopped,
      failed: (error: unknown) => {
        if (!this.#stopped) options.failed(error);
      },
    };
    this.#parts = new ServiceParts(options, term, this);
  }

  /** Takes the transfers over. Rejects with `Outage`. */
  async start(): Promise<void> {
    await this.#parts.receiving.claim();
    await this.#parts.index.start();
    await this.#parts.delivery.start();
    this.#parts.rounds.begin();
    await this.#parts.receiving.start();
    this.#parts.rounds.ask();
  }

  /** Leaves every transfer where it stands: the next leader goes on from the records. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#parts.rounds.stop();
    this.#parts.listings.stop();
    await this.#parts.receiving.stop();
    const { delivery, index, left, lost } = this.#parts;
    await Promise.all([delivery.stop(), index.stop(), left.stop(), lost.stop()]);
    for (const key of [...this.#options.cells.ids()]) this.#options.cells.drop(key);
  }

  /** Transfers that are open. */
  get size(): number {
    return this.#parts.open.size;
  }

  // For the cells ----------------------------------------------------------------------------------------------------

  epochOf(): number {
    return this.epoch;
  }

  holds(): boolean {
    return !this.#stopped && this.#options.holds();
  }

  gone(key: string, why: Gone): void {
    this.#parts.membership.gone(key, why);
  }

  async resumed(key: string): Promise<void> {
    this.#parts.membership.resumed(key);
  }

  written(key: string, stored: StoredTransfer): void {
    const open = this.#parts.open.get(key);
    if (open === undefined) return;
    // S8
    if (!open.isOf(stored)) {
      open.replaced(stored);
      this.#parts.deliveryOf(open).forget(key);
      return;
    }
    const before = open.record;
    const isOther = transactionOf(stored) !== transactionOf(before);
    const more = receivedBy(stored).total - (isOther ? 0 : receivedBy(before).total);
    if (more > 0) this.#options.count(stored.target, 'received', more);
    open.recorded(stored);
    if (isOther) this.#parts.closing.letGo(before);
    if (!open.isReceiving) this.#parts.deliveryOf(open).forget(key);
  }

  recordOf(key: string): StoredTransfer | undefined {
    return this.#parts.open.get(key)?.record;
  }

  async publish(effect: Extract<TransferEffect, { type: 'effect.publish' }>): Promise<void> {
    if (this.holds()) await this.#parts.publication.publish(effect);
  }

  assemble(record: StoredTransfer): Promise<StoredTransfer['actor']['content']> {
    return this.#parts.verification.assemble(record);
  }

  verify(record: StoredTransfer, signal: AbortSignal): Promise<Compared | undefined> {
    return this.#parts.verification.verify(record, signal);
  }

  close(record: StoredTransfer): Promise<void> {
    return this.#parts.closing.close(record);
  }

  hindered(key: string, reason: string | undefined): void {
    this.#parts.hindered(this.#parts.open.get(key), 'delivery', reason);
  }

  paceOf(record: StoredTransfer): TransferPace | undefined {
    const { missions, clock } = this.#options;
    const mission = missions.current;
    const target = mission?.targets.get(record.target);
    const missing = record.size - receivedBy(record).total;
    const open = this.#parts.open.get(transferKey(record));
    // Of what its history shows nothing is known now.
    const isNow = open?.isReceiving === true && open.record.updated_at === record.updated_at;
    if (mission === undefined || target === undefined || !isNow || missing <= 0) return undefined;
    const link = this.#parts.delivery.links.of(mission, target);
    if ('reason' in link) return undefined;
    const rate = link.rate(record.direction === 'upload' ? 'uplink' : 'downlink');
    return paceOf(rate, missing, link.los, clock.now());
  }

  // Of the deliveries ------------------------------------------------------------------------------------------------

  acknowledged(key: string, range: ByteRange): void {
    this.#parts.open.get(key)?.gathering.acknowledged(range);
  }

  ended(key: string, reason: string): void {
    if (this.#stopped) return;
    this.#options.cells.tell(key, { type: 'run.ended', at: this.#options.clock.now(), reason });
  }

  asked(target: string, bytes: number): void {
    this.#options.count(target, 'asked', bytes);
  }
}
