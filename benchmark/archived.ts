/** What rows of the archive have in common: a folder, an archive in it, and questions one after the other. */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Archive } from '../archive/archive.ts';
import { workInThreads } from '../archive/workshop.ts';
import { realClock } from '../supervision/clock.ts';
import type { Contender, Settings } from './row.ts';

export const ARCHIVED_STREAM = 'bench';

export async function inFolder<Done>(work: (folder: string) => Promise<Done>): Promise<Done> {
  const folder = mkdtempSync(join(tmpdir(), 'mcs-bench-archive-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function openIn(folder: string): Promise<Archive> {
  mkdirSync(folder, { recursive: true });
  const bounds = { openSamples: Number.MAX_SAFE_INTEGER, tailSamples: Number.MAX_SAFE_INTEGER };
  return Archive.open(workInThreads(folder), { stream: ARCHIVED_STREAM, clock: realClock, ...bounds });
}

/** One question after the other; `ask` answers how many rows it was made of, and is refused where it is none. */
export function timed(name: string, { roundMs, quick }: Settings, ask: () => Promise<number>): Contender {
  return {
    name,
    turn: async () => {
      // A thread is begun by the first question, once in the life of a process.
      await ask();
      const took: number[] = [];
      const before = process.cpuUsage();
      const start = performance.now();
      while (took.length < (quick ? 2 : 5) || performance.now() - start < Math.min(roundMs, 2_000)) {
        const at = performance.now();
        if ((await ask()) === 0) throw new Error(`${name} found nothing`);
        took.push(performance.now() - at);
      }
      const { user, system } = process.cpuUsage(before);
      const sorted = took.sort((one, other) => one - other);
      const total = took.reduce((sum, each) => sum + each, 0);
      return {
        rate: (1_000 * took.length) / total,
        cpuUs: (user + system) / took.length,
        p50Ms: sorted[Math.floor(took.length / 2)]!,
        p99Ms: sorted[Math.floor(took.length * 0.99)]!,
      };
    },
  };
}
