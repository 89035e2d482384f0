/** A question about the past asked to its last page, through a process. */

import type { Cursor, Damage, Gap, HistoryQuery, HistorySample } from '../../../contract/history.ts';
import { Outage } from '../../../contract/outage.ts';
import type { HistoryAsker } from '../../../messaging/history-asker.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { SimulatedProcess } from '../simulated-process.ts';

/** Pages as one answer. */
export interface Walked {
  /** Those that answered. */
  readonly archives: readonly string[];
  readonly samples: readonly HistorySample[];
  readonly gaps: readonly Gap[];
  readonly damaged: readonly Damage[];
  readonly thinned: boolean;
}

/** Undefined where nobody answers now. */
export async function walked(
  asker: Pick<HistoryAsker, 'samples'>,
  query: HistoryQuery,
  limit: number,
): Promise<Walked | undefined> {
  const samples: HistorySample[] = [];
  const archives = new Set<string>();
  let [gaps, damaged, thinned]: [readonly Gap[], readonly Damage[], boolean] = [[], [], false];
  let cursor: Cursor | undefined;
  do {
    const page = await asker.samples(query, { cursor, limit });
    if (!page.ok) return undefined;
    const { value, archive } = page.value;
    archives.add(archive.archive);
    samples.push(...value.samples);
    ({ gaps, damaged } = value);
    thinned ||= value.thinned;
    cursor = value.next;
  } while (cursor !== undefined);
  return { archives: [...archives], samples, gaps, damaged, thinned };
}

interface Through {
  readonly clock: Clock;
  readonly process: SimulatedProcess | undefined;
  readonly patienceMs: number;
}

/** What comes of it in that process; undefined where it dies, is not there, or takes too long. */
export function through<Value>(
  { clock, process, patienceMs }: Through,
  ask: (process: SimulatedProcess) => Promise<Value | undefined>,
): Promise<Value | undefined> {
  return new Promise((resolve) => {
    if (process === undefined) return resolve(undefined);
    clock.setTimeout(() => resolve(undefined), patienceMs);
    process.arrivals.setTimeout(async () => {
      try {
        const value = await ask(process);
        if (process.alive) resolve(value);
      } catch (error) {
        if (!(error instanceof Outage)) throw error;
        resolve(undefined);
      }
    }, 1);
  });
}
