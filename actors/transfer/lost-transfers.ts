/**
 * Open transfers that the bus has lost under their leader: bucket `mcs_transfers` or `mcs_open_transfers` was deleted,
 * emptied or put back from an older copy while it led.
 *
 * B1. The leader knows each of them as it was recorded last. Where its record or its entry is missing both are written
 *     again, the entry first (transfer-writes.W2), and the transfer goes on. Nothing is written over what is there.
 * B2. A transfer that waits for its link writes nothing for hours. So the record of one is looked at each second, one
 *     after the other; behind one that is lost all of them are.
 * B3. While the bus is away it is done with a later look.
 */

import { type BucketDefinition, buckets } from '../../contract/bus/buckets.ts';
import { TRANSFER_LOOK_MS } from '../../contract/limits/transfer.ts';
import { Outage } from '../../contract/outage.ts';
import { isOpenTransfer, type StoredTransfer } from '../../contract/transfer.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Log } from '../../ports/log.ts';
import type { OpenTransfers } from './open-transfers.ts';

interface LostTransfersOptions {
  readonly bus: Pick<Bus, 'bucket'>;
  readonly log: Log;
  readonly open: Pick<OpenTransfers, 'get' | 'values'>;
  /** Its record is there: it is to be read again. */
  readonly again: (key: string) => void;
  readonly holds: () => boolean;
  readonly failed: (error: unknown) => void;
}

export class LostTransfers {
  readonly #options: LostTransfersOptions;
  /** Of which something is missing. */
  readonly #missing = new Set<string>();
  #working: Promise<void> | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** Those of this turn that were not looked at yet (B2). */
  #turn: string[] = [];

  constructor(options: LostTransfersOptions) {
    this.#options = options;
  }

  /** Its record or its entry is missing; whether it is open here, and therefore written again. */
  missing(key: string): boolean {
    if (this.#known(key) === undefined || !this.#options.holds()) return false;
    this.#missing.add(key);
    this.#workSoon();
    return true;
  }

  tick(now: number): void {
    if (Math.abs(now - this.#lookedAt) >= TRANSFER_LOOK_MS) {
      this.#lookedAt = now;
      const next = this.#next();
      if (next !== undefined) this.#missing.add(next);
    }
    this.#workSoon();
  }

  async stop(): Promise<void> {
    this.#missing.clear();
    await this.#working;
  }

  /** B2 */
  #next(): string | undefined {
    if (this.#turn.length === 0) this.#turn = Array.from(this.#options.open.values(), ({ key }) => key);
    return this.#turn.pop();
  }

  #workSoon(): void {
    if (this.#working !== undefined || this.#missing.size === 0) return;
    this.#working = this.#work()
      .catch((error: unknown) => {
        // B3
        if (!(error instanceof Outage)) this.#options.failed(error);
      })
      .finally(() => {
        this.#working = undefined;
      });
  }

  async #work(): Promise<void> {
    let isLoss = false;
    for (const key of this.#missing) {
      const isLost = await this.#restore(key);
      this.#missing.delete(key);
      if (isLost && !isLoss)
        for (const { key: other } of this.#options.open.values()) this.#missing.add(other);
      isLoss ||= isLost;
    }
  }

  /** B1; whether something of it was lost. Throws `Outage`. */
  async #restore(key: string): Promise<boolean> {
    const { log, again } = this.#options;
    const isEntered = await this.#write(buckets.openTransfers, key, () => ({}));
    const isRecorded = await this.#write(buckets.transfers, key, (record) => record);
    if (!isEntered && !isRecorded) return false;
    const lost = [...(isEntered ? [buckets.openTransfers] : []), ...(isRecorded ? [buckets.transfers] : [])];
    const from = lost.map(({ name }) => name);
    log.error(
      { key, buckets: from },
      'the bus lost an open transfer: it is written again as it was known here',
    );
    again(key);
    return true;
  }

  /** Whether nothing stood there and it is written now. */
  async #write(
    definition: BucketDefinition,
    key: string,
    madeOf: (record: StoredTransfer) => object,
  ): Promise<boolean> {
    const { bus, holds } = this.#options;
    const bucket = bus.bucket(definition);
    if ((await bucket.get(key)) !== undefined) return false;
    const record = this.#known(key);
    if (record === undefined || !holds()) return false;
    const written = await bucket.put(key, Buffer.from(JSON.stringify(madeOf(record))), 0);
    return written.outcome === 'written';
  }

  #known(key: string): StoredTransfer | undefined {
    const record = this.#options.open.get(key)?.record;
    return record !== undefined && isOpenTransfer(record) ? record : undefined;
  }
}
