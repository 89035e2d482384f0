/**
 * Somebody who reads a file while it comes down. Mission Control Service, section 4.7 (ours).
 *
 * C1. A reader waits for its socket, and nobody waits for a reader: what comes meanwhile is kept up to
 *     `CHUNKS_WAITING_BYTES`, and what does not fit is read from the store when it is recorded.
 * C2. What is stored at the beginning comes first; then what arrives, before what was missed. What arrives before its
 *     turn is kept like the rest, and looked at again whenever something was sent.
 * C3. Each byte is sent once, and bytes of this generation alone (MC-GEN-022). Where another transaction brings the
 *     file from its beginning, the reading ends: what was sent may be of another writing (file-chunk.F2).
 * C4. It ends when the file is whole and sent, or will never be; the reason is the state of the transfer.
 */

import { type ByteRange, ByteRanges } from '../../contract/byte-ranges.ts';
import { type ChunkMessage, chunkMessage } from '../../contract/chunk-message.ts';
import { BUS_RETRY_MS } from '../../contract/limits/bus.ts';
import { CHUNK_MESSAGE_BYTES, CHUNKS_WAITING_BYTES } from '../../contract/limits/transfer.ts';
import { Outage } from '../../contract/outage.ts';
import { NO_TRANSACTION, receivedBy, type StoredTransfer, transactionOf } from '../../contract/transfer.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { type ReadingOrderName, readingOrder } from './reading-orders.ts';
import type { StoredBytes } from './stored-bytes.ts';

/** Bytes that came, the same for every reader. */
export class ArrivedBytes implements ChunkMessage {
  readonly offset: number;
  readonly data: Uint8Array;
  readonly transaction: string;
  #message: Buffer | undefined;

  constructor(offset: number, data: Uint8Array, transaction = NO_TRANSACTION) {
    this.offset = offset;
    this.data = data;
    this.transaction = transaction;
  }

  /** Made once for all readers that are sent the whole of it. */
  get message(): Buffer {
    this.#message ??= chunkMessage(this);
    return this.#message;
  }
}

/** How the reading of a file ends. */
export type ReadingEnd = 'finished' | 'begun-again' | 'gone' | 'defect';

/** Where a reader is sent its messages. */
export interface ChunkSink {
  push(message: Uint8Array): void;
  /** Undefined while there is room, else resolves when there is, or when nobody reads any more. */
  room(): Promise<void> | undefined;
  end(how: ReadingEnd, reason: string): void;
}

interface ReaderOptions {
  readonly order: ReadingOrderName;
  readonly sink: ChunkSink;
  readonly clock: Clock;
  readonly log: Log;
  readonly stored: StoredBytes;
  /** As it stands now. */
  readonly record: () => StoredTransfer;
  readonly ended: () => void;
}

/** A close frame has room for so many bytes of reason. */
const CLOSE_REASON_BYTES = 120;
/** How soon it is looked again for bytes that are recorded and not there. */
const AGAIN_MS = 4 * BUS_RETRY_MS;

export class ChunkReader {
  readonly #options: ReaderOptions;
  readonly #order;
  #waiting: ArrivedBytes[] = [];
  /** Of those, what came before its turn. */
  #early: ArrivedBytes[] = [];
  #waitingBytes = 0;
  /** C2 */
  #hasBeginning = false;
  #stopped = false;
  /** Of which everything is that was sent; undefined: nothing was. */
  #transaction: string | undefined;
  #isNews = false;
  #wake: () => void = () => undefined;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#order = readingOrder(options.order);
  }

  /** Sends until it ends or is stopped. */
  async run(): Promise<void> {
    const { log, sink, ended } = this.#options;
    try {
      while (!this.#stopped) await this.#step();
    } catch (error) {
      log.error({ err: error }, 'a reader of a file failed on a defect');
      sink.end('defect', 'a defect in the service');
    } finally {
      this.#stopped = true;
      this.#waiting = [];
      this.#early = [];
      ended();
    }
  }

  /** C1 */
  arrived(bytes: ArrivedBytes): void {
    if (this.#stopped || this.#waitingBytes + bytes.data.length > CHUNKS_WAITING_BYTES) return;
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.data.length;
    this.#news();
  }

  /** Its record has changed. */
  changed(): void {
    this.#news();
  }

  stop(): void {
    this.#stopped = true;
    this.#news();
  }

  #news(): void {
    this.#isNews = true;
    this.#wake();
  }

  async #step(): Promise<void> {
    this.#isNews = false;
    if (this.#hasBeginning && this.#waiting.length > 0) return this.#sendArrived();
    const record = this.#options.record();
    if (record.state === 'SUPERSEDED') return this.#finish(record);
    const isWhole = record.actor.content !== undefined || record.size === 0;
    const next = this.#order.next(isWhole ? ByteRanges.from([[0, record.size]])! : receivedBy(record));
    if (next !== undefined) return this.#sendStored(record, ...next);
    if (isWhole) return this.#finish(record);
    this.#hasBeginning = true;
    if (this.#waiting.length === 0) await this.#pause();
  }

  async #sendArrived(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const bytes of waiting) {
      if (this.#stopped) return;
      this.#waitingBytes -= bytes.data.length;
      // Most of them fit: nothing is waited for, not even a turn.
      const sending = this.#sendFresh(bytes);
      if (sending !== undefined) await sending;
    }
  }

  /** C2 */
  #lookAgain(): void {
    if (this.#early.length === 0) return;
    const early = this.#early.sort((one, other) => one.offset - other.offset);
    this.#early = [];
    this.#waiting = [...early, ...this.#waiting];
  }

  #sendFresh(bytes: ArrivedBytes): Promise<void> | undefined {
    const { offset, data } = bytes;
    const end = Math.min(offset + data.length, this.#options.record().size);
    if (offset >= end || !this.#isOfIt(bytes.transaction)) return undefined;
    const fresh = this.#order.arrived(offset, end);
    if (fresh === 'early') {
      this.#early.push(bytes);
      this.#waitingBytes += data.length;
      return undefined;
    }
    if (fresh.length > 0) this.#lookAgain();
    const isWhole = fresh[0]?.[0] === offset && fresh[0][1] === offset + data.length;
    if (isWhole && data.length <= CHUNK_MESSAGE_BYTES) return this.#push(bytes.message);
    return fresh.length === 0 ? undefined : this.#sendParts(bytes, fresh);
  }

  async #sendParts({ offset, data }: ChunkMessage, ranges: readonly ByteRange[]): Promise<void> {
    for (const [start, end] of ranges)
      await this.#send({ offset: start, data: data.subarray(start - offset, end - offset) });
  }

  /** Whether bytes of a transaction belong to what was sent (C3). */
  #isOfIt(transaction: string): boolean {
    this.#transaction ??= transaction;
    if (transaction === this.#transaction) return true;
    const isLate = this.#options.record().actor.transaction?.earlier.includes(transaction) === true;
    if (isLate || this.#stopped) return false;
    this.#stopped = true;
    this.#options.sink.end('begun-again', 'the file is sent again from its beginning');
    return false;
  }

  async #sendStored(record: StoredTransfer, start: number, end: number): Promise<void> {
    const { stored, sink } = this.#options;
    if (!this.#isOfIt(transactionOf(record))) return;
    let isThere = false;
    try {
      for await (const { offset, data } of stored.read(record, start, end)) {
        if (this.#stopped) return;
        for (const [from, to] of this.#order.sent(offset, offset + data.length)) {
          isThere = true;
          this.#lookAgain();
          await this.#send({ offset: from, data: data.subarray(from - offset, to - offset) });
        }
      }
    } catch (error) {
      if (!(error instanceof Outage)) throw error;
    }
    if (isThere || this.#stopped) return;
    this.#hasBeginning = true;
    if (this.#options.record().actor.content === undefined) return this.#pause(AGAIN_MS);
    if (await this.#isKept(record)) return this.#pause(AGAIN_MS);
    this.#stopped = true;
    sink.end('gone', 'the content is not kept any more');
  }

  /** Also where nobody answers. */
  async #isKept(record: StoredTransfer): Promise<boolean> {
    try {
      return await this.#options.stored.isKept(record);
    } catch (error) {
      if (!(error instanceof Outage)) throw error;
      return true;
    }
  }

  async #send({ offset, data }: ChunkMessage): Promise<void> {
    for (let at = 0; at < data.length && !this.#stopped; at += CHUNK_MESSAGE_BYTES) {
      const piece = data.subarray(at, at + CHUNK_MESSAGE_BYTES);
      await this.#push(chunkMessage({ offset: offset + at, data: piece }));
    }
  }

  /** Undefined: it is on its way. */
  #push(message: Buffer): Promise<void> | undefined {
    const { sink } = this.#options;
    const room = sink.room();
    const push = (): void => {
      if (!this.#stopped) sink.push(message);
    };
    if (room !== undefined) return room.then(push);
    push();
    return undefined;
  }

  /** C4 */
  #finish({ state, reason }: StoredTransfer): void {
    this.#stopped = true;
    const text = reason === undefined ? state : `${state}: ${reason}`;
    this.#options.sink.end('finished', cutTo(text, CLOSE_REASON_BYTES));
  }

  /** Until there are news, or for so long. */
  async #pause(mostMs?: number): Promise<void> {
    if (this.#isNews || this.#stopped) return;
    const { clock } = this.#options;
    let timer: TimerHandle | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (mostMs !== undefined) timer = clock.setTimeout(resolve, mostMs);
    });
    this.#wake = () => undefined;
    if (timer !== undefined) clock.clearTimeout(timer);
  }
}

/** As much of a text as so many bytes of UTF-8 hold. */
function cutTo(text: string, bytes: number): string {
  const encoded = Buffer.from(text);
  if (encoded.length <= bytes) return text;
  return encoded
    .subarray(0, bytes)
    .toString()
    .replace(/\ufffd+$/, '');
}
