/**
 * The file memory of a simulated spacecraft: what it lists, gives, takes, forgets and makes again, after the interface
 * control document `missions/demo/README.md`. Mission Control Service, section 2.8.
 *
 * M1. A file that is rewritten has the next generation, also one that was deleted in between; a generation never has
 *     other bytes again, but for one that is being written.
 * M2. A write of generation 0 says none: it goes on with the file being written, and begins the next generation of any
 *     other. The first bytes again, as they were, are a repetition; other first bytes begin the next generation.
 * M3. Faults change what is said of files, never the files: `contents` is what there is.
 * M4. A file that is open gives the bytes it had when it was opened, or none: it is closed by whatever changes it.
 * M5. A file that comes whole is the next generation. The same bytes again before anybody was shown the listing are a
 *     repetition: whoever sent them does not know that they came.
 */

import { SIM_FILES_SHOWN } from '../../contract/limits/simulation.ts';
import {
  crc32Of,
  type FileContent,
  isSameContent,
  PageBudget,
  sha256Of,
  WrittenContent,
} from './file-content.ts';
import { FILE_TYPE, type Maker, madeContent, SHIPPED_6U, type Shipped } from './shipped-files.ts';

/** Faults of the memory; each is one of the spacecraft. */
export const FILE_FAULTS = ['bad_checksum', 'short_files', 'wrong_generation', 'no_chunks'] as const;
export type FileFault = (typeof FILE_FAULTS)[number];

/** Most bytes one file holds. */
export const ONBOARD_FILE_BYTES = 2 ** 29;
/** Most files the memory holds. */
const FILES = 8_192;
/** Most pages of 4 KiB that are written from the ground, in all files: 512 MiB. */
const PAGES = 2 ** 17;

export interface ListedFile {
  readonly id: number;
  readonly type: number;
  readonly size: number;
  readonly crc32: number;
  readonly generation: number;
}

/** A file that is read for longer than a moment (M4). */
export interface OpenedFile {
  readonly size: number;
  readonly isCurrent: () => boolean;
  /** `[offset, offset + length)`, inside of the file; undefined when it is not what it was. */
  read(offset: number, length: number): Buffer | undefined;
}

/** What there is of a file, whatever is said of it. */
export interface OnboardContent {
  readonly id: string;
  readonly file_type: number;
  readonly generation: number;
  readonly size: number;
  /** CRC-32, hexadecimal. */
  readonly crc32: string;
  readonly sha256: string;
}

interface StoredFile {
  readonly type: number;
  readonly generation: number;
  readonly content: FileContent;
  /** The same where telecommands write it. */
  readonly written: WrittenContent | undefined;
  /** Worked out when it is first asked for; forgotten by each write. */
  crc32?: number | undefined;
  sha256?: string | undefined;
  writes: number;
  /** Whether a listing showed this generation. */
  isListed: boolean;
}

export class OnboardFiles {
  readonly faults = new Set<FileFault>();
  /** Of everything that is written from the ground. */
  readonly pages = new PageBudget(PAGES);
  readonly #maker: Maker;
  readonly #files = new Map<number, StoredFile>();
  /** The last generation of every file there was. */
  readonly #generations = new Map<number, number>();
  readonly #startMs: number;

  /** `more` are sizes of images beside those it is shipped with. */
  constructor(
    seed: number,
    startMs: number,
    more: ReadonlyMap<number, number> = new Map(),
    shipped: Shipped = SHIPPED_6U,
  ) {
    this.#maker = { seed, apid: shipped.apid };
    this.#startMs = startMs;
    for (const file of shipped.files) this.#make(file, startMs);
    for (const [id, size] of more) this.#make({ id, type: FILE_TYPE.image, size }, startMs);
  }

  get count(): number {
    return this.#files.size;
  }

  /** Bytes in all files. */
  get bytes(): number {
    let bytes = 0;
    for (const { content } of this.#files.values()) bytes += content.size;
    return bytes;
  }

  /** By identifier, as it is said (M3). */
  listing(): ListedFile[] {
    const wrong = this.faults.has('bad_checksum') ? 1 : 0;
    return this.#byId().map(([id, file]) => {
      file.crc32 ??= crc32Of(file.content);
      file.isListed = true;
      const { type, generation, content } = file;
      return { id, type, size: content.size, crc32: (file.crc32 ^ wrong) >>> 0, generation };
    });
  }

  /** A part, with the generation that is said to be of; undefined where it is not. */
  read(id: number, offset: number, length: number): { generation: number; bytes: Buffer } | undefined {
    const file = this.#files.get(id);
    if (file === undefined) return undefined;
    const size = this.faults.has('short_files') ? Math.floor(file.content.size / 2) : file.content.size;
    if (offset + length > size) return undefined;
    const generation = file.generation + (this.faults.has('wrong_generation') ? 1 : 0);
    return { generation, bytes: file.content.read(offset, length) };
  }

  /** For as long as it stays what it is, and as the faults have it now; undefined where there is none (M4). */
  open(id: number): OpenedFile | undefined {
    const file = this.#files.get(id);
    if (file === undefined) return undefined;
    const { type, generation, writes } = file;
    const content = this.faults.has('wrong_generation')
      ? madeContent(this.#maker, { id, type, size: file.content.size }, generation + 1, this.#startMs)
      : file.content;
    const size = this.faults.has('short_files') ? Math.floor(content.size / 2) : content.size;
    const isCurrent = (): boolean => this.#files.get(id) === file && file.writes === writes;
    const read = (offset: number, length: number): Buffer | undefined =>
      isCurrent() ? content.read(offset, length) : undefined;
    return { size, isCurrent, read };
  }

  /** Whether there is room for a file of that size. */
  hasRoomFor(id: number, size: number): boolean {
    return size <= ONBOARD_FILE_BYTES && (this.#files.has(id) || this.#files.size < FILES);
  }

  /** Takes a file that came whole; its pages are taken already (M5). */
  keep(id: number, content: WrittenContent): void {
    const file = this.#files.get(id);
    const isKnown = file?.written !== undefined && !file.isListed && isSameContent(file.written, content);
    if (isKnown) this.pages.giveBack(content.pages);
    else this.#store(id, file?.type ?? 0, () => content);
  }

  /** Whether it was written; refuses what is too much, and bytes of another generation than can be written (M1). */
  write(id: number, generation: number, offset: number, bytes: Buffer): boolean {
    if (offset + bytes.length > ONBOARD_FILE_BYTES) return false;
    const file = this.#files.get(id);
    const goesOn = file?.written !== undefined && isGoneOnWith(file, generation, offset, bytes);
    if (!goesOn && generation !== 0 && generation !== this.#lastOf(id) + 1) return false;
    const written = goesOn ? file.written : new WrittenContent();
    const added = written.pagesFor(offset, bytes.length);
    if (!this.pages.has(added) || (file === undefined && this.#files.size >= FILES)) return false;
    const into = goesOn ? file : this.#store(id, file?.type ?? 0, () => written);
    written.write(offset, bytes);
    this.pages.take(added);
    into.crc32 = undefined;
    into.sha256 = undefined;
    into.writes += 1;
    into.isListed = false;
    return true;
  }

  delete(id: number): boolean {
    this.pages.giveBack(this.#files.get(id)?.written?.pages ?? 0);
    return this.#files.delete(id);
  }

  /** Writes the file again, with other bytes of the same size. */
  regenerate(id: number, nowMs: number): boolean {
    const file = this.#files.get(id);
    if (file === undefined) return false;
    const { type, content } = file;
    this.#make({ id, type, size: content.size }, nowMs);
    return true;
  }

  /** What there is, by identifier; hashed a part at a time, so that whoever waits is served in between. */
  async contents(): Promise<OnboardContent[]> {
    const all: OnboardContent[] = [];
    for (const [id, file] of this.#byId().slice(0, SIM_FILES_SHOWN)) {
      const { writes } = file;
      const sha256 = file.sha256 ?? (await sha256Of(file.content));
      // What was written in between is not in it.
      if (file.writes === writes) file.sha256 = sha256;
      file.crc32 ??= crc32Of(file.content);
      const { type, generation, content, crc32 } = file;
      const checksum = crc32.toString(16).padStart(8, '0');
      all.push({ id: String(id), file_type: type, generation, size: content.size, crc32: checksum, sha256 });
    }
    return all;
  }

  /** All bytes of a file; undefined when there is none. */
  bytesOf(id: number): Buffer | undefined {
    const content = this.#files.get(id)?.content;
    return content === undefined ? undefined : Buffer.from(content.read(0, content.size));
  }

  generationOf(id: number): number | undefined {
    return this.#files.get(id)?.generation;
  }

  #byId(): [number, StoredFile][] {
    return [...this.#files].sort(([one], [other]) => one - other);
  }

  #make(file: Shipped['files'][number], nowMs: number): void {
    this.#store(file.id, file.type, (generation) => madeContent(this.#maker, file, generation, nowMs));
  }

  #lastOf(id: number): number {
    return this.#generations.get(id) ?? 0;
  }

  #store(id: number, type: number, make: (generation: number) => FileContent): StoredFile {
    this.delete(id);
    const generation = this.#lastOf(id) + 1;
    const content = make(generation);
    const written = content instanceof WrittenContent ? content : undefined;
    const file: StoredFile = { type, generation, content, written, writes: 0, isListed: false };
    this.#files.set(id, file);
    this.#generations.set(id, generation);
    return file;
  }
}

/** M2 */
function isGoneOnWith(file: StoredFile, generation: number, offset: number, bytes: Buffer): boolean {
  if (generation !== 0) return generation === file.generation;
  return offset > 0 || file.written?.beginsOtherwise(bytes) !== true;
}
