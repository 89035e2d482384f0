/**
 * The parts of a file in object store `mcs_files`: bytes that arrived together, each under the offset of its first.
 * Mission Control Service, section 4.7 rule 3.
 *
 * G1. Where a part ends the next begins: a file is read from one to the next, and none of it is held in memory but the
 *     piece that is read.
 * G2. A part that is not there, or whose bytes are gone, is found when the file is read: its bytes, and those of which
 *     nobody knows where their part begins, are asked for again. That takes a store that went back, or a leader that
 *     slept and stored over what the next one had stored; the bytes are right in any case, for they are of one
 *     generation, and of one transaction where chunks name one (MC-GEN-022, `partObject`).
 * G3. They are removed from the last to the first, so that whoever was interrupted finds them again.
 * G4. A leader that died may have stored parts that no record names: they begin where chunks do that are read again.
 *     What lies inside of a part that is stored over it is removed then, before the record names that part; the rest
 *     with the others in the end.
 */

import { objectStores } from '../../contract/bus/buckets.ts';
import type { ByteRange } from '../../contract/byte-ranges.ts';
import { TRANSFER_CHUNKS_READ_AGAIN, TRANSFER_REMOVALS_AT_ONCE } from '../../contract/limits/transfer.ts';
import { ContentGone } from '../../contract/outage.ts';
import { contentObject, type PartsName, partObject } from '../../contract/transfer.ts';
import type { Bus, Objects } from '../../ports/bus.ts';

const NONE: ReadonlySet<number> = new Set();

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
  /** Where parts may begin that another leader stored and did not record (G4). */
  readonly #foreign = new Map<string, Set<number>>();

  constructor(bus: Bus) {
    this.#objects = bus.objects(objectStores.files);
  }

  /** Rejects with `Outage`. */
  async store(name: PartsName, { start, end, pieces }: Part): Promise<void> {
    await this.#objects.replace(partObject(name, start), one(pieces));
    noted(this.#starts, name, start);
    const own = this.#startsOf(name);
    for (const at of this.#foreignOf(name)) {
      if (at <= start || at >= end || own.has(at)) continue;
      const size = await this.#objects.size(partObject(name, at));
      if (size !== undefined && at + size <= end) await this.#objects.remove(partObject(name, at));
    }
  }

  /** Another leader may have stored a part that begins there (G4). */
  mayBegin(name: PartsName, start: number): void {
    if (this.#foreignOf(name).size < TRANSFER_CHUNKS_READ_AGAIN) noted(this.#foreign, name, start);
  }

  /** Every byte of the file in order; rejects with `PartGone` and `Outage`. */
  async *read(name: PartsName, size: number): AsyncIterable<Uint8Array> {
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
  async remove(name: PartsName, ranges: readonly ByteRange[]): Promise<void> {
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
    const known = new Set(names);
    for (const start of [...this.#startsOf(name), ...this.#foreignOf(name)]) {
      const object = partObject(name, start);
      if (!known.has(object)) names.push(object);
    }
    await this.#removeAll(names.reverse());
    this.#starts.delete(keyOf(name));
    this.#foreign.delete(keyOf(name));
  }

  async #removeAll(names: readonly string[]): Promise<void> {
    for (let next = 0; next < names.length; next += TRANSFER_REMOVALS_AT_ONCE) {
      const some = names.slice(next, next + TRANSFER_REMOVALS_AT_ONCE);
      await Promise.all(some.map((object) => this.#objects.remove(object)));
    }
  }

  #startsOf(name: PartsName): ReadonlySet<number> {
    return this.#starts.get(keyOf(name)) ?? NONE;
  }

  #foreignOf(name: PartsName): ReadonlySet<number> {
    return this.#foreign.get(keyOf(name)) ?? NONE;
  }

  #nextStart(name: PartsName, at: number, size: number): number {
    const later = [...this.#startsOf(name)].filter((start) => start > at);
    return Math.min(size, ...later);
  }
}

function keyOf(name: PartsName): string {
  return `${contentObject(name)} ${name.transaction ?? ''}`;
}

function noted(of: Map<string, Set<number>>, name: PartsName, start: number): void {
  const file = keyOf(name);
  of.set(file, (of.get(file) ?? new Set()).add(start));
}

async function* one(pieces: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* pieces;
}
