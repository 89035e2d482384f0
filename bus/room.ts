/**
 * What an account has room for, once it had none. A server at the limit of an account stores a message, takes it out
 * again and, where a key has one value only, takes the value before it as well (seen with nats-server 2.9.10): who
 * writes on loses more.
 *
 * R1. After a refusal for lack of room nothing is written before the account says that it has room for it.
 * R2. The account is asked at most every `LOOK_EVERY_MS`; meanwhile writes are refused here, as the server would refuse
 *     them.
 */

import type { Outage } from '../contract/outage.ts';

interface AccountInfo {
  readonly storage?: number;
  readonly limits?: { readonly max_storage?: number };
}

const LOOK_EVERY_MS = 250;
/** What a message takes in the store beside its data: subject, headers, index. */
const OVERHEAD_BYTES = 4_096;

export class Room {
  readonly #ask: (timeoutMs: number) => Promise<AccountInfo>;
  #refused: Outage | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(ask: (timeoutMs: number) => Promise<AccountInfo>) {
    this.#ask = ask;
  }

  /** A write was refused for lack of room. */
  refused(outage: Outage): void {
    this.#refused = outage;
    this.#askedAt = performance.now();
  }

  /** Rejects with the refusal while there is no room for so many bytes; R1. */
  async demand(bytes: number, timeoutMs: number): Promise<void> {
    if (this.#refused === undefined) return;
    const now = performance.now();
    if (now - this.#askedAt < LOOK_EVERY_MS) throw this.#refused;
    this.#askedAt = now;
    const { storage = 0, limits } = await this.#ask(timeoutMs);
    const most = limits?.max_storage ?? -1;
    if (most >= 0 && storage + bytes + OVERHEAD_BYTES > most) throw this.#refused;
    this.#refused = undefined;
  }
}
