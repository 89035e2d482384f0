/**
 * The machine a process runs on, as far as its members judge each other by it (membership.E3). With
 * `supervision/clock.ts` and `supervision/random.ts` what a simulation owns in its place.
 */

import { hostname } from 'node:os';
import { identityOf, isRunning, type ProcessIdentity } from '../../bus/process-identity.ts';

export interface Machine {
  /** For people; two machines may bear one name. */
  readonly host: string;
  /** Of this process. */
  readonly self: ProcessIdentity;
  /** Whether that process lives; undefined where this machine cannot know. */
  isRunning(process: ProcessIdentity): boolean | undefined;
}

export const realMachine: Machine = { host: hostname(), self: identityOf(process.pid), isRunning };
