/**
 * The file memory of the simulated spacecraft: what it lists, gives, takes, forgets and makes again, after the
 * interface control document `missions/demo/README.md`. Mission Control Service, section 2.8.
 *
 * M1. A file that is rewritten has the next generation, also one that was deleted in between; a generation never has
 *     other bytes again, but for one that is being written.
 * M2. A write of generation 0 says none: it goes on with the file being written, and begins the next generation of any
 *     other. The first bytes again, as they were, are a repetition; other first bytes begin the next generation.
 * M3. Faults change what is said of files, never the files: `contents` is what there is.
 */

import { createHash } from 'node:crypto';
import { SIM_FILES_SHOWN } from '../../contract/limits.ts';
import {
  crc32Of,
  type FileContent,
  fixedContent,
  partsOf,
  seededContent,
  WrittenContent,
} from './file-content.ts';
import { HOUSEKEEPING_FILE_BYTES, housekeepingFile } from './housekeeping-file.ts';

/** Faults of the memory; each is one of the spacecraft. */
export const FILE_FAULTS = ['bad_checksum', 'short_files', 'wrong_generation', 'no_chunks'] as const;
export type FileFault = (typeof FILE_FAULTS)[number];

export const FILE_TYPE = { housekeeping: 1, image: 2, log: 3 } as const;
/** Files it has from the beginning, with their sizes. */
const SHIPPED = [
  { id: 1, type: FILE_TYPE.housekeeping, size: HOUSEKEEPING_FILE_BYTES },
  { id: 2, type: FILE_TYPE.image, size: 2_048 },
  { id: 3, type: FILE_TYPE.image, size: 200_000 },
  { id: 4, type: FILE_TYPE.image, size: 4_000_000 },
  { id: 5, type: FILE_TYPE.log, size: 0 },
] as const;
/** Most bytes one file holds. */
export const ONBOARD_FILE_BYTES = 2 ** 29;
/** Most files the memory holds. */
const FILES = 8_192;
/** Most pages of 4 KiB that telecommands write, in all files: 512 MiB. */
const PAGES = 2 ** 17;

export interface ListedFile {
  readonly id: number;
  readonly type: number;
  readonly size: number;
  readonly crc32: number;
  readonly generation: number;
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
}

export class OnboardFiles {
  readonly faults = new Set<FileFault>();
  readonly #seed: number;
  readonly #files = new Map<number, StoredFile>();
  /** The last generation of every file there was. */
  readonly #generations = new Map<number, number>();
  /** Pages that telecommands wrote. */
  #pages = 0;

  /** `more` are sizes of images beside those it is shipped with. */
  constructor(seed: number, startMs: number, more: ReadonlyMap<number, number> = new Map()) {
    this.#seed = seed;
    for (const { id, type, size } of SHIPPED)
      this.#store(id, type, (next) => this.#made(id, type, next, size, startMs));
    for (const [id, size] of more)
      this.#store(id, FILE_TYPE.image, (next) => seededContent(seed, id, next, size));
  }

  /** By identifier, as it is said (M3). */
  listing(): ListedFile[] {
    const wrong = this.faults.has('bad_checksum') ? 1 : 0;
    return this.#byId().map(([id, file]) => {
      file.crc32 ??= crc32Of(file.content);
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

  /** Whether it was written; refuses what is too much, and bytes of another generation than can be written (M1). */
  write(id: number, generation: number, offset: number, bytes: Buffer): boolean {
    if (offset + bytes.length > ONBOARD_FILE_BYTES) return false;
    const file = this.#files.get(id);
    const goesOn = file?.written !== undefined && isGoneOnWith(file, generation, offset, bytes);
    if (!goesOn && generation !== 0 && generation !== this.#lastOf(id) + 1) return false;
    const written = goesOn ? file.written : new WrittenContent();
    const added = written.pagesFor(offset, bytes.length);
    if (this.#pages + added > PAGES || (file === undefined && this.#files.size >= FILES)) return false;
    const into = goesOn ? file : this.#store(id, file?.type ?? 0, () => written);
    written.write(offset, bytes);
    this.#pages += added;
    into.crc32 = undefined;
    into.sha256 = undefined;
    into.writes += 1;
    return true;
  }

  delete(id: number): boolean {
    this.#pages -= this.#files.get(id)?.written?.pages ?? 0;
    return this.#files.delete(id);
  }

  /** Writes the file again, with other bytes of the same size. */
  regenerate(id: number, nowMs: number): boolean {
    const file = this.#files.get(id);
    if (file === undefined) return false;
    const { type, content } = file;
    this.#store(id, type, (next) => this.#made(id, type, next, content.size, nowMs));
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

  #made(id: number, type: number, generation: number, size: number, nowMs: number): FileContent {
    const isRecord = type === FILE_TYPE.housekeeping && size === HOUSEKEEPING_FILE_BYTES;
    if (isRecord) return fixedContent(housekeepingFile(this.#seed + generation, nowMs));
    return seededContent(this.#seed, id, generation, size);
  }

  #lastOf(id: number): number {
    return this.#generations.get(id) ?? 0;
  }

  #store(id: number, type: number, make: (generation: number) => FileContent): StoredFile {
    this.delete(id);
    const generation = this.#lastOf(id) + 1;
    const content = make(generation);
    const written = content instanceof WrittenContent ? content : undefined;
    const file = { type, generation, content, written, writes: 0 };
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

/** Parts hashed before whoever waits is served. */
const PARTS_AT_ONCE = 64;

async function sha256Of(content: FileContent): Promise<string> {
  const hash = createHash('sha256');
  let parts = 0;
  for (const part of partsOf(content)) {
    hash.update(part);
    parts += 1;
    if (parts % PARTS_AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return hash.digest('hex');
}
