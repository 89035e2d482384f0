/** An open transfer as its leader knows it: the record, the bytes on their way into it, what keeps it from going on. */

import type { StoredTransfer } from '../../contract/transfer.ts';
import { Gathering } from './gathering.ts';

/** Who says that it cannot go on. */
export type Hindering = 'store' | 'delivery' | 'listing';

export class OpenTransfer {
  readonly key: string;
  readonly gathering: Gathering;
  /** A person decides about its cell: nothing is done for it here. */
  isQuarantined = false;
  /** When the record was last given bytes, ms since 1970. */
  toldAt = Number.NEGATIVE_INFINITY;
  /** Parts that are being stored. */
  storing = 0;
  #record: StoredTransfer;
  readonly #hindrances = new Map<Hindering, string>();

  constructor(key: string, record: StoredTransfer) {
    this.key = key;
    this.#record = record;
    this.gathering = new Gathering(record);
  }

  get record(): StoredTransfer {
    return this.#record;
  }

  /** Whether it waits for bytes. */
  get isReceiving(): boolean {
    const { state } = this.#record;
    return (state === 'REQUESTED' || state === 'PARTIAL') && !this.isQuarantined;
  }

  /** Whether bytes are to be asked for. */
  get isUndelivered(): boolean {
    return this.isReceiving && !this.gathering.isComplete && !this.#hindrances.has('store');
  }

  /** Whether it is the same transfer, not another that took its place. */
  isOf(record: StoredTransfer): boolean {
    const { created_at, source, actor } = this.#record;
    return created_at === record.created_at && source === record.source && actor.run === record.actor.run;
  }

  /** This is recorded now. */
  recorded(record: StoredTransfer): void {
    this.#record = record;
    this.gathering.recorded(record);
  }

  /** What the record should say of it; undefined where that has not changed, null: nothing. */
  hindered(by: Hindering, reason: string | undefined): string | null | undefined {
    if (this.#hindrances.get(by) === reason) return undefined;
    if (reason === undefined) this.#hindrances.delete(by);
    else this.#hindrances.set(by, reason);
    const first = (['store', 'delivery', 'listing'] as const).find((each) => this.#hindrances.has(each));
    return first === undefined ? null : this.#hindrances.get(first);
  }
}
