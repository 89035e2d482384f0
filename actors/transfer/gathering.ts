/**
 * Bytes of one download between their arrival and its record: gathered into parts, stored, recorded. Mission Control
 * Service, section 4.7 rule 3.
 *
 * A1. A byte is gathered once: what is recorded, stored or gathered already is left out (MC-XFER-048).
 * A2. Bytes beyond the size of the file are left out.
 * A3. The first chunk of which a byte is gathered, being stored, or stored and not recorded holds the low-water mark
 *     back: whoever takes over reads it again.
 * A4. All of it is of one transaction: for another one there is another gathering (open-transfer.O1).
 */

import { type ByteRange, ByteRanges } from '../../contract/byte-ranges.ts';
import { TRANSFER_PART_BYTES, TRANSFER_RANGES } from '../../contract/limits/transfer.ts';
import { receivedBy, type StoredTransfer, transactionOf } from '../../contract/transfer.ts';
import type { Part } from './parts.ts';

/** Bytes that belong together, with the position of the first chunk that brought some of them. */
export interface GatheredPart extends Part {
  readonly position: number;
}

interface Run extends GatheredPart {
  end: number;
  readonly pieces: Uint8Array[];
}

export class Gathering {
  readonly size: number;
  readonly transaction: string;
  /** What is recorded, stored or gathered. */
  #known: ByteRanges;
  /** Gathered and not stored, by where they end. */
  #runs = new Map<number, Run>();
  /** Taken away from here, and neither stored nor given back. */
  readonly #taken = new Set<GatheredPart>();
  #bytes = 0;
  #since: number | undefined;
  /** Stored, and not given to the record. */
  #stored: ByteRange[] = [];
  #firstStored: number | undefined;
  /** Given to the record, and not found in it. */
  #told: ByteRange[] = [];
  #firstTold: number | undefined;
  /** Of what is not wanted any more, until all of it is over. */
  #firstDropped: number | undefined;

  constructor(record: StoredTransfer, transaction: string = transactionOf(record)) {
    this.size = record.size;
    this.transaction = transaction;
    this.#known = this.#recordedOf(record);
  }

  get received(): ByteRanges {
    return this.#known;
  }

  /** Bytes gathered and not stored. */
  get bytes(): number {
    return this.#bytes;
  }

  /** When the first of them came. */
  get since(): number | undefined {
    return this.#since;
  }

  get isComplete(): boolean {
    return this.#known.covers(0, this.size);
  }

  /** Whether a part is as large as it should be. */
  get isFull(): boolean {
    for (const { start, end } of this.#runs.values()) if (end - start >= TRANSFER_PART_BYTES) return true;
    return false;
  }

  /** Position of the first chunk that is not recorded (A3). */
  get firstOpen(): number | undefined {
    let first = earliest(this.#firstTold, earliest(this.#firstStored, this.#firstDropped));
    for (const { position } of this.#runs.values()) first = earliest(first, position);
    for (const { position } of this.#taken) first = earliest(first, position);
    return first;
  }

  /** Takes a chunk up; the ranges that were new, none where there would be too many of them. */
  add(offset: number, data: Uint8Array, position: number, now: number): readonly ByteRange[] {
    const end = Math.min(offset + data.length, this.size);
    if (offset >= end) return [];
    const fresh = this.#known.add(offset, end) ?? [];
    for (const [from, to] of fresh)
      this.#gather(from, to, data.subarray(from - offset, to - offset), position);
    if (fresh.length > 0) this.#since ??= now;
    return fresh;
  }

  /** What is to be stored, taken away from here. */
  take(): GatheredPart[] {
    const runs = [...this.#runs.values()].sort((one, other) => one.start - other.start);
    this.#runs = new Map();
    this.#bytes = 0;
    this.#since = undefined;
    for (const run of runs) this.#taken.add(run);
    return runs;
  }

  /** Nothing of what is gathered is wanted any more; gives its bytes. */
  discard(): number {
    this.#firstDropped = this.firstOpen;
    const bytes = this.#bytes;
    for (const part of this.take()) this.#taken.delete(part);
    return bytes;
  }

  /** A part that could not be stored is gathered again. */
  giveBack(part: GatheredPart, now: number): void {
    this.#taken.delete(part);
    const { start, end, pieces, position } = part;
    this.#runs.set(end, { start, end, pieces: [...pieces], position });
    this.#bytes += end - start;
    this.#since ??= now;
  }

  stored(part: GatheredPart): void {
    this.#taken.delete(part);
    this.#stored.push([part.start, part.end]);
    this.#firstStored = earliest(this.#firstStored, part.position);
  }

  /** Of an upload: these bytes are on board. */
  acknowledged([start, end]: ByteRange): void {
    if (this.#known.add(start, Math.min(end, this.size)) !== undefined) this.#stored.push([start, end]);
  }

  /** Whether something waits to be given to the record. */
  get hasNews(): boolean {
    return this.#stored.length > 0;
  }

  /** What the record should have and may not have yet; undefined where there is nothing. */
  tell(): readonly ByteRange[] | undefined {
    if (this.#stored.length === 0) return undefined;
    const all = ByteRanges.from([...this.#told, ...this.#stored]);
    this.#told = all === undefined ? [...this.#told, ...this.#stored] : all.list();
    this.#stored = [];
    this.#firstTold = earliest(this.#firstTold, this.#firstStored);
    this.#firstStored = undefined;
    return this.#told;
  }

  /** What was given to the record and is not known to be in it. */
  get awaited(): readonly ByteRange[] {
    return this.#told;
  }

  /** This is recorded now. */
  recorded(record: StoredTransfer): void {
    const received = this.#recordedOf(record);
    if (this.#told.every(([start, end]) => received.covers(start, end))) {
      this.#told = [];
      this.#firstTold = undefined;
    }
  }

  /** Begins again from a record that has less than was thought. */
  restart(record: StoredTransfer): void {
    this.#known = this.#recordedOf(record);
    this.#firstDropped = undefined;
    for (const { start, end } of [...this.#runs.values(), ...this.#taken]) this.#known.add(start, end);
    for (const [start, end] of [...this.#stored, ...this.#told]) this.#known.add(start, end);
  }

  /** What the record has of this transaction (A4). */
  #recordedOf(record: StoredTransfer): ByteRanges {
    return transactionOf(record) === this.transaction ? receivedBy(record) : new ByteRanges(TRANSFER_RANGES);
  }

  #gather(start: number, end: number, data: Uint8Array, position: number): void {
    this.#bytes += end - start;
    const before = this.#runs.get(start);
    // A message of the bus is one buffer with what came beside it: held longer it is copied, unless it is most of it.
    const piece = 2 * data.length > data.buffer.byteLength ? data : Buffer.from(data);
    if (before === undefined) {
      this.#runs.set(end, { start, end, pieces: [piece], position });
      return;
    }
    this.#runs.delete(start);
    before.pieces.push(piece);
    before.end = end;
    this.#runs.set(end, before);
  }
}

function earliest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}
