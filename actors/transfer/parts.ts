/**
 * The parts of a file in object store `mcs_files`: bytes that arrived together, each under the offset of its first.
 * Mission Control Service, section 4.7 rule 3.
 *
 * G1. Where a part ends the next begins: a file is read from one to the next, and none of it is held in memory but the
 *     piece that is read.
 * G2. A part that is not there, or whose bytes are gone, is found when the file is read: its bytes, and those of which
 *     nobody knows where their part begins, are asked for again. That takes a store that went back, or a leader that
 *     slept and stored over what the next one had stored; the bytes are right in any case, for they are of one
 *     generation (MC-GEN-022).
 * G3. They are removed from the last to the first, so that whoever was interrupted finds them again.
 */

import { objectStores } from '../../contract/bus/buckets.ts';
import type { ByteRange } from '../../contract/byte-ranges.ts';
import { TRANSFER_REMOVALS_AT_ONCE } from '../../contract/limits.ts';
import { ContentGone } from '../../contract/outage.ts';
import { contentObject, partObject, type TransferName } from '../../contract/transfer.ts';
import type { Bus, Objects } from '../../ports/bus.ts';

type FileName = Omit<TransferName, 'direction'>;

/** Some bytes of a file that should be there are not. */
export class PartGone extends Error {
  readonly range: ByteRange;

  constructor(range: ByteRange) {
    super(`bytes ${range[0]} to ${range[1]} are not in the store`);
    this.range = range;
  }
}

/** Bytes of a file that belong together. */
export interface Part {
  readonly start: number;
  readonly end: number;
  readonly pieces: readonly Uint8Array[];
}

export class Parts {
  readonly #objects: Objects;
  /** Where parts begin that were stored here, by transfer: what G2 knows. */
  readonly #starts = new Map<string, Set<number>>();

  constructor(bus: Bus) {
    this.#objects = bus.objects(objectStores.files);
  }

  /** Rejects with `Outage`. */
  async store(name: FileName, { start, pieces }: Part): Promise<void> {
    await this.#objects.replace(partObject(name, start), one(pieces));
    const file = contentObject(name);
    this.#starts.set(file, (this.#starts.get(file) ?? new Set()).add(start));
  }

  /** Every byte of the file in order; rejects with `PartGone` and `Outage`. */
  async *read(name: FileName, size: number): AsyncIterable<Uint8Array> {
    for (let at = 0; at < size; ) {
      const content = await this.#objects.read(partObject(name, at));
      if (content === undefined || content.size === 0)
        throw new PartGone([at, this.#nextStart(name, at, size)]);
      let left = Math.min(content.size, size - at);
      try {
        for await (const piece of content.pieces) {
          const taken = piece.subarray(0, left);
          left -= taken.length;
          yield taken;
        }
      } catch (error) {
        if (error instanceof ContentGone) throw new PartGone([at, Math.min(at + content.size, size)]);
        throw error;
      }
      at += content.size;
    }
  }

  /** Removes the parts of these ranges (G3). Rejects with `Outage`. */
  async remove(name: FileName, ranges: readonly ByteRange[]): Promise<void> {
    const names: string[] = [];
    for (const [start, end] of ranges) {
      for (let at = start; at < end; ) {
        const object = partObject(name, at);
        const size = await this.#objects.size(object);
        if (size === undefined || size === 0) break;
        names.push(object);
        at += size;
      }
    }
    for (const start of this.#starts.get(contentObject(name)) ?? []) {
      const object = partObject(name, start);
      if (!names.includes(object)) names.push(object);
    }
    names.reverse();
    for (let next = 0; next < names.length; next += TRANSFER_REMOVALS_AT_ONCE) {
      const some = names.slice(next, next + TRANSFER_REMOVALS_AT_ONCE);
      await Promise.all(some.map((object) => this.#objects.remove(object)));
    }
    this.#starts.delete(contentObject(name));
  }

  #nextStart(name: FileName, at: number, size: number): number {
    const later = [...(this.#starts.get(contentObject(name)) ?? [])].filter((start) => start > at);
    return Math.min(size, ...later);
  }
}

async function* one(pieces: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* pieces;
}
