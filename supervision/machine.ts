/**
 * The machine a process runs on, as far as its members judge each other by it (E3 of `membership.ts`). With `clock.ts` and
 * `random.ts` what a simulation owns in its place.
 */

import { hostname } from 'node:os';

export interface Machine {
  readonly host: string;
  /** Of this process. */
  readonly pid: number;
  /** Whether a process of this machine lives; one that may not be asked about does. */
  isRunning(pid: number): boolean;
}

export const realMachine: Machine = {
  host: hostname(),
  pid: process.pid,
  isRunning: (pid) => {
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== 'ESRCH';
    }
  },
};
