/**
 * Who a process is, for another process that asks whether it still lives. The one answer to that question, for members
 * of a cell (`supervision/ownership/membership.ts`) and for owners of a state directory (`state-lock.ts`).
 *
 * I1. A pid means something inside its PID namespace and its boot only: in two containers of one machine both may be 1
 *     and have the same host name. Of a process of another namespace or boot nothing is known.
 * I2. A pid comes round again, in a container at once: a process is its pid together with its start time.
 */

import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

export interface ProcessIdentity {
  readonly pid: number;
  /** Boot and PID namespace in which the pid means this process; absent in what an earlier release wrote. */
  readonly space?: string;
  /** Clock ticks since boot, where the system reports. */
  readonly started?: string;
}

/** Where the pids that this process knows mean something. */
export const OWN_SPACE = ownSpace();

/** The identity of a process that this one sees under `pid`. */
export function identityOf(pid: number): ProcessIdentity {
  const started = startTime(pid);
  return { pid, space: OWN_SPACE, ...(started !== undefined && { started }) };
}

/** Whether that process lives; undefined where this one cannot know (I1). */
export function isRunning({ pid, space, started }: ProcessIdentity): boolean | undefined {
  if (space !== OWN_SPACE) return undefined;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // One that may not be asked about lives.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const now = startTime(pid);
  return started === undefined || now === undefined || now === started;
}

function ownSpace(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // A system without PID namespaces: a machine is its name.
    return `host ${hostname()}`;
  }
}

/** Field 22 of /proc/<pid>/stat; the name in field 2 may hold spaces and brackets. */
function startTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
