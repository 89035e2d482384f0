/** The file system of the machine (file-system.ts). */

import {
  closeSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import type { FileSystem, InputFile, OutputFile } from './file-system.ts';

export const disk: FileSystem = {
  list(path) {
    try {
      return readdirSync(path);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return [];
      throw error;
    }
  },
  makeDirectory(path) {
    try {
      mkdirSync(path);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  },
  claimDirectory(path) {
    try {
      mkdirSync(path);
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    }
  },
  create: (path) => new DiskOutput(path),
  open: (path) => new DiskInput(path),
  rename: renameSync,
  syncDirectory(path) {
    const directory = openSync(path, 'r');
    try {
      fsyncSync(directory);
    } finally {
      closeSync(directory);
    }
  },
  remove: (path) => rmSync(path, { recursive: true, force: true }),
};

class DiskOutput implements OutputFile {
  readonly #descriptor: number;

  constructor(path: string) {
    this.#descriptor = openSync(path, 'w');
  }

  append(bytes: Uint8Array): void {
    // A disk that is nearly full takes a part first and refuses the rest.
    for (let written = 0; written < bytes.length; )
      written += writeSync(this.#descriptor, bytes, written, bytes.length - written);
  }

  sync(): void {
    fsyncSync(this.#descriptor);
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

class DiskInput implements InputFile {
  readonly bytes: number;
  readonly #descriptor: number;
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
    this.#descriptor = openSync(path, 'r');
    this.bytes = fstatSync(this.#descriptor).size;
  }

  read(offset: number, length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    for (let have = 0; have < length; ) {
      const count = readSync(this.#descriptor, bytes, have, length - have, offset + have);
      if (count === 0)
        throw new Error(`${this.#path} ends at ${offset + have}, ${length - have} bytes early`);
      have += count;
    }
    return bytes;
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
