/** Processor time of other processes, as the system counts it. */

import { readFile } from 'node:fs/promises';

const TICK_US = 10_000;

/** User and system time so far, fields 14 and 15 of its stat, in steps of a clock tick; 0 where the system does not tell. */
export async function cpuUsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * TICK_US;
}
