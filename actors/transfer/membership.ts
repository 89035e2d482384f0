/**
 * Which transfers are open here, with a cell for each: taken in when their records are read, read again where somebody
 * else wrote, forgotten when they are over. The rules are those of the service that uses it (transfer/service.S1, S7
 * and S9).
 */

import { type StoredTransfer, transactionOf } from '../../contract/transfer.ts';
import type { TransferChartEvent } from '../../machines/transfer/protocol.ts';
import type { Cells, Gone } from '../../ports/cells.ts';
import type { Delivery } from './delivery.ts';
import type { Generations } from './generations.ts';
import type { Listings } from './listings.ts';
import type { LostTransfers } from './lost-transfers.ts';
import type { OpenIndex } from './open-index.ts';
import { OpenTransfer } from './open-transfer.ts';
import type { OpenTransfers } from './open-transfers.ts';
import type { Receiving } from './receiving.ts';

interface MembershipOptions {
  readonly cells: Cells<unknown, TransferChartEvent>;
  readonly open: OpenTransfers;
  readonly index: OpenIndex;
  readonly receiving: Receiving;
  readonly listings: Listings;
  readonly generations: Generations;
  readonly lost: Pick<LostTransfers, 'missing'>;
  readonly deliveryOf: (open: OpenTransfer) => Delivery;
  readonly holds: () => boolean;
  readonly isStopped: () => boolean;
  readonly failed: (error: unknown) => void;
}

export class Membership {
  readonly #options: MembershipOptions;

  constructor(options: MembershipOptions) {
    this.#options = options;
  }

  /** Its record was read, for the first time or again. */
  found(key: string, record: StoredTransfer): void {
    const { open: all, listings, cells, generations } = this.#options;
    const known = all.get(key);
    if (known?.isOf(record) === true) return this.#rejoined(known, record);
    if (known !== undefined) this.forget(known);
    all.add(new OpenTransfer(key, record));
    listings.follow(record.target);
    cells.wake(key);
    generations.listed(record.target, record.file_id);
  }

  /** transfer/service.S7, S9 */
  #rejoined(open: OpenTransfer, record: StoredTransfer): void {
    const { receiving, deliveryOf, cells, generations } = this.#options;
    const isTakenUp = open.isTakenUpBy(record) && !open.isQuarantined;
    if (!open.isDropped && !isTakenUp) return;
    if (isTakenUp) cells.drop(open.key);
    if (open.isBehind(record)) receiving.begins(open, transactionOf(record));
    open.rejoined(record);
    deliveryOf(open).reread(open.key);
    cells.wake(open.key);
    generations.listed(record.target, record.file_id);
  }

  /** Its cell is gone. */
  gone(key: string, why: Gone): void {
    const { open: all, index, lost, receiving, holds, isStopped, failed } = this.#options;
    const open = all.get(key);
    if (open === undefined || isStopped()) return;
    if (why === 'quarantined') {
      open.isQuarantined = true;
      void receiving.drop(open);
    }
    if (why !== 'fenced') return;
    if (!holds()) return failed(new Error(`another leader writes transfer ${key}`));
    // transfer/service.S7
    open.isDropped = true;
    if (!index.again(key) && !lost.missing(key)) this.forget(open);
  }

  /** A person lets its cell go on. */
  resumed(key: string): void {
    const open = this.#options.open.get(key);
    if (open === undefined) return;
    open.isQuarantined = false;
    // What was gathered then was let go.
    open.gathering.restart(open.record);
  }

  /** One that is open goes on; whose cell is dropped beside that has nothing to go on with. */
  unlisted(key: string): void {
    const { open: all, lost, isStopped } = this.#options;
    const open = all.get(key);
    if (open === undefined || isStopped() || lost.missing(key)) return;
    if (open.isDropped) this.forget(open);
  }

  forget(open: OpenTransfer): void {
    const { open: all, listings, receiving, deliveryOf, cells } = this.#options;
    const { key, record } = open;
    all.delete(open);
    if (!all.hasOf(record.target)) listings.leave(record.target);
    void receiving.drop(open);
    deliveryOf(open).forget(key);
    cells.drop(key);
  }
}
