/**
 * An entry of a bucket that the owners of a target write one after the other, each under its epoch.
 *
 * E1. Every write is conditional on the revision last seen. A refused write is looked into: what a later owner wrote
 *     means that the target is lost; what this owner wrote itself, or an earlier one, is written over at the next try.
 */

import type { Bucket, Entry } from '../ports/bus.ts';

interface FencedEntryOptions {
  readonly bucket: Bucket;
  readonly key: string;
  readonly epoch: number;
  /** The epoch that stands in the bytes; undefined when they cannot be read. */
  readonly epochOf: (bytes: Uint8Array) => Promise<number | undefined>;
}

export class FencedEntry {
  readonly #options: FencedEntryOptions;
  #revision = 0;

  constructor(options: FencedEntryOptions) {
    this.#options = options;
  }

  /** What was written last, by whichever owner. Rejects with `Outage`. */
  async load(): Promise<Entry | undefined> {
    const { bucket, key } = this.#options;
    const entry = await bucket.get(key);
    this.#revision = entry?.revision ?? 0;
    return entry;
  }

  /** E1; `again`: somebody before has written. Rejects with `Outage`. */
  async put(bytes: Uint8Array): Promise<'written' | 'again' | 'lost'> {
    const { bucket, key, epoch, epochOf } = this.#options;
    const written = await bucket.put(key, bytes, this.#revision);
    if (written.outcome === 'written') {
      this.#revision = written.revision;
      return 'written';
    }
    const entry = await this.load();
    const theirs = entry && (await epochOf(entry.value));
    return theirs !== undefined && theirs > epoch ? 'lost' : 'again';
  }
}
