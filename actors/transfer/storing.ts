/**
 * Stores what is gathered of downloads as parts. Mission Control Service, section 4.7 rule 3.
 *
 * T1. What could not be stored is gathered again, and stored when there is room: a full store is a reason in the
 *     record, not an end (transfer/service.S4 keeps the rest in its stream).
 * T2. So many parts are stored at once in all.
 */

import {
  TRANSFER_GATHER_MS,
  TRANSFER_GATHERED_BYTES,
  TRANSFER_STORES_AT_ONCE,
} from '../../contract/limits/transfer.ts';
import { Outage } from '../../contract/outage.ts';
import { partsOf } from '../../contract/transfer.ts';
import type { Clock } from '../../ports/clock.ts';
import type { GatheredPart, Gathering } from './gathering.ts';
import type { OpenTransfer } from './open-transfer.ts';
import type { Parts } from './parts.ts';
import { Turns } from './turns.ts';

interface StoringOptions {
  readonly clock: Clock;
  readonly parts: Pick<Parts, 'store'>;
  readonly holds: () => boolean;
  readonly stored: (open: OpenTransfer) => void;
  readonly hindered: (open: OpenTransfer, reason: string | undefined) => void;
  readonly failed: (error: unknown) => void;
}

export class Storing {
  readonly #options: StoringOptions;
  readonly #turns = new Turns(TRANSFER_STORES_AT_ONCE);
  readonly #underWay = new Set<Promise<void>>();
  /** Bytes gathered or being stored, of all transfers. */
  #bytes = 0;
  #waiting: (() => void)[] = [];

  constructor(options: StoringOptions) {
    this.#options = options;
  }

  /** So many bytes more are gathered. */
  gathered(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Resolves when there is room for more; undefined: there is. */
  room(): Promise<void> | undefined {
    if (this.#bytes < TRANSFER_GATHERED_BYTES) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Stores what has been gathered for long enough, or is enough, or is the rest. */
  flushDue(transfers: Iterable<OpenTransfer>, now: number): void {
    const isCrowded = this.#bytes >= TRANSFER_GATHERED_BYTES / 2;
    for (const open of transfers) {
      const { since, isFull, isComplete } = open.gathering;
      if (since === undefined) continue;
      const isOld = now - since >= TRANSFER_GATHER_MS || now < since;
      if (isOld || isFull || isComplete || isCrowded) this.flush(open);
    }
  }

  flush(open: OpenTransfer): void {
    if (!this.#options.holds()) return;
    const { gathering } = open;
    for (const part of gathering.take()) {
      open.storing += 1;
      const storing = this.#store(open, gathering, part).finally(() => {
        open.storing -= 1;
        this.#underWay.delete(storing);
      });
      this.#underWay.add(storing);
    }
  }

  /** Nothing is stored of it any more: what is gathered is dropped; resolves when nothing is under way. */
  async drop(open: OpenTransfer): Promise<void> {
    this.#freed(open.gathering.discard());
    while (open.storing > 0) await Promise.race(this.#underWay);
    // What could not be stored meanwhile was given back.
    this.#freed(open.gathering.discard());
  }

  /** What is gathered of it is dropped; parts that are being stored are of no use any more. */
  letGo(open: OpenTransfer): void {
    this.#freed(open.gathering.discard());
  }

  async stop(): Promise<void> {
    for (const resolve of this.#waiting.splice(0)) resolve();
    await Promise.allSettled(this.#underWay);
  }

  async #store(open: OpenTransfer, gathering: Gathering, part: GatheredPart): Promise<void> {
    const { clock, parts, stored, hindered, failed } = this.#options;
    try {
      const { transaction } = gathering;
      await this.#turns.take(() => parts.store({ ...partsOf(open.record), transaction }, part));
    } catch (error) {
      if (!(error instanceof Outage)) return failed(error);
      if (open.gathering !== gathering) return this.#freed(part.end - part.start);
      gathering.giveBack(part, clock.now());
      const { message, remedy } = error;
      if (remedy !== undefined) hindered(open, `${message}. ${remedy}`);
      return;
    }
    this.#freed(part.end - part.start);
    gathering.stored(part);
    hindered(open, undefined);
    stored(open);
  }

  #freed(bytes: number): void {
    this.#bytes -= bytes;
    if (this.#bytes < TRANSFER_GATHERED_BYTES) for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
