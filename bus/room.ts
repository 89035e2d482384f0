/**
 * What the bus has room for. A server at the limit of an account stores a message, takes it out again and, where a key
 * has one value only, takes the value before it as well (seen with nats-server 2.9.10); one whose disk is full hangs.
 * Neither is to be met: writes end before.
 *
 * R1. After a refusal for lack of room nothing is written before the account says that it has room for it.
 * R2. After that it is asked at most every `LOOK_EVERY_MS`; meanwhile writes are refused here, as the server would
 *     refuse them.
 * R3. The last share of an account is not written to. What it has left is known from whoever asks for it
 *     (`bus/levels.ts`), less what this process has written since; it is asked again before that is used up.
 * R4. What the server says of its disk holds for `DISK_HEARD_MS`, also over a reconnect; while it is nearly full
 *     nothing is written.
 */

import { DISK_HEARD_MS } from '../contract/limits/bus.ts';
import { Outage } from '../contract/outage.ts';

export interface AccountInfo {
  readonly storage?: number;
  readonly limits?: { readonly max_storage?: number };
}

/** Of the disk that the server stores on, as it is said on the bus. */
export interface DiskLevel {
  readonly bytes: number;
  readonly maxBytes: number;
  /** So little is free that nothing is to be written. */
  readonly isFull: boolean;
}

const LOOK_EVERY_MS = 250;
/** What a message takes in the store beside its data: subject, headers, index. */
const OVERHEAD_BYTES = 4_096;
/** Of an account, kept free: a share of it, and no more than this. */
const KEPT_SHARE = 0.01;
const KEPT_MOST_BYTES = 16 * 2 ** 20;

export class Room {
  readonly #ask: (timeoutMs: number) => Promise<AccountInfo>;
  #refused: Outage | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;
  /** Bytes this process may write before the account is asked again (R3). */
  #left = Number.POSITIVE_INFINITY;
  #disk: { readonly level: DiskLevel; readonly at: number } | undefined;

  constructor(ask: (timeoutMs: number) => Promise<AccountInfo>) {
    this.#ask = ask;
  }

  /** Undefined where nobody says, or not any more. */
  get disk(): DiskLevel | undefined {
    if (this.#disk === undefined || performance.now() - this.#disk.at > DISK_HEARD_MS) return undefined;
    return this.#disk.level;
  }

  get isAccountFull(): boolean {
    return this.#refused !== undefined;
  }

  heard(level: DiskLevel): void {
    this.#disk = { level, at: performance.now() };
  }

  /** What the account was found to have; half of what it has left is written before it is asked again. */
  known({ storage = 0, limits }: AccountInfo): void {
    const most = limits?.max_storage ?? -1;
    this.#left = most < 0 ? Number.POSITIVE_INFINITY : Math.max(0, (most - storage - keptOf(most)) / 2);
  }

  /** A write was refused for lack of room. */
  refused(outage: Outage): void {
    this.#refused = outage;
    this.#askedAt = performance.now();
  }

  /** Rejects with the refusal while there is no room for so many bytes; R1, R3, R4. */
  async demand(bytes: number, timeoutMs: number): Promise<void> {
    const { disk } = this;
    if (disk?.isFull === true) throw diskFull(disk);
    const needed = bytes + OVERHEAD_BYTES;
    if (this.#refused === undefined && this.#left >= needed) {
      this.#left -= needed;
      return;
    }
    await this.#look(needed, timeoutMs);
  }

  async #look(needed: number, timeoutMs: number): Promise<void> {
    const now = performance.now();
    if (this.#refused !== undefined && now - this.#askedAt < LOOK_EVERY_MS) throw this.#refused;
    this.#askedAt = now;
    const info = await this.#ask(timeoutMs);
    this.known(info);
    const { storage = 0, limits } = info;
    const most = limits?.max_storage ?? -1;
    const isFull = most >= 0 && storage + needed + keptOf(most) > most;
    if (isFull) this.#refused ??= accountFull(storage, most);
    else this.#refused = undefined;
    if (this.#refused !== undefined) throw this.#refused;
  }
}

function keptOf(most: number): number {
  return Math.min(KEPT_MOST_BYTES, KEPT_SHARE * most);
}

function accountFull(storage: number, most: number): Outage {
  const message = `the account of the bus is full: ${megabytes(storage)} of ${megabytes(most)} are taken`;
  return new Outage('bus.unavailable', message, {
    remedy:
      'Raise the JetStream limits of the account of nats-server, or free space in it (`nats account info`).',
  });
}

function diskFull({ bytes, maxBytes }: DiskLevel): Outage {
  const message = `the disk of the bus is full: ${megabytes(bytes)} of ${megabytes(maxBytes)} are taken`;
  return new Outage('bus.unavailable', message, {
    remedy:
      'Free space on the disk of the folder of --state; the service continues as soon as there is room.',
  });
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
