/** How many files and sockets this process has open, of those it may. */

import { readdir, readFile } from 'node:fs/promises';
import type { ResourceLevel } from '../ports/stream-levels.ts';

/** Undefined where the system does not say. */
export async function descriptors(): Promise<ResourceLevel | undefined> {
  try {
    const [open, limits] = await Promise.all([
      readdir('/proc/self/fd'),
      readFile('/proc/self/limits', 'utf8'),
    ]);
    const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
    return { bytes: open.length, maxBytes: soft === undefined ? undefined : Number(soft) };
  } catch {
    return undefined;
  }
}
