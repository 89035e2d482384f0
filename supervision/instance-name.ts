/** The name of a process among others. */

import { monotonicFactory } from 'ulid';
import { realMachine } from './ownership/machine.ts';

/** Unique for each start: a restarted process is another member. */
export function instanceName(): string {
  const host = realMachine.host.replace(/[^A-Za-z0-9_-]/g, '-');
  return `${host}-${realMachine.self.pid}-${monotonicFactory()().slice(-10)}`;
}
