/**
 * Everything of one kind that registers, units or connectors, as its bucket reports it. Mission Control Service,
 * sections 2.9 and 2.11.
 *
 * K1. A record that cannot be read is reported in the log and left out; it hides no other.
 * K2. Who wrote a record here sees it here: `seen` waits until the watch has it.
 * K3. One that turned out to be gone is dropped (`gone`): a bucket that somebody emptied reports nothing.
 * K4. A removal that the bucket reports is remembered until the key is written again, for the last `REMOVALS_KEPT` of
 *     them: what never registered, and what a bucket lost without a report, was not removed.
 */

import type { BucketDefinition } from '../contract/bus/buckets.ts';
import { UNIT_SEEN_MS } from '../contract/limits/unit.ts';
import type { Bus, Entry, Stoppable } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { type KeptWatch, keepWatching } from './kept-watch.ts';
import { SeenRevisions } from './seen-revisions.ts';

export interface BookTools {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
}

export interface BookKind<Stored> {
  /** What one of them is called in the log. */
  readonly noun: string;
  readonly bucket: BucketDefinition;
  /** The record; undefined for anything else. */
  readonly readRecord: (bytes: Uint8Array) => Stored | undefined;
}

export interface Known<Stored> {
  readonly record: Stored;
  readonly revision: number;
}

const REMOVALS_KEPT = 1_000;

type Listener<Stored> = (key: string, now: Stored | undefined) => void;

export class RegisteredBook<Stored> implements Stoppable {
  readonly #tools: BookTools;
  readonly #kind: BookKind<Stored>;
  readonly #known = new Map<string, Known<Stored>>();
  /** K4, the oldest first. */
  readonly #removed = new Set<string>();
  readonly #changed: Listener<Stored>;
  readonly #seen: SeenRevisions;
  readonly #watch: KeptWatch;

  constructor(tools: BookTools, kind: BookKind<Stored>, changed: Listener<Stored>) {
    this.#tools = tools;
    this.#kind = kind;
    this.#changed = changed;
    this.#seen = new SeenRevisions(tools.clock, UNIT_SEEN_MS);
    this.#watch = keepWatching(tools, kind.bucket, (key, entry) => this.#entryChanged(key, entry));
  }

  /** Whether it holds every one there is (kept-watch.W1). */
  get live(): boolean {
    return this.#watch.live;
  }

  get size(): number {
    return this.#known.size;
  }

  get(key: string): Known<Stored> | undefined {
    return this.#known.get(key);
  }

  entries(): Iterable<[string, Known<Stored>]> {
    return this.#known.entries();
  }

  /** K4 */
  wasRemoved(key: string): boolean {
    return this.#removed.has(key);
  }

  /** K2 */
  seen(revision: number | undefined): Promise<void> {
    return this.#seen.seen(revision);
  }

  /** K3 */
  gone(key: string): void {
    if (this.#known.delete(key)) this.#changed(key, undefined);
  }

  stop(): Promise<void> {
    return this.#watch.stop();
  }

  #entryChanged(key: string, entry: Entry | undefined): void {
    this.#removed.delete(key);
    if (entry === undefined) {
      this.#removed.add(key);
      for (const oldest of this.#removed)
        if (this.#removed.size > REMOVALS_KEPT) this.#removed.delete(oldest);
      return this.gone(key);
    }
    const { noun, bucket, readRecord } = this.#kind;
    const record = readRecord(entry.value);
    if (record === undefined) {
      this.#tools.log.error({ key, bucket: bucket.name }, `malformed ${noun}: left out`);
      this.gone(key);
    } else {
      this.#known.set(key, { record, revision: entry.revision });
      this.#changed(key, record);
    }
    this.#seen.note(entry.revision);
  }
}
