/**
 * What one watcher of transfers is sent. Mission Control Service, section 4.7.
 *
 * W1. Every transfer first, as it stands when its turn comes; then each that changes.
 * W2. Messages of one transfer are `TRANSFER_WATCH_MS` apart or more, and the last state always comes: what changes
 *     faster is shown as it stands at the end of that time. One timer serves all transfers of a watcher.
 * W3. A state is written as text once for all watchers.
 */

import { TRANSFER_WATCH_MS } from '../contract/limits/transfer.ts';
import { type StoredTransfer, shownTransfer, transferKey } from '../contract/transfer.ts';
import type { TransferBook } from '../messaging/transfer-book.ts';
import type { Stoppable } from '../ports/bus.ts';
import type { Clock, TimerHandle } from '../ports/clock.ts';
import type { FollowWriter } from './follow.ts';

/** How many are sent at the beginning before it is looked whether the client takes them. */
const WATCH_SLICE = 256;

interface TransferWatchOptions {
  readonly transfers: TransferBook;
  readonly clock: Clock;
  readonly writer: FollowWriter;
  readonly target: string | undefined;
}

export class TransferWatch implements Stoppable {
  readonly #options: TransferWatchOptions;
  readonly #forget: () => void;
  /** Numbers of transfers for the writer. */
  readonly #numbers = new Map<string, number>();
  #count = 0;
  /** Sent a moment ago: when. */
  readonly #recent = new Map<string, number>();
  /** Changed since. */
  readonly #waiting = new Set<string>();
  #timer: TimerHandle | undefined;
  #stopped = false;

  constructor(options: TransferWatchOptions) {
    this.#options = options;
    const { transfers, target } = options;
    this.#forget = transfers.onChange((key, now) => {
      if (now === undefined) this.#left(key);
      else if (target === undefined || now.target === target) this.#changed(key);
    });
    void this.#begin(transfers.transfers(target));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#forget();
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
  }

  /** W1 */
  async #begin(beginning: readonly StoredTransfer[]): Promise<void> {
    for (const [index, transfer] of beginning.entries()) {
      if (index % WATCH_SLICE === WATCH_SLICE - 1) await this.#options.writer.room();
      if (this.#stopped) return;
      const key = transferKey(transfer);
      // One that changed meanwhile was sent as it stands.
      if (!this.#numbers.has(key)) this.#send(key);
    }
  }

  #left(key: string): void {
    this.#waiting.delete(key);
    this.#numbers.delete(key);
  }

  /** W2 */
  #changed(key: string): void {
    if (this.#recent.has(key)) this.#waiting.add(key);
    else this.#send(key);
  }

  #send(key: string): void {
    const { transfers, clock, writer } = this.#options;
    const transfer = transfers.get(key);
    if (transfer === undefined) return;
    const number = this.#numbers.get(key) ?? this.#count++;
    this.#numbers.set(key, number);
    this.#recent.set(key, clock.monotonic());
    writer.push(textOf(transfer), number);
    this.#later();
  }

  #later(): void {
    this.#timer ??= this.#options.clock.setTimeout(() => {
      this.#timer = undefined;
      this.#tick();
    }, TRANSFER_WATCH_MS);
  }

  #tick(): void {
    if (this.#stopped) return;
    const before = this.#options.clock.monotonic() - TRANSFER_WATCH_MS;
    // In the order in which they were sent.
    for (const [key, sent] of this.#recent) {
      if (sent > before) break;
      this.#recent.delete(key);
      if (this.#waiting.delete(key)) this.#send(key);
    }
    if (this.#recent.size > 0) this.#later();
  }
}

const texts = new WeakMap<StoredTransfer, string>();

/** W3 */
function textOf(transfer: StoredTransfer): string {
  const known = texts.get(transfer);
  if (known !== undefined) return known;
  const text = JSON.stringify(shownTransfer(transfer));
  texts.set(transfer, text);
  return text;
}
