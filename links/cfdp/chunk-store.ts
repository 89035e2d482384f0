/**
 * Chunks that a gateway has received by CFDP on their way to the stream of chunks (`contract/file-chunk.ts`).
 *
 * K1. A chunk is tried again under its id until the bus has stored it: the entity does not ask for its bytes again.
 *     A duplicate of an attempt whose answer was lost is swallowed by the stream or, behind an outage longer than it
 *     remembers ids, by whoever gathers the file (transfer/gathering.A1).
 * K2. What waits is bounded; who brings more waits for room, and drops what does not get any.
 * K3. Bytes of a transaction that follow each other and wait become one message: the bus stores few large ones sooner.
 * K4. Nothing is stored by whoever may not have the files any more. One that slept would store bytes of a transaction
 *     behind those of its successor, and the file would begin again (open-transfer.O1).
 */

import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { chunkHeaders, type FileChunk } from '../../contract/file-chunk.ts';
import { BUS_RETRY_MS } from '../../contract/limits/bus.ts';
import { CFDP_CHUNKS_UNDER_WAY, CFDP_CHUNKS_WAITING_BYTES } from '../../contract/limits/cfdp.ts';
import { CHUNK_MESSAGE_BYTES } from '../../contract/limits/transfer.ts';
import { Outage } from '../../contract/outage.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';

interface ChunkStoreOptions {
  readonly bus: Pick<Bus, 'append'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Begins the ids of messages; no other store ever has it. */
  readonly life: string;
  /** Whether the files are still this process's, now (K4). */
  readonly holds: () => boolean;
}

/** Of which file, and with which words of the configuration it was received. */
export interface ChunkPlace {
  readonly target: string;
  readonly revision: string;
}

interface Message {
  readonly place: ChunkPlace;
  readonly file: string;
  readonly generation: number;
  readonly transaction: string | undefined;
  readonly offset: number;
  readonly pieces: Buffer[];
  bytes: number;
}

export class ChunkStore {
  readonly #options: ChunkStoreOptions;
  readonly #waiting: Message[] = [];
  readonly #underWay = new Set<Promise<void>>();
  /** Bytes that are not stored yet, by file. */
  readonly #unstored = new Map<string, number>();
  #bytes = 0;
  #messages = 0;
  #transactions = 0;
  readonly #forRoom = new Set<() => void>();
  readonly #pauses = new Set<() => void>();
  #stopped = false;

  constructor(options: ChunkStoreOptions) {
    this.#options = options;
  }

  get isFull(): boolean {
    return this.#bytes >= CFDP_CHUNKS_WAITING_BYTES;
  }

  /** Whether every byte of the file that was pushed is stored. */
  isStored(target: string, file: string, generation: number): boolean {
    return !this.#unstored.has(fileKey(target, file, generation));
  }

  /** A name that no chunk has had before (file-chunk.F2). */
  newTransaction(): string {
    this.#transactions += 1;
    return `${this.#options.life}-${this.#transactions}`;
  }

  /** Takes bytes over; they may be a view. */
  push(place: ChunkPlace, { file, generation, offset, data, transaction }: FileChunk): void {
    if (this.#stopped) return;
    const bytes = data.length;
    const key = fileKey(place.target, file, generation);
    this.#bytes += bytes;
    this.#unstored.set(key, (this.#unstored.get(key) ?? 0) + bytes);
    const piece = Buffer.from(data);
    const last = this.#waiting.at(-1);
    if (last !== undefined && follows(last, place, { file, generation, offset, data }, transaction)) {
      last.pieces.push(piece);
      last.bytes += bytes;
    } else this.#waiting.push({ place, file, generation, transaction, offset, pieces: [piece], bytes });
    this.#storeNext();
  }

  /** Resolves when there is room, or when that time is over. */
  async room(withinMs: number): Promise<void> {
    if (this.isFull && !this.#stopped) await this.#wait(this.#forRoom, withinMs);
  }

  /** Stores no more; resolves when nothing is under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#waiting.length = 0;
    for (const wake of [...this.#pauses, ...this.#forRoom]) wake();
    await Promise.all(this.#underWay);
  }

  #storeNext(): void {
    while (this.#underWay.size < CFDP_CHUNKS_UNDER_WAY) {
      const message = this.#waiting.shift();
      if (message === undefined) return;
      const stored = this.#store(message).then(() => {
        this.#underWay.delete(stored);
        this.#storeNext();
      });
      this.#underWay.add(stored);
    }
  }

  /** K1 */
  async #store(message: Message): Promise<void> {
    const { place, file, generation, transaction, offset, pieces, bytes } = message;
    const data = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
    const chunk = { file, generation, offset, data, ...(transaction !== undefined && { transaction }) };
    const headers = { ...chunkHeaders(chunk), [header.config]: place.revision };
    this.#messages += 1;
    const id = `${this.#options.life}-${this.#messages}`;
    const to = subject.fileChunk(place.target, file);
    while (!(await this.#isAppended(to, data, { id, headers }))) {
      if (this.#stopped) return;
      await this.#wait(this.#pauses, BUS_RETRY_MS);
    }
    this.#bytes -= bytes;
    const key = fileKey(place.target, file, generation);
    const left = (this.#unstored.get(key) ?? 0) - bytes;
    if (left > 0) this.#unstored.set(key, left);
    else this.#unstored.delete(key);
    if (!this.isFull) for (const wake of [...this.#forRoom]) wake();
  }

  async #isAppended(
    to: string,
    data: Buffer,
    options: { readonly id: string; readonly headers: Record<string, string> },
  ): Promise<boolean> {
    const { bus, log, holds } = this.#options;
    if (!holds()) return false;
    try {
      await bus.append(streams.fileChunks, to, data, options);
      return true;
    } catch (error) {
      if (!(error instanceof Outage)) log.error({ err: error, subject: to }, 'chunk of a file not stored');
      return false;
    }
  }

  /** Until that time is over, or one of the set is called. */
  #wait(wakes: Set<() => void>, ms: number): Promise<void> {
    const { clock } = this.#options;
    return new Promise((resolve) => {
      const wake = (): void => {
        clock.clearTimeout(timer);
        wakes.delete(wake);
        resolve();
      };
      const timer = clock.setTimeout(wake, ms);
      wakes.add(wake);
    });
  }
}

/** K3 */
function follows(
  last: Message,
  place: ChunkPlace,
  { file, generation, offset, data }: FileChunk,
  transaction: string | undefined,
): boolean {
  return (
    last.transaction === transaction &&
    last.place.target === place.target &&
    last.place.revision === place.revision &&
    last.file === file &&
    last.generation === generation &&
    last.offset + last.bytes === offset &&
    last.bytes + data.length <= CHUNK_MESSAGE_BYTES
  );
}

function fileKey(target: string, file: string, generation: number): string {
  return `${target}.${file}.${generation}`;
}
