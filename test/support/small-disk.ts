/** A disk of some megabytes for one process: a tmpfs in a mount namespace of its own, filled and freed from outside. */

import { spawnSync } from 'node:child_process';
import { mkdtemp, open, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A user namespace lets also those mount who are not root. */
const NAMESPACE = ['unshare', '--map-root-user', '--mount'];
const MOUNT = 'mount -t tmpfs -o size="$1" none "$0" && shift && exec "$@"';
const BLOCK = 64 * 1024;

export const mayMount =
  spawnSync(NAMESPACE[0]!, [...NAMESPACE.slice(1), 'sh', '-c', 'mount -t tmpfs none /mnt']).status === 0;

export interface SmallDisk {
  /** Where the process that runs `within` finds it. */
  readonly path: string;
  /** What starts that process. */
  readonly within: readonly string[];
  /** Takes all but so many bytes of what is free. */
  fill(pid: number, but: number): Promise<void>;
  free(pid: number): Promise<void>;
  remove(): Promise<void>;
}

export async function smallDisk(bytes: number): Promise<SmallDisk> {
  const path = await mkdtemp(join(tmpdir(), 'mcs-disk-'));
  const seen = (pid: number): string => `/proc/${pid}/root${path}`;
  return {
    path,
    within: [...NAMESPACE, 'sh', '-c', MOUNT, path, String(bytes)],
    fill: async (pid, but) => {
      const file = await open(join(seen(pid), 'foreign'), 'a');
      try {
        for (;;) {
          const { bavail, bsize } = await statfs(seen(pid));
          const left = bavail * bsize - but;
          if (left <= 0) return;
          await file.write(Buffer.alloc(Math.min(left, BLOCK)));
        }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        await file.close();
      }
    },
    free: (pid) => rm(join(seen(pid), 'foreign')),
    remove: () => rm(path, { recursive: true, force: true }),
  };
}
