/**
 * How long a scheduler leaves a schedule or a rule to others: each ranks the living schedulers by hash with the name,
 * and does at once what it ranks first for. Nobody leads; conditional writes decide.
 */

import { createHash } from 'node:crypto';
import { SCHEDULE_STANDBY_MS } from '../../contract/limits/schedule.ts';

export interface TurnsOptions {
  readonly instance: string;
  /** Living schedulers, as far as this process knows. */
  readonly schedulers: () => readonly string[];
}

/** After how many ms this process acts on the name, if nobody has. */
export function turnOf(name: string, { instance, schedulers }: TurnsOptions): number {
  const own = rankOf(name, instance);
  let before = 0;
  for (const each of schedulers()) if (each !== instance && rankOf(name, each) > own) before += 1;
  return before * SCHEDULE_STANDBY_MS;
}

function rankOf(name: string, instance: string): string {
  return createHash('sha256').update(`${name}\n${instance}`).digest('hex');
}
