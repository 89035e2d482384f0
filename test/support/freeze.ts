/** Processes that stand still, in all their threads. */

import { readdirSync, readFileSync } from 'node:fs';
import { until } from './until.ts';

/**
 * Stops the process (SIGSTOP); resolves when none of its threads runs any more. The signal alone is not enough: a
 * thread on another processor still does what it is at, and may answer a question that was put after it.
 */
export async function freeze(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await until(() => readdirSync(`/proc/${pid}/task`).every((thread) => isStopped(pid, thread)), {
    what: `process ${pid} to stand still`,
  });
}

function isStopped(pid: number, thread: string): boolean {
  try {
    // The state stands behind the name, which is in parentheses and may contain anything.
    const [state] = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8').split(') ').slice(-1);
    return state!.startsWith('T');
  } catch {
    // It ended meanwhile.
    return true;
  }
}
