/**
 * The index of open transfers, bucket `mcs_open_transfers`: what a leader has to know (transfer/service.S1).
 *
 * N1. An entry stands before its record does (transfer-writes.W2): one without a record is looked at again, and removed
 *     when nobody can be about to write it any more.
 * N2. An entry that is written again says that its record was written by somebody else.
 * N3. An entry is taken out as it stood when its record was read: whoever has written the record since has written the
 *     entry again, and it stays.
 * N4. Where the bus lost something, entries may be lost whose records are not: what is open is entered again, by one
 *     look at all records. Without its entry nobody would manage it.
 */

import { buckets } from '../../contract/bus/buckets.ts';
import { TRANSFER_INDEX_MS, TRANSFER_LOSS_MS, TRANSFER_TICK_MS } from '../../contract/limits/transfer.ts';
import { Outage } from '../../contract/outage.ts';
import { isOpenTransfer, readStoredTransfer, type StoredTransfer } from '../../contract/transfer.ts';
import type { Bus, Entry, Watch } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';

interface OpenIndexOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  /** Its record was read, for the first time or again (N2). */
  readonly found: (key: string, record: StoredTransfer) => void;
  /** Its entry is there no more. */
  readonly left: (key: string) => void;
  /** Its entry has no record; whether that is written again. */
  readonly missing: (key: string) => boolean;
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
  /** Revisions of entries as their records were read (N3). */
  readonly #served = new Map<string, number>();
  readonly #said = new Set<string>();
  /** The last loss of which it was made good (N4). */
  #enteredBehind = 0;
  #isEntering = false;
  /** All records, while they are looked at for that. */
  #records: Watch | undefined;
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
    // What waits for a bus that is away ends with its watch.
    await Promise.all([this.#watch?.stop(), this.#records?.stop()]);
    await Promise.allSettled(this.#reading);
  }

  /** Looks again at entries whose record was not there, or could not be read. */
  tick(now: number): void {
    for (const [key, { at }] of this.#unread) if (at <= now) this.#read(key);
    const until = this.#options.bus.lostUntil ?? 0;
    const isNews = until > this.#enteredBehind && now - until < TRANSFER_LOSS_MS;
    if (isNews && !this.#isEntering && !this.#stopped) this.#enterAgain(until);
  }

  /** Reads the record of an entry again; false where there is no entry. */
  again(key: string): boolean {
    if (!this.#entries.has(key)) return false;
    this.#read(key);
    return true;
  }

  /** Takes an entry out; one that was written meanwhile stays (N3). Throws `Outage`. */
  async leave(key: string): Promise<void> {
    const revision = this.#served.get(key);
    if (revision === undefined || !this.#entries.has(key)) return;
    const removed = await this.#options.bus.bucket(buckets.openTransfers).remove(key, revision);
    // Nobody reads its record for an entry whose removal is still to be reported.
    const isLast = this.#entries.get(key)?.revision === revision;
    if (removed.outcome === 'written' && isLast) this.#gone(key);
  }

  /** N4; with the next tick where the bus is away. */
  #enterAgain(until: number): void {
    this.#isEntering = true;
    const entering = this.#enterOpen()
      .then(
        () => {
          this.#enteredBehind = until;
        },
        (error: unknown) => {
          if (!(error instanceof Outage)) this.#options.failed(error);
        },
      )
      .finally(() => {
        this.#isEntering = false;
        this.#reading.delete(entering);
      });
    this.#reading.add(entering);
  }

  /** One record at a time: there may be very many. Rejects with `Outage`. */
  async #enterOpen(): Promise<void> {
    const { bus, log } = this.#options;
    const lost: string[] = [];
    const watch = await bus.bucket(buckets.transfers).watch('>', (key, entry) => {
      const record = entry && readStoredTransfer(key, entry.value);
      if (record !== undefined && isOpenTransfer(record) && !this.#entries.has(key)) lost.push(key);
    });
    this.#records = watch;
    if (this.#stopped) return watch.stop();
    await watch.ready.finally(() => watch.stop());
    let entered = 0;
    for (const key of lost) {
      if (this.#stopped) return;
      // Somebody may have begun it in this moment.
      const written = await bus.bucket(buckets.openTransfers).put(key, Buffer.from('{}'), 0);
      if (written.outcome === 'written') entered += 1;
    }
    if (entered > 0)
      log.warn({ transfers: entered }, 'the bus had lost entries of open transfers: they are managed again');
  }

  #changed(key: string, entry: Entry | undefined): void {
    if (entry === undefined) {
      this.#gone(key);
      this.#options.left(key);
      return;
    }
    this.#entries.set(key, { revision: entry.revision, at: entry.at });
    this.#read(key);
  }

  #gone(key: string): void {
    this.#entries.delete(key);
    this.#unread.delete(key);
    this.#served.delete(key);
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
    const { bus, log, found } = this.#options;
    const indexed = this.#entries.get(key);
    const entry = await bus.bucket(buckets.transfers).get(key);
    if (this.#stopped || indexed === undefined || !this.#entries.has(key)) return;
    this.#served.set(key, Math.max(indexed.revision, this.#served.get(key) ?? 0));
    const record = entry && readStoredTransfer(key, entry.value);
    if (record !== undefined) {
      this.#unread.delete(key);
      return found(key, record);
    }
    if (entry === undefined) return this.#withoutRecord(key, indexed);
    if (!this.#said.has(key)) {
      this.#said.add(key);
      log.error(
        { key, bucket: buckets.transfers.name },
        'malformed record of a transfer: correct or remove it',
      );
    }
  }

  /** N1 */
  async #withoutRecord(key: string, { at }: Indexed): Promise<void> {
    const { clock, log, missing } = this.#options;
    if (missing(key) || clock.now() - at <= TRANSFER_INDEX_MS) return;
    log.warn(
      { key },
      'an open transfer has no record, which was lost or never written: its entry is removed',
    );
    await this.leave(key);
  }
}
