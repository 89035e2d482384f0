/**
 * Bytes of one download between their arrival and its record: gathered into parts, stored, recorded. Mission Control
 * Service, section 4.7 rule 3.
 *
 * A1. A byte is gathered once: what is recorded, stored or gathered already is left out (MC-XFER-048).
 * A2. Bytes beyond the size of the file are left out.
 * A3. The first chunk that is not recorded holds the low-water mark back: whoever takes over reads it again.
 */

import { type ByteRange, ByteRanges } from '../../contract/byte-ranges.ts';
import { TRANSFER_PART_BYTES } from '../../contract/limits.ts';
import { receivedBy, type StoredTransfer } from '../../contract/transfer.ts';
import type { Part } from './parts.ts';

interface Run {
  readonly start: number;
  end: number;
  readonly pieces: Uint8Array[];
}

export class Gathering {
  readonly size: number;
  /** What is recorded, stored or gathered. */
  #known: ByteRanges;
  /** Gathered and not stored, by where they end. */
  #runs = new Map<number, Run>();
  #bytes = 0;
  #since: number | undefined;
  /** Stored, and not given to the record. */
  #stored: ByteRange[] = [];
  /** Given to the record, and not found in it. */
  #told: ByteRange[] = [];
  #first: number | undefined;
  #firstTold: number | undefined;

  constructor(record: StoredTransfer) {
    this.size = record.size;
    this.#known = receivedBy(record);
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
    return this.#firstTold ?? this.#first;
  }

  /** Takes a chunk up; the ranges that were new, none where there would be too many of them. */
  add(offset: number, data: Uint8Array, position: number, now: number): readonly ByteRange[] {
    const end = Math.min(offset + data.length, this.size);
    if (offset >= end) return [];
    const fresh = this.#known.add(offset, end) ?? [];
    for (const [from, to] of fresh) this.#gather(from, to, data.subarray(from - offset, to - offset));
    if (fresh.length > 0) {
      this.#first ??= position;
      this.#since ??= now;
    }
    return fresh;
  }

  /** What is to be stored, taken away from here. */
  take(): Part[] {
    const runs = [...this.#runs.values()].sort((one, other) => one.start - other.start);
    this.#runs = new Map();
    this.#bytes = 0;
    this.#since = undefined;
    return runs;
  }

  /** A part that could not be stored is gathered again. */
  giveBack({ start, end, pieces }: Part, now: number): void {
    this.#runs.set(end, { start, end, pieces: [...pieces] });
    this.#bytes += end - start;
    this.#since ??= now;
  }

  stored({ start, end }: Part): void {
    this.#stored.push([start, end]);
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
    // Of what is gathered meanwhile the first stays open, too: it came later.
    this.#firstTold ??= this.#first;
    this.#first = this.#runs.size === 0 ? undefined : this.#first;
    return this.#told;
  }

  /** What was given to the record and is not known to be in it. */
  get awaited(): readonly ByteRange[] {
    return this.#told;
  }

  /** This is recorded now. */
  recorded(record: StoredTransfer): void {
    const received = receivedBy(record);
    if (this.#told.every(([start, end]) => received.covers(start, end))) {
      this.#told = [];
      this.#firstTold = undefined;
    }
  }

  /** Begins again from a record that has less than was thought. */
  restart(record: StoredTransfer): void {
    this.#known = receivedBy(record);
    for (const { start, end } of this.#runs.values()) this.#known.add(start, end);
    for (const [start, end] of [...this.#stored, ...this.#told]) this.#known.add(start, end);
  }

  #gather(start: number, end: number, data: Uint8Array): void {
    this.#bytes += end - start;
    const before = this.#runs.get(start);
    // A message of the bus is one buffer with what came beside it: held longer it is copied.
    const piece = Buffer.from(data);
    if (before === undefined) {
      this.#runs.set(end, { start, end, pieces: [piece] });
      return;
    }
    this.#runs.delete(start);
    before.pieces.push(piece);
    before.end = end;
    this.#runs.set(end, before);
  }
}
