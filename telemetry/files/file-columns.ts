/**
 * What is known of the files on board of one target: columns by place, no object per sample. A place is a file and one
 * of its measures, or its listing as a whole. Mission Control Service, section 2.8.
 *
 * C1. The place of a file is kept while the file is known; then it is that of another.
 * C2. No memory before there is a file: most targets have none.
 */

import { FILE_MEASURES, type FileMeasureName } from '../../contract/file-sample.ts';

/** Behind the measures of a file: when it was listed. */
export const LISTED = FILE_MEASURES.length;
/** Places of a file. */
export const WIDTH = FILE_MEASURES.length + 1;
/** Files there is room for at first. */
const ROOM = 64;

export const PLACE_OF = Object.fromEntries(FILE_MEASURES.map((name, place) => [name, place])) as Record<
  FileMeasureName,
  number
>;

export class FileColumns {
  /** Number, or NaN where it is text or not known. */
  value = new Float64Array(0);
  /** Negative infinity where there is no sample. */
  time = new Float64Array(0);
  ground = new Float64Array(0);
  link = new Uint16Array(0);
  deferred = new Uint8Array(0);
  readonly text: (string | undefined)[] = [];
  /** By slot: the generation that the state of the transfer is of, NaN where that is not known. */
  transferGeneration = new Float64Array(0);
  /** By slot: identifier; undefined where there is no file. */
  readonly ids: (string | undefined)[] = [];
  readonly #slots = new Map<string, number>();
  readonly #free: number[] = [];

  get count(): number {
    return this.#slots.size;
  }

  /** Slots there is room for. */
  get room(): number {
    return this.transferGeneration.length;
  }

  slots(): IterableIterator<[string, number]> {
    return this.#slots.entries();
  }

  slot(file: string): number | undefined {
    return this.#slots.get(file);
  }

  /** The slot of a file that is not there yet. */
  add(file: string): number {
    const slot = this.#free.pop() ?? this.ids.length;
    if (slot >= this.room) this.#grow(Math.max(ROOM, this.room * 2));
    this.ids[slot] = file;
    this.#slots.set(file, slot);
    for (let place = slot * WIDTH; place < (slot + 1) * WIDTH; place += 1) this.#clear(place);
    this.transferGeneration[slot] = Number.NaN;
    return slot;
  }

  /** C1 */
  remove(file: string): void {
    const slot = this.#slots.get(file);
    if (slot === undefined) return;
    this.#slots.delete(file);
    this.ids[slot] = undefined;
    for (let place = slot * WIDTH; place < (slot + 1) * WIDTH; place += 1) this.#clear(place);
    this.#free.push(slot);
  }

  has(place: number): boolean {
    return (this.time[place] ?? Number.NEGATIVE_INFINITY) !== Number.NEGATIVE_INFINITY;
  }

  /** Whether there is a sample with a value. */
  isKnown(place: number): boolean {
    return this.has(place) && (!Number.isNaN(this.value[place]) || this.text[place] !== undefined);
  }

  #clear(place: number): void {
    this.value[place] = Number.NaN;
    this.text[place] = undefined;
    this.time[place] = Number.NEGATIVE_INFINITY;
    this.ground[place] = Number.NEGATIVE_INFINITY;
    this.link[place] = 0;
    this.deferred[place] = 0;
  }

  #grow(files: number): void {
    this.value = copied(new Float64Array(files * WIDTH), this.value);
    this.time = copied(new Float64Array(files * WIDTH), this.time);
    this.ground = copied(new Float64Array(files * WIDTH), this.ground);
    this.link = copied(new Uint16Array(files * WIDTH), this.link);
    this.deferred = copied(new Uint8Array(files * WIDTH), this.deferred);
    this.transferGeneration = copied(new Float64Array(files), this.transferGeneration);
  }
}

function copied<Column extends Float64Array | Uint16Array | Uint8Array>(to: Column, from: Column): Column {
  to.set(from);
  return to;
}
