/**
 * A file that appears under its name when all of it is there.
 *
 * F1. Until then it is beside it under another name, which is removed whatever ends the command before.
 */

import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

export interface ExportPlace {
  write(bytes: Uint8Array): Promise<void>;
  /** All of it is there. */
  keep(): Promise<void>;
  /** Nothing of it stays; nothing where it was kept. */
  drop(): Promise<void>;
}

export async function filePlace(path: string): Promise<ExportPlace> {
  const part = join(dirname(path), `.${basename(path)}.${randomUUID().slice(0, 8)}.part`);
  let handle: FileHandle | undefined = await open(part, 'wx');
  return {
    write: async (bytes) => {
      await handle?.appendFile(bytes);
    },
    async keep() {
      await handle?.sync();
      await handle?.close();
      handle = undefined;
      await rename(part, path);
    },
    async drop() {
      if (handle === undefined) return;
      await handle.close();
      handle = undefined;
      await rm(part, { force: true });
    },
  };
}

/** Into a pipe it is written as it comes. */
export function stdoutPlace(): ExportPlace {
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
      }),
    keep: async () => undefined,
    drop: async () => undefined,
  };
}
