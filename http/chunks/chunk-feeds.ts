/**
 * Files that come down and are read along, in one process. Mission Control Service, section 4.7 (ours).
 *
 * D1. The chunks of a file are followed once, whoever many read it, and from the first reader to the last.
 * D2. Whoever follows never waits: what comes is handed to each reader, who keeps it or not (chunk-reader.C1).
 */

import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { readFileChunk } from '../../contract/file-chunk.ts';
import { type StoredTransfer, transferKey } from '../../contract/transfer.ts';
import type { TransferBook } from '../../messaging/transfer-book.ts';
import type { Bus, Follower, Stoppable, StreamMessage } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { ArrivedBytes, ChunkReader, type ChunkSink } from './chunk-reader.ts';
import type { ReadingOrderName } from './reading-orders.ts';
import { StoredBytes } from './stored-bytes.ts';

interface FeedTools {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly transfers: TransferBook;
}

export class ChunkFeeds {
  readonly #tools: FeedTools;
  readonly #feeds = new Map<string, ChunkFeed>();

  constructor(tools: FeedTools) {
    this.#tools = tools;
  }

  /** Transfers that are read along. */
  get size(): number {
    return this.#feeds.size;
  }

  /** Begins to write to a reader of this download. Rejects with `Outage`. */
  async open(record: StoredTransfer, order: ReadingOrderName, sink: ChunkSink): Promise<Stoppable> {
    const key = transferKey(record);
    let feed = this.#feeds.get(key);
    if (feed === undefined) {
      feed = new ChunkFeed(record, this.#tools, () => this.#feeds.delete(key));
      this.#feeds.set(key, feed);
    }
    return feed.add(order, sink);
  }
}

class ChunkFeed {
  readonly #tools: FeedTools;
  readonly #ended: () => void;
  readonly #stored: StoredBytes;
  readonly #readers = new Set<ChunkReader>();
  readonly #forget: () => void;
  /** As it stood last: one that is long over leaves the book. */
  #record: StoredTransfer;
  #following: Promise<Follower> | undefined;
  /** Readers, and those who are about to be. */
  #count = 0;

  constructor(record: StoredTransfer, tools: FeedTools, ended: () => void) {
    this.#record = tools.transfers.get(transferKey(record)) ?? record;
    this.#tools = tools;
    this.#ended = ended;
    this.#stored = new StoredBytes(tools.bus);
    const key = transferKey(record);
    this.#forget = tools.transfers.onChange((changed, now) => {
      if (changed !== key || now === undefined) return;
      this.#record = now;
      for (const reader of this.#readers) reader.changed();
    });
  }

  async add(order: ReadingOrderName, sink: ChunkSink): Promise<Stoppable> {
    this.#count += 1;
    try {
      await this.#follow();
    } catch (error) {
      this.#left();
      throw error;
    }
    const { clock, log } = this.#tools;
    const reader = new ChunkReader({
      order,
      sink,
      clock,
      log,
      stored: this.#stored,
      record: () => this.#record,
      ended: () => {
        this.#readers.delete(reader);
        this.#left();
      },
    });
    this.#readers.add(reader);
    const running = reader.run();
    return {
      async stop() {
        reader.stop();
        await running;
      },
    };
  }

  /** D1. Nothing more arrives of what is whole already. */
  async #follow(): Promise<void> {
    const { state, target, file_id } = this.#record;
    if (state !== 'REQUESTED' && state !== 'PARTIAL') return;
    const about = subject.fileChunk(target, file_id);
    const following =
      this.#following ??
      this.#tools.bus.follow(streams.fileChunks, about, { from: 'now' }, (message) => this.#take(message));
    this.#following = following;
    try {
      await following;
    } catch (error) {
      if (this.#following === following) this.#following = undefined;
      throw error;
    }
  }

  /** D2 */
  #take(message: StreamMessage): void {
    const chunk = readFileChunk(message);
    if (chunk === undefined || chunk.generation !== this.#record.generation) return;
    const bytes = new ArrivedBytes(chunk.offset, chunk.data, chunk.transaction);
    for (const reader of this.#readers) reader.arrived(bytes);
  }

  #left(): void {
    this.#count -= 1;
    if (this.#count > 0) return;
    this.#ended();
    this.#forget();
    const stop = async (): Promise<void> => (await this.#following)?.stop();
    stop().catch((error) => this.#tools.log.debug({ err: error }, 'a follower of chunks did not stop'));
  }
}
