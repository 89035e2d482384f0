/**
 * Bytes of a download that are in object store `mcs_files`: of the whole file once there is one, else of its parts.
 * Mission Control Service, section 4.7 rule 3.
 *
 * S1. Where a part ends the next begins; a range of the record begins with a part. What is learnt of that is kept for
 *     everybody who reads the same file, and forgotten where it turns out to be otherwise.
 * S2. What is not where it should be ends the reading early, and is no error: parts leave once the file is whole, and
 *     the record says so in a moment.
 */

import { objectStores } from '../../contract/bus/buckets.ts';
import type { ChunkMessage } from '../../contract/chunk-message.ts';
import { ContentGone } from '../../contract/outage.ts';
import { contentObject, partObject, partsOf, type StoredTransfer } from '../../contract/transfer.ts';
import type { Bus, Objects } from '../../ports/bus.ts';

export class StoredBytes {
  readonly #objects: Objects;
  /** Bytes of the part of this name (S1). */
  #parts = new Map<string, number>();

  constructor(bus: Bus) {
    this.#objects = bus.objects(objectStores.files);
  }

  /**
   * The bytes [start, end), which lie in one range of the record, as far as they are there. Rejects with `Outage`.
   */
  async *read(record: StoredTransfer, start: number, end: number): AsyncIterable<ChunkMessage> {
    try {
      if (record.actor.content !== undefined)
        return yield* this.#readObject(contentObject(record), { from: start, to: end, at: 0 });
      for (let at = await this.#partOf(record, start); at < end; ) {
        const bytes = await this.#sizeOf(record, at);
        if (bytes === undefined) return;
        const part = { from: Math.max(start - at, 0), to: Math.min(end - at, bytes), at };
        yield* this.#readObject(partObject(partsOf(record), at), part);
        at += bytes;
      }
    } catch (error) {
      if (!(error instanceof ContentGone)) throw error;
      this.#parts.clear();
    }
  }

  /** Whether the whole file is still kept. Rejects with `Outage`. */
  async isKept(record: StoredTransfer): Promise<boolean> {
    return (await this.#objects.wholeSize(contentObject(record))) !== undefined;
  }

  /** Where the part begins that has this byte; behind the end of the file where that is not known (S2). */
  async #partOf(record: StoredTransfer, byte: number): Promise<number> {
    const range = (record.received ?? []).find(([start, end]) => start <= byte && byte < end);
    for (let at = range?.[0] ?? record.size; at <= byte; ) {
      const bytes = await this.#sizeOf(record, at);
      if (bytes === undefined) return record.size;
      if (byte < at + bytes) return at;
      at += bytes;
    }
    return record.size;
  }

  async #sizeOf(record: StoredTransfer, at: number): Promise<number | undefined> {
    const part = partObject(partsOf(record), at);
    const known = this.#parts.get(part);
    if (known !== undefined) return known;
    const bytes = await this.#objects.size(part);
    if (bytes === undefined || bytes === 0) {
      this.#parts.clear();
      return undefined;
    }
    this.#parts.set(part, bytes);
    return bytes;
  }

  async *#readObject(
    name: string,
    { from, to, at }: { readonly from: number; readonly to: number; readonly at: number },
  ): AsyncIterable<ChunkMessage> {
    const content = await this.#objects.read(name, { from, to });
    if (content === undefined) throw new ContentGone(name);
    let offset = at + from;
    for await (const data of content.pieces) {
      yield { offset, data };
      offset += data.length;
    }
    if (offset < at + to) throw new ContentGone(name);
  }
}
