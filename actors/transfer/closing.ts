/**
 * Transfers that are over: nobody needs their parts any more, and they leave the open ones. The rules are those of the
 * service that uses it (transfer/service.S9).
 */

import { Outage } from '../../contract/outage.ts';
import {
  isOpenTransfer,
  leftParts,
  partsOf,
  receivedBy,
  type StoredTransfer,
  transferKey,
} from '../../contract/transfer.ts';
import type { Clock } from '../../ports/clock.ts';
import type { LeftFiles } from './left-files.ts';
import type { OpenIndex } from './open-index.ts';
import type { OpenTransfer } from './open-transfer.ts';
import type { OpenTransfers } from './open-transfers.ts';
import type { Parts } from './parts.ts';
import type { Receiving } from './receiving.ts';

interface ClosingOptions {
  readonly clock: Clock;
  readonly open: OpenTransfers;
  readonly parts: Parts;
  readonly receiving: Receiving;
  readonly index: OpenIndex;
  readonly left: LeftFiles;
  /** Whether this process still leads, now. */
  readonly holds: () => boolean;
  readonly isStopped: () => boolean;
  readonly forget: (open: OpenTransfer) => void;
  readonly failed: (error: unknown) => void;
}

export class Closing {
  readonly #options: ClosingOptions;

  constructor(options: ClosingOptions) {
    this.#options = options;
  }

  /** Parts of a transaction that was left; what stays is removed with the rest in the end. */
  letGo(record: StoredTransfer): void {
    const { parts, failed } = this.#options;
    void parts.remove(partsOf(record), receivedBy(record).list()).catch((error: unknown) => {
      if (!(error instanceof Outage)) failed(error);
    });
  }

  /** Removes what nobody needs any more. Throws `Outage`. */
  async close(record: StoredTransfer): Promise<void> {
    const { open: all, receiving, index, left, holds } = this.#options;
    const key = transferKey(record);
    const open = all.get(key);
    if (open === undefined || !holds()) return;
    await receiving.drop(open);
    // Chunks that are read again say which parts there may be (parts.G4).
    await receiving.caughtUp;
    if (!holds()) return;
    await this.#removeParts(record);
    if (!this.#isStillOver(open)) return;
    if (record.actor.decoding?.outcome === 'left') await left.leave(record);
    if (!this.#isStillOver(open)) return;
    await index.leave(key);
    this.#forgetSoon(open);
  }

  async #removeParts(record: StoredTransfer): Promise<void> {
    if (record.direction !== 'download') return;
    const { parts } = this.#options;
    await parts.remove(partsOf(record), receivedBy(record).list());
    for (const [name, ranges] of leftParts(record)) await parts.remove(name, ranges);
  }

  /** transfer/service.S9 */
  #isStillOver(open: OpenTransfer): boolean {
    return this.#options.open.get(open.key) === open && !isOpenTransfer(open.record);
  }

  /** Its cell waits for the effect that closes it, and is dropped when that is over. */
  #forgetSoon(open: OpenTransfer): void {
    const { clock, index, isStopped, forget } = this.#options;
    clock.setTimeout(() => {
      if (!this.#isStillOver(open) || isStopped()) return;
      forget(open);
      // Somebody may have asked for it again meanwhile.
      index.again(open.key);
    }, 0);
  }
}
