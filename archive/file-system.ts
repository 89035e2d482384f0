/**
 * What the archive needs of a file system: a small port, so that tests can lose whatever was not synced, and fill the
 * disk. Calls block, for they are made in threads of the archive and never in the loop that serves the service.
 *
 * F1. Nothing is promised of what was written before `sync` of the file, nor of an entry of a directory before
 *     `syncDirectory` of that directory: a power cut may take it, or leave a part of it.
 * F2. `rename` is one step: after a crash the name leads to all of what it led to before, or to none of it.
 */

export interface OutputFile {
  append(bytes: Uint8Array): void;
  /** Everything appended so far is on the disk when this returns. */
  sync(): void;
  close(): void;
}

export interface InputFile {
  readonly bytes: number;
  /** Exactly so many bytes; throws where the file ends before. */
  read(offset: number, length: number): Uint8Array;
  close(): void;
}

export interface FileSystem {
  /** Names in the directory, in no order; none where there is no such directory. */
  list(path: string): readonly string[];
  /** Makes the directory; one that is there is no fault. Its parent must be there. */
  makeDirectory(path: string): void;
  /** Makes the directory; false where it is there: of all that try it, one is given true. */
  claimDirectory(path: string): boolean;
  create(path: string): OutputFile;
  /** Throws where it is not there. */
  open(path: string): InputFile;
  rename(from: string, to: string): void;
  syncDirectory(path: string): void;
  /** A file, or a directory with what is in it; what is not there is no fault. */
  remove(path: string): void;
}

/** Takes everything and keeps nothing. */
export const NOWHERE: FileSystem = {
  list: () => [],
  makeDirectory: () => undefined,
  claimDirectory: () => true,
  create: () => ({ append: () => undefined, sync: () => undefined, close: () => undefined }),
  open: (path) => {
    throw new Error(`${path} is nowhere`);
  },
  rename: () => undefined,
  syncDirectory: () => undefined,
  remove: () => undefined,
};

/** The whole of a file of at most so many bytes; throws on a larger one. */
export function readWhole(files: FileSystem, path: string, mostBytes: number): Uint8Array {
  const file = files.open(path);
  try {
    if (file.bytes > mostBytes)
      throw new Error(`${path} has ${file.bytes} bytes, at most ${mostBytes} are read`);
    return file.read(0, file.bytes);
  } finally {
    file.close();
  }
}

/** Writes a file whole and syncs it (F1: its entry in the directory is not synced yet). */
export function writeWhole(files: FileSystem, path: string, bytes: Uint8Array): void {
  const file = files.create(path);
  try {
    file.append(bytes);
    file.sync();
  } finally {
    file.close();
  }
}

const COPIED_BYTES = 4 * 1024 * 1024;

/** A copy that is on the disk (F1 holds for its entry). */
export function copyFile(files: FileSystem, from: string, to: string): void {
  const source = files.open(from);
  try {
    const copy = files.create(to);
    try {
      for (let at = 0; at < source.bytes; at += COPIED_BYTES)
        copy.append(source.read(at, Math.min(COPIED_BYTES, source.bytes - at)));
      copy.sync();
    } finally {
      copy.close();
    }
  } finally {
    source.close();
  }
}
