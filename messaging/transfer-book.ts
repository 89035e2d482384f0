/**
 * The transfers of a cell as their bucket reports them, in the order of lists, and their changes. Mission Control
 * Service, sections 2.8 and 4.7.
 *
 * K1. A transfer that cannot be read is reported in the log and left out; it hides no other.
 * K2. Who created a transfer here sees it here: `seen` waits until the watch has it.
 * K3. What is long over is not in the bucket (`transfers-over.ts`): it costs the start of a process nothing.
 */

import { buckets } from '../contract/bus/buckets.ts';
import { TRANSFER_SEEN_MS } from '../contract/limits/transfer.ts';
import { readStoredTransfer, type StoredTransfer, transferKey } from '../contract/transfer.ts';
import type { Bus, Entry, Stoppable } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { type KeptWatch, keepWatching } from './kept-watch.ts';
import { SortedEntries } from './sorted-entries.ts';

export interface TransferBookOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
}

/** `now` is undefined where it has left the bucket. */
type Listener = (key: string, now: StoredTransfer | undefined) => void;

export class TransferBook implements Stoppable {
  readonly #options: TransferBookOptions;
  readonly #entries = new SortedEntries<StoredTransfer>(inOrder);
  readonly #byTarget = new Map<string, SortedEntries<StoredTransfer>>();
  readonly #listeners = new Set<Listener>();
  readonly #watch: KeptWatch;

  constructor(options: TransferBookOptions) {
    this.#options = options;
    this.#watch = keepWatching(options, buckets.transfers, (key, entry) => this.#changed(key, entry));
  }

  /** Whether it holds every transfer that is not long over (kept-watch.W1). */
  get live(): boolean {
    return this.#watch.live;
  }

  /** Resolves when every transfer there was at the beginning was seen, or it is stopped. */
  get ready(): Promise<void> {
    return this.#watch.ready;
  }

  get(key: string): StoredTransfer | undefined {
    return this.#entries.get(key);
  }

  /** By priority, then by age: of every target, or of one. */
  transfers(target?: string): readonly StoredTransfer[] {
    if (target === undefined) return this.#entries.sorted();
    return this.#byTarget.get(target)?.sorted() ?? [];
  }

  /** Calls the listener at each change from now on. */
  onChange(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** K2; in the end it resolves also where the watch is away. */
  async seen(key: string): Promise<void> {
    if (this.#entries.get(key) !== undefined) return;
    const { clock } = this.#options;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clock.clearTimeout(timer);
        forget();
        resolve();
      };
      const timer = clock.setTimeout(end, TRANSFER_SEEN_MS);
      const forget = this.onChange((changed, now) => {
        if (changed === key && now !== undefined) end();
      });
    });
  }

  stop(): Promise<void> {
    return this.#watch.stop();
  }

  #changed(key: string, entry: Entry | undefined): void {
    const now = this.#read(key, entry);
    const before = this.#entries.set(key, now);
    const target = (now ?? before)?.target;
    if (target !== undefined) this.#setOf(target, key, now);
    if (now !== undefined || before !== undefined) for (const listener of this.#listeners) listener(key, now);
  }

  #setOf(target: string, key: string, now: StoredTransfer | undefined): void {
    const ofTarget = this.#byTarget.get(target) ?? new SortedEntries<StoredTransfer>(inOrder);
    ofTarget.set(key, now);
    if (ofTarget.size === 0) this.#byTarget.delete(target);
    else this.#byTarget.set(target, ofTarget);
  }

  #read(key: string, entry: Entry | undefined): StoredTransfer | undefined {
    if (entry === undefined) return undefined;
    const read = readStoredTransfer(key, entry.value);
    if (read === undefined)
      this.#options.log.error({ key, bucket: buckets.transfers.name }, 'malformed transfer: left out');
    return read;
  }
}

/** Where a transfer is in the order of lists: by priority, then by age (MC-XFER-010). */
export interface TransferPlace {
  readonly priority: number;
  /** When it was created, ms since 1970. */
  readonly created: number;
  readonly key: string;
}

export function placeOf(transfer: StoredTransfer): TransferPlace {
  const { priority, created_at } = transfer;
  return { priority, created: Date.parse(created_at), key: transferKey(transfer) };
}

export function comparePlaces(one: TransferPlace, other: TransferPlace): number {
  const between = other.priority - one.priority || one.created - other.created;
  if (between !== 0) return between;
  return one.key < other.key ? -1 : Number(one.key > other.key);
}

export function inOrder(one: StoredTransfer, other: StoredTransfer): number {
  // Times of one form, as records have them, are in the order of their texts: nothing is parsed.
  if (one.priority !== other.priority) return other.priority - one.priority;
  if (one.created_at.length !== other.created_at.length || one.created_at === other.created_at)
    return comparePlaces(placeOf(one), placeOf(other));
  return one.created_at < other.created_at ? -1 : 1;
}
