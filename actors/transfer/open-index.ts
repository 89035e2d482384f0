/**
 * The index of open transfers, bucket `mcs_open_transfers`: what a leader has to know (transfer/service.S1).
 *
 * N1. An entry stands before its record does (transfer-writes.W2): one without a record is looked at again, and removed
 *     when nobody can be about to write it any more.
 * N2. An entry that is written again says that its record was written by somebody else.
 */

import { buckets } from '../../contract/bus/buckets.ts';
import { TRANSFER_INDEX_MS, TRANSFER_TICK_MS } from '../../contract/limits.ts';
import { Outage } from '../../contract/outage.ts';
import { readStoredTransfer, type StoredTransfer } from '../../contract/transfer.ts';
import type { Bus, Entry, Watch } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';

interface OpenIndexOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  /** Its record was read, for the first time or again (N2). */
  readonly found: (key: string, record: StoredTransfer) => void;
  readonly failed: (error: unknown) => void;
}

/** An entry is written some milliseconds before its record, or its creator is dead. */
const INDEX_LOOK_LONGEST_MS = 10_000;

interface Indexed {
  readonly revision: number;
  readonly at: number;
}

export class OpenIndex {
  readonly #options: OpenIndexOptions;
  readonly #entries = new Map<string, Indexed>();
  /** Entries whose record is to be read, when, and how often it was not there. */
  readonly #unread = new Map<string, { readonly at: number; readonly tries: number }>();
  readonly #reading = new Set<Promise<void>>();
  readonly #said = new Set<string>();
  #watch: Watch | undefined;
  #stopped = false;

  constructor(options: OpenIndexOptions) {
    this.#options = options;
  }

  /** Resolves when every record of the entries there are was read. Rejects with `Outage`. */
  async start(): Promise<void> {
    const { bus } = this.#options;
    this.#watch = await bus
      .bucket(buckets.openTransfers)
      .watch('>', (key, entry) => this.#changed(key, entry));
    await this.#watch.ready;
    await Promise.all(this.#reading);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#watch?.stop();
    await Promise.allSettled(this.#reading);
  }

  /** Looks again at entries whose record was not there, or could not be read. */
  tick(now: number): void {
    for (const [key, { at }] of this.#unread) if (at <= now) this.#read(key);
  }

  /** Reads the record of an entry again. */
  again(key: string): void {
    if (this.#entries.has(key)) this.#read(key);
  }

  /** Takes an entry out; one that was written meanwhile stays. Throws `Outage`. */
  async leave(key: string): Promise<void> {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    await this.#options.bus.bucket(buckets.openTransfers).remove(key, entry.revision);
  }

  #changed(key: string, entry: Entry | undefined): void {
    if (entry === undefined) {
      this.#entries.delete(key);
      this.#unread.delete(key);
      return;
    }
    this.#entries.set(key, { revision: entry.revision, at: entry.at });
    this.#read(key);
  }

  #read(key: string): void {
    if (this.#stopped) return;
    const { clock, failed } = this.#options;
    const tries = this.#unread.get(key)?.tries ?? 0;
    const waitMs = Math.min(INDEX_LOOK_LONGEST_MS, TRANSFER_TICK_MS * 2 ** tries);
    this.#unread.set(key, { at: clock.now() + waitMs, tries: tries + 1 });
    const reading = this.#readNow(key).catch((error: unknown) => {
      // It is read again with the next tick.
      if (!(error instanceof Outage)) failed(error);
    });
    this.#reading.add(reading);
    void reading.finally(() => this.#reading.delete(reading));
  }

  async #readNow(key: string): Promise<void> {
    const { bus, clock, log, found } = this.#options;
    const entry = await bus.bucket(buckets.transfers).get(key);
    const indexed = this.#entries.get(key);
    if (this.#stopped || indexed === undefined) return;
    const record = entry && readStoredTransfer(key, entry.value);
    if (record !== undefined) {
      this.#unread.delete(key);
      return found(key, record);
    }
    if (entry !== undefined && !this.#said.has(key)) {
      this.#said.add(key);
      log.error(
        { key, bucket: buckets.transfers.name },
        'malformed record of a transfer: correct or remove it',
      );
    }
    if (entry === undefined && clock.now() - indexed.at > TRANSFER_INDEX_MS) await this.leave(key);
  }
}
