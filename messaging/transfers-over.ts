/**
 * Transfers that are long over, by the day of their last change and their target (`aged-records.ts`, decision 36):
 * listed, found, and taken from those that every process holds.
 *
 * O1. Of two records of one transfer the one that was changed last counts; one that every process holds goes before
 *     all that stand here.
 * O2. A transfer leaves those that every process holds when what stands here is the same, and has stood for
 *     `AGED_REST_MS`.
 *     Its name leads to it before, and has for as long (transfer-days.E1).
 * O3. A list reads day after day, the latest first, until it has enough: whoever asks for more asks again.
 */

import { buckets } from '../contract/bus/buckets.ts';
import { AGED_REST_MS } from '../contract/limits/aged.ts';
import { TRANSFER_LIVE_AFTER_END_MS } from '../contract/limits/transfer.ts';
import {
  isOpenTransfer,
  readStoredTransfer,
  type StoredTransfer,
  type TransferName,
  transferKey,
} from '../contract/transfer.ts';
import type { Bus } from '../ports/bus.ts';
import type { Log } from '../ports/log.ts';
import { AgedRecords, dayOf } from './aged-records.ts';
import { inOrder } from './transfer-book.ts';
import { TransferDays } from './transfer-days.ts';

export interface TransferDay {
  /** `20260102`, UTC */
  readonly day: string;
  /** In the order of lists. */
  readonly transfers: readonly StoredTransfer[];
}

export class TransfersOver {
  readonly #bus: Bus;
  readonly #records: AgedRecords<StoredTransfer>;
  readonly #days: TransferDays;

  constructor(tools: { readonly bus: Bus; readonly log: Log }) {
    this.#bus = tools.bus;
    this.#days = new TransferDays(tools);
    this.#records = new AgedRecords(tools, { bucket: buckets.transfersOver, read: readOver });
  }

  /** Day after day, the latest first and from that one on, of every target or of one (O3). */
  async *days(from: string | undefined, target: string | undefined): AsyncIterable<TransferDay> {
    const days = (await this.#records.days()).map(({ day }) => day).reverse();
    for (const day of days) {
      if (from !== undefined && day > from) continue;
      const transfers = await this.#records.ofDay(day, target);
      yield { day, transfers: transfers.sort(inOrder) };
    }
  }

  /** The days there are, the first one first. Throws `Outage`. */
  async dayNames(): Promise<string[]> {
    return (await this.#records.days()).map(({ day }) => day);
  }

  /** The transfers of a day, target by target. Throws `Outage`. */
  async *byTarget(day: string): AsyncIterable<readonly StoredTransfer[]> {
    for (const target of await this.#records.groups(day)) yield (await this.#records.read(day, target)).items;
  }

  /** The transfer of that name as it was changed last: two questions, however many there are. Throws `Outage`. */
  async find(name: TransferName): Promise<StoredTransfer | undefined> {
    const key = transferKey(name);
    const named = await this.#days.of(key);
    if (named === undefined) return undefined;
    const { items } = await this.#records.read(named.day, name.target);
    return items.find((each) => transferKey(each) === key);
  }

  /** Keeps transfers; those of them that may leave the ones that every process holds (O2). */
  async keep(transfers: readonly StoredTransfer[], now: number): Promise<StoredTransfer[]> {
    const places = new Map<string, StoredTransfer[]>();
    for (const transfer of transfers) {
      const place = `${dayOf(changeOf(transfer))}.${transfer.target}`;
      const those = places.get(place);
      if (those === undefined) places.set(place, [transfer]);
      else those.push(transfer);
    }
    const rested: StoredTransfer[] = [];
    for (const those of places.values()) rested.push(...(await this.#keepIn(those, now)));
    return rested;
  }

  /** Takes a transfer from those that every process holds, if it is there as it was kept. */
  async leave(transfer: StoredTransfer): Promise<void> {
    const bucket = this.#bus.bucket(buckets.transfers);
    const key = transferKey(transfer);
    const entry = await bucket.get(key);
    const standing = entry && readStoredTransfer(key, entry.value);
    if (entry === undefined || !isSame(standing, transfer)) return;
    await bucket.remove(key, entry.revision);
  }

  /** Those of one day and one target. */
  async #keepIn(transfers: readonly StoredTransfer[], now: number): Promise<StoredTransfer[]> {
    const [{ target }, until] = [transfers[0]!, Math.max(...transfers.map(changeOf))];
    const day = dayOf(until);
    const led = await this.#days.lead(transfers.map(transferKey), day, now);
    const named = transfers.filter((each) => led.has(transferKey(each)));
    const { items, at } = await this.#records.readIfThere(day, target);
    const standing = new Map(items.map((each) => [transferKey(each), each]));
    const stands = (each: StoredTransfer): boolean => isSame(standing.get(transferKey(each)), each);
    const missing = named.filter((each) => !stands(each));
    if (missing.length > 0)
      await this.#records.change({ day, group: target, until }, now, (known) => withNewest(known, missing));
    const isRested = (since: number | undefined): boolean =>
      since !== undefined && since <= now - AGED_REST_MS;
    return named.filter((each) => stands(each) && isRested(at) && isRested(led.get(transferKey(each))));
  }
}

/** Whether a transfer is one that is moved here. */
export function isLongOver(transfer: StoredTransfer, now: number): boolean {
  return !isOpenTransfer(transfer) && changeOf(transfer) < now - TRANSFER_LIVE_AFTER_END_MS;
}

/** O1 */
function withNewest(known: readonly StoredTransfer[], more: readonly StoredTransfer[]): StoredTransfer[] {
  const newest = new Map(known.map((each) => [transferKey(each), each]));
  for (const each of more) {
    const before = newest.get(transferKey(each));
    if (before === undefined || byChange(before, each) <= 0) newest.set(transferKey(each), each);
  }
  return [...newest.values()];
}

function byChange(one: StoredTransfer, other: StoredTransfer): number {
  return changeOf(one) - changeOf(other);
}

function changeOf({ updated_at }: StoredTransfer): number {
  return Date.parse(updated_at);
}

function isSame(one: StoredTransfer | undefined, other: StoredTransfer): boolean {
  return one !== undefined && JSON.stringify(one) === JSON.stringify(other);
}

function readOver(group: string, stored: unknown): StoredTransfer | undefined {
  const named = stored as Partial<TransferName> | null;
  if (typeof named !== 'object' || named?.target !== group) return undefined;
  const key = transferKey(named as TransferName);
  const read = readStoredTransfer(key, Buffer.from(JSON.stringify(stored)));
  return read !== undefined && !isOpenTransfer(read) ? read : undefined;
}
