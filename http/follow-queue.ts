/**
 * What waits for one follower. Three orders: a log keeps everything in order, values keep the newest of each key once
 * the client is behind, pictures the newest alone. Knows no socket.
 *
 * Q1. `LogQueue` gives back exactly what was put in, in order.
 * Q2. `ConflatingQueue` does the same until `fallBehind()`; from then until it is empty it holds at most one message
 *     per key, the newest.
 * Q3. `NewestQueue` holds at most one message, and each it gives back is marked with how many were left out since the
 *     first.
 */

export type Message = Uint8Array | string;

export interface FollowQueue {
  /** UTF-16 units or bytes: the measure of a bound, not of the wire. */
  readonly size: number;
  push(message: Message, key: number): void;
  shift(): Message | undefined;
  /** The client has not taken what it was given. */
  fallBehind(): void;
}

/** An array shifted without moving what remains; its memory goes when it is empty. */
class Fifo<Item> {
  #items: Item[] = [];
  #head = 0;

  push(item: Item): void {
    this.#items.push(item);
  }

  shift(): Item | undefined {
    const item = this.#items[this.#head];
    this.#head += 1;
    if (this.#head >= this.#items.length) {
      this.#items = [];
      this.#head = 0;
    }
    return item;
  }
}

export class LogQueue implements FollowQueue {
  readonly #messages = new Fifo<Message>();
  size = 0;

  push(message: Message): void {
    this.#messages.push(message);
    this.size += message.length;
  }

  shift(): Message | undefined {
    const message = this.#messages.shift();
    if (message !== undefined) this.size -= message.length;
    return message;
  }

  fallBehind(): void {}
}

export class ConflatingQueue implements FollowQueue {
  readonly #conflated: () => void;
  readonly #fresh = new Fifo<{ readonly key: number; readonly message: Message }>();
  #behind: Map<number, Message> | undefined;
  size = 0;

  /** `conflated` is called for each message a newer one replaced. */
  constructor(conflated: () => void) {
    this.#conflated = conflated;
  }

  push(message: Message, key: number): void {
    this.size += message.length;
    if (this.#behind === undefined) {
      this.#fresh.push({ key, message });
      return;
    }
    const older = this.#behind.get(key);
    if (older !== undefined) {
      this.size -= older.length;
      this.#conflated();
    }
    this.#behind.set(key, message);
  }

  shift(): Message | undefined {
    const message = this.#behind === undefined ? this.#fresh.shift()?.message : this.#shiftBehind();
    if (message !== undefined) this.size -= message.length;
    return message;
  }

  fallBehind(): void {
    if (this.#behind !== undefined) return;
    this.#behind = new Map();
    for (let item = this.#fresh.shift(); item !== undefined; item = this.#fresh.shift()) {
      this.size -= item.message.length;
      this.push(item.message, item.key);
    }
  }

  #shiftBehind(): Message | undefined {
    const [oldest] = this.#behind!;
    if (oldest === undefined) {
      this.#behind = undefined;
      return undefined;
    }
    this.#behind!.delete(oldest[0]);
    return oldest[1];
  }
}

/** A message with how many its follower has missed so far. */
export type Mark = (message: Uint8Array, missed: number) => Message;

export class NewestQueue implements FollowQueue {
  readonly #conflated: () => void;
  readonly #mark: Mark;
  #newest: Message | undefined;
  #missed = 0;

  /** `conflated` is called for each message a newer one replaced. */
  constructor(conflated: () => void, mark: Mark = (message) => message) {
    this.#conflated = conflated;
    this.#mark = mark;
  }

  get size(): number {
    return this.#newest?.length ?? 0;
  }

  push(message: Message): void {
    if (this.#newest !== undefined) {
      this.#missed += 1;
      this.#conflated();
    }
    this.#newest = message;
  }

  shift(): Message | undefined {
    const message = this.#newest;
    this.#newest = undefined;
    return typeof message === 'object' ? this.#mark(message, this.#missed) : message;
  }

  fallBehind(): void {}
}
