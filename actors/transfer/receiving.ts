/**
 * Bytes of downloads from the stream of chunks into the records: gathered, stored as parts, given to the cells. The
 * rules are those of the service that uses it (transfer/service.S2 to S4).
 */

import type { ByteRange } from '../../contract/byte-ranges.ts';
import { TRANSFER_GATHER_MS } from '../../contract/limits/transfer.ts';
import { NO_TRANSACTION, partsOf, transferKey } from '../../contract/transfer.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { type ArrivedChunk, ChunkIntake } from './chunk-intake.ts';
import type { OpenTransfer } from './open-transfer.ts';
import type { OpenTransfers } from './open-transfers.ts';
import type { Parts } from './parts.ts';
import { Storing } from './storing.ts';

interface ReceivingOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly epoch: number;
  readonly open: OpenTransfers;
  readonly parts: Parts;
  readonly holds: () => boolean;
  /** A chunk was seen, of whatever file, before anything of it is taken. */
  readonly saw: (chunk: ArrivedChunk) => void;
  /** It is of an open transfer. */
  readonly arrived: (open: OpenTransfer, range: ByteRange) => void;
  /** These are stored, and the record may not have them. */
  readonly tell: (open: OpenTransfer, ranges: readonly ByteRange[], now: number) => void;
  readonly hindered: (open: OpenTransfer, reason: string | undefined) => void;
  readonly failed: (error: unknown) => void;
}

/** Before bytes are given again to a record that does not have them. */
const TELL_AGAIN_MS = 5_000;

export class Receiving {
  readonly #options: ReceivingOptions;
  readonly #storing: Storing;
  readonly #intake: ChunkIntake;
  #isCaughtUp = false;
  #catchUp: () => void = () => {};
  /** Resolves when everything that a leader before had of the stream was read again, or nothing is any more. */
  readonly caughtUp = new Promise<void>((resolve) => {
    this.#catchUp = resolve;
  });

  constructor(options: ReceivingOptions) {
    this.#options = options;
    const { bus, clock, log, epoch, parts, holds, hindered, failed } = options;
    this.#storing = new Storing({
      clock,
      parts,
      holds,
      stored: (open) => this.#tellDue(open, clock.now()),
      hindered,
      failed,
    });
    this.#intake = new ChunkIntake({
      bus,
      clock,
      log,
      epoch,
      take: (chunk) => this.#take(chunk),
      firstOpen: () => this.#firstOpen(),
      failed,
    });
  }

  /** Nobody before has a say in where to begin from here on (chunk-intake.I4). Rejects with `Outage`. */
  claim(): Promise<void> {
    return this.#intake.claim();
  }

  /** Resolves when everything that arrived before the call was taken. Rejects with `Outage`. */
  async start(): Promise<void> {
    try {
      await this.#intake.start();
      this.#isCaughtUp = true;
    } finally {
      this.#catchUp();
    }
  }

  async stop(): Promise<void> {
    this.#catchUp();
    // Whoever waits for room is let go first, or the follower would not end.
    await Promise.all([this.#storing.stop(), this.#intake.stop()]);
  }

  /** Stores and gives to the records what is due. */
  tick(now: number): void {
    const { open } = this.#options;
    this.#storing.flushDue(open.values(), now);
    for (const each of open.values()) this.#tellDue(each, now);
  }

  /** Nothing is stored of it any more; resolves when nothing is under way. */
  drop(open: OpenTransfer): Promise<void> {
    return this.#storing.drop(open);
  }

  /** Another transaction brings it now: what the one before brought is let go (open-transfer.O1). */
  begins(open: OpenTransfer, transaction: string): void {
    this.#storing.letGo(open);
    open.begins(transaction);
  }

  #take(chunk: ArrivedChunk): Promise<void> | undefined {
    const { clock, open: all, parts, saw, arrived } = this.#options;
    const { target, file, generation, offset, data, position } = chunk;
    saw(chunk);
    const open = all.get(transferKey({ target, file_id: file, generation, direction: 'download' }));
    if (open === undefined) return undefined;
    const { transaction = NO_TRANSACTION } = chunk;
    const name = { ...partsOf(open.record), transaction };
    arrived(open, [offset, offset + data.length]);
    if (!open.isReceiving || !open.takes(transaction)) {
      if (!this.#isCaughtUp) parts.mayBegin(name, offset);
      return undefined;
    }
    if (transaction !== open.gathering.transaction) this.begins(open, transaction);
    const fresh = open.gathering.add(offset, data, position, clock.now());
    if (!this.#isCaughtUp) for (const [start] of fresh) parts.mayBegin(name, start);
    this.#storing.gathered(fresh.reduce((sum, [start, end]) => sum + end - start, 0));
    if (open.gathering.isFull || open.gathering.isComplete) this.#storing.flush(open);
    return this.#storing.room();
  }

  /** transfer/service.S3 */
  #tellDue(open: OpenTransfer, now: number): void {
    const { gathering, toldAt } = open;
    const sinceMs = Math.abs(now - toldAt);
    const isUrgent = gathering.isComplete && gathering.bytes === 0 && open.storing === 0;
    const isNews = gathering.hasNews && (isUrgent || sinceMs >= TRANSFER_GATHER_MS);
    const isLost = gathering.awaited.length > 0 && sinceMs >= TELL_AGAIN_MS;
    if (!(isNews || isLost) || !open.isReceiving || open.isDropped || !this.#options.holds()) return;
    open.toldAt = now;
    this.#options.tell(open, gathering.tell() ?? gathering.awaited, now);
  }

  #firstOpen(): number | undefined {
    let first: number | undefined;
    for (const { gathering, isQuarantined } of this.#options.open.values()) {
      const { firstOpen } = gathering;
      if (!isQuarantined && firstOpen !== undefined) first = Math.min(first ?? firstOpen, firstOpen);
    }
    return first;
  }
}
