/**
 * What is in files on board the simulated spacecraft: bytes made from a seed where they are read, or written by
 * telecommands. A file of a hundred megabytes takes memory only where it was written.
 *
 * B1. The same seed, file and generation are the same bytes; another generation, or another spacecraft, has others.
 * B2. What was not written of a file reads as zero bytes; a telecommand takes no more memory than a page.
 */

import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

const BLOCK = 4_096;
const PAGE = 4_096;
/** Read at once of a whole file. */
const PART = 65_536;
/** Parts hashed before whoever waits is served. */
const PARTS_AT_ONCE = 64;

export interface FileContent {
  readonly size: number;
  /** `[offset, offset + length)`, inside of the file. */
  read(offset: number, length: number): Buffer;
}

/** The bytes of a seed (B1). */
export function seededContent(seed: number, file: number, generation: number, size: number): FileContent {
  const start = mixed(mixed(mixed(seed, file), generation), 0x5eed);
  return {
    size,
    read(offset, length) {
      const first = Math.floor(offset / BLOCK);
      const last = Math.floor((offset + length + BLOCK - 1) / BLOCK);
      const blocks = Array.from({ length: last - first }, (_, index) => block(mixed(start, first + index)));
      const from = offset - first * BLOCK;
      return Buffer.concat(blocks).subarray(from, from + length);
    },
  };
}

export function fixedContent(bytes: Buffer): FileContent {
  return { size: bytes.length, read: (offset, length) => bytes.subarray(offset, offset + length) };
}

/** Pages that what comes from the ground may take in all. */
export class PageBudget {
  readonly #most: number;
  #taken = 0;

  constructor(most: number) {
    this.#most = most;
  }

  has(pages: number): boolean {
    return this.#taken + pages <= this.#most;
  }

  take(pages: number): void {
    this.#taken += pages;
  }

  giveBack(pages: number): void {
    this.#taken -= pages;
  }
}

/** Bytes that telecommands write, in pages (B2). */
export class WrittenContent implements FileContent {
  size = 0;
  readonly #pages = new Map<number, Buffer>();
  /** Whether its first byte was written. */
  #begun = false;

  /** Pages that writing there would add. */
  pagesFor(offset: number, length: number): number {
    let pages = 0;
    for (let page = Math.floor(offset / PAGE); page * PAGE < offset + length; page += 1) {
      if (!this.#pages.has(page)) pages += 1;
    }
    return pages;
  }

  write(offset: number, bytes: Buffer): void {
    for (let from = 0; from < bytes.length; ) {
      const page = Math.floor((offset + from) / PAGE);
      const within = (offset + from) % PAGE;
      const taken = bytes.copy(this.#page(page), within, from);
      from += taken;
    }
    this.size = Math.max(this.size, offset + bytes.length);
    if (offset === 0 && bytes.length > 0) this.#begun = true;
  }

  read(offset: number, length: number): Buffer {
    const result = Buffer.alloc(length);
    for (let at = 0; at < length; ) {
      const within = (offset + at) % PAGE;
      const taken = Math.min(PAGE - within, length - at);
      this.#pages.get(Math.floor((offset + at) / PAGE))?.copy(result, at, within, within + taken);
      at += taken;
    }
    return result;
  }

  /** Whether it has another beginning than these bytes. */
  beginsOtherwise(bytes: Buffer): boolean {
    return this.#begun && !this.read(0, bytes.length).equals(bytes);
  }

  get pages(): number {
    return this.#pages.size;
  }

  #page(number: number): Buffer {
    const known = this.#pages.get(number);
    if (known !== undefined) return known;
    const page = Buffer.alloc(PAGE);
    this.#pages.set(number, page);
    return page;
  }
}

/** All of it, one part after the other. */
export function* partsOf(content: FileContent): Generator<Buffer> {
  for (let at = 0; at < content.size; at += PART) yield content.read(at, Math.min(PART, content.size - at));
}

export function crc32Of(content: FileContent): number {
  let sum = 0;
  for (const part of partsOf(content)) sum = crc32(part, sum);
  return sum;
}

/** A part at a time, so that whoever waits is served in between. */
export async function sha256Of(content: FileContent): Promise<string> {
  const hash = createHash('sha256');
  let parts = 0;
  for (const part of partsOf(content)) {
    hash.update(part);
    parts += 1;
    if (parts % PARTS_AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return hash.digest('hex');
}

export function isSameContent(one: FileContent, other: FileContent): boolean {
  if (one.size !== other.size) return false;
  const others = partsOf(other);
  for (const part of partsOf(one)) if (!part.equals(others.next().value as Buffer)) return false;
  return true;
}

/** Another number for each pair: the finaliser of MurmurHash3. */
function mixed(one: number, other: number): number {
  let hash = (Math.imul(one | 0, 0x9e37_79b1) + (other | 0)) | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return hash ^ (hash >>> 16);
}

/** xorshift32, big endian wherever it runs. */
function block(seed: number): Buffer {
  const bytes = Buffer.allocUnsafe(BLOCK);
  let word = seed | 1;
  for (let at = 0; at < BLOCK; at += 4) {
    word ^= word << 13;
    word ^= word >>> 17;
    word ^= word << 5;
    bytes.writeInt32BE(word, at);
  }
  return bytes;
}
