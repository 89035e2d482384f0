/**
 * The record of the events in a bucket: written one behind the other, tried again while the bucket cannot be reached.
 *
 * W1. Who records does not wait. What waits to be written is at most what is kept.
 * W2. `last` is written before anything is purged, so that no id is given twice.
 * W3. An entry that cannot be read is left where it is, named in the log, and hides no other event. Its id counts as
 *     given: no later event is written over it.
 */

import { SEVERITIES } from '../../../contract/bench/event.ts';
import { isInstant } from '../../../contract/instant.ts';
import { objectIn } from '../../../contract/json-bytes.ts';
import { Outage } from '../../../contract/outage.ts';
import type { Bucket } from '../../../ports/bus.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Log } from '../../../ports/log.ts';
import type { EventSink } from '../radio/board-user.ts';

const LAST = 'last';
const DIGITS = 12;
const NUMBER = /^\d{1,12}$/;
const RETRY_MS = 1_000;
/** Removals under way at the same time: a purge has ten thousand at most. */
const AT_ONCE = 64;

/** An event with its id and its moment (ms since 1970). */
export interface KeptEvent {
  readonly id: number;
  readonly at: number;
  readonly told: Parameters<EventSink['record']>[0];
}

export interface EventRecords {
  /** Oldest first. */
  load(): Promise<{ readonly events: readonly KeptEvent[]; readonly last: number }>;
  add(event: KeptEvent): void;
  drop(event: KeptEvent): void;
  /** Resolves when none of them is there any more; rejects with `Outage`. */
  remove(events: readonly KeptEvent[], last: number): Promise<void>;
  /** Resolves when everything asked so far is written, or the records are stopped. */
  stop(): Promise<void>;
}

type Order = { readonly write: KeptEvent } | { readonly remove: number };

export class EventBucket implements EventRecords {
  readonly #bucket: Bucket;
  readonly #clock: Clock;
  readonly #log: Log;
  /** By id: what is asked last counts. */
  readonly #orders = new Map<number, Order>();
  #working: Promise<void> | undefined;
  #isStopped = false;

  constructor(bucket: Bucket, clock: Clock, log: Log) {
    this.#bucket = bucket;
    this.#clock = clock;
    this.#log = log;
  }

  async load(): Promise<{ events: readonly KeptEvent[]; last: number }> {
    const events: KeptEvent[] = [];
    let last = 0;
    for (const { key, value } of await this.#bucket.list('>')) {
      const id = numberIn(key === LAST ? Buffer.from(value).toString('latin1') : key);
      last = Math.max(last, id ?? (key === LAST ? await this.#highestOfAll(key) : 0));
      if (key === LAST) continue;
      const event = id === undefined ? undefined : readEvent(id, value);
      if (event === undefined) this.#log.error({ key }, 'an event that was kept cannot be read: left out');
      else events.push(event);
    }
    return { events: events.sort((one, other) => one.id - other.id), last };
  }

  /** No more events were ever written than entries. */
  async #highestOfAll(key: string): Promise<number> {
    const last = await this.#bucket.position();
    this.#log.error(
      { key, last },
      'the last id of an event cannot be read: ids continue above every id there can be',
    );
    return last;
  }

  add(event: KeptEvent): void {
    this.#order(event.id, { write: event });
  }

  drop({ id }: KeptEvent): void {
    // Never written: then there is nothing to remove.
    if (this.#orders.delete(id)) return;
    this.#order(id, { remove: id });
  }

  async remove(events: readonly KeptEvent[], last: number): Promise<void> {
    for (const { id } of events) this.#orders.delete(id);
    await this.#bucket.overwrite(LAST, Buffer.from(String(last)));
    for (let from = 0; from < events.length; from += AT_ONCE)
      await Promise.all(events.slice(from, from + AT_ONCE).map(({ id }) => this.#remove(id)));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#working;
  }

  #order(id: number, order: Order): void {
    this.#orders.set(id, order);
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  async #work(): Promise<void> {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const [id, order] = next;
      try {
        await this.#do(order);
        if (this.#orders.get(id) === order) this.#orders.delete(id);
        // Given up while it was being written.
        else if (!this.#orders.has(id)) await this.#remove(id);
      } catch (error) {
        if (!(error instanceof Outage)) {
          this.#log.error({ err: error, event: id }, 'an event was not recorded');
          this.#orders.delete(id);
        } else if (this.#isStopped) return;
        else await this.#pause();
      }
    }
  }

  #next(): [number, Order] | undefined {
    const [next] = this.#orders;
    return next;
  }

  async #do(order: Order): Promise<void> {
    if ('remove' in order) return this.#remove(order.remove);
    await this.#bucket.overwrite(keyOf(order.write.id), Buffer.from(JSON.stringify(order.write)));
  }

  async #remove(id: number): Promise<void> {
    const entry = await this.#bucket.get(keyOf(id));
    if (entry !== undefined) await this.#bucket.remove(entry.key, entry.revision);
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => void this.#clock.setTimeout(resolve, RETRY_MS));
  }
}

function keyOf(id: number): string {
  return String(id).padStart(DIGITS, '0');
}

/** The number that a key or the entry `last` says; undefined where it is no number. */
function numberIn(text: string): number | undefined {
  return NUMBER.test(text) ? Number(text) : undefined;
}

/** The event under the key of that id; undefined where the bytes hold no event that can be shown (W3). */
function readEvent(id: number, value: Uint8Array): KeptEvent | undefined {
  const { at, told } = (objectIn(value) ?? {}) as { readonly at?: unknown; readonly told?: unknown };
  if (typeof at !== 'number' || !isInstant(at)) return undefined;
  const { kind, source, severity, message } = (told ?? {}) as Partial<KeptEvent['told']>;
  if (typeof kind !== 'string' || typeof source !== 'string' || typeof message !== 'string') return undefined;
  if (severity === undefined || !SEVERITIES.includes(severity)) return undefined;
  return { id, at, told: { kind, source, severity, message } };
}
