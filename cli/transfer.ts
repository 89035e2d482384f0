/**
 * `mcs transfer`: files that come down and go up. A thin client of the routes of transfers. Mission Control Service,
 * section 4.7. Exit code: 0 when it was done, 1 when it was refused or the service does not answer, 2 when the command
 * line is malformed.
 */

import { SERVICE_USAGE } from './service.ts';
import { LIST_USAGE, list } from './transfer-list.ts';
import { WATCH_USAGE, watch } from './transfer-watch.ts';

const VERBS: Readonly<Record<string, (args: string[]) => Promise<number>>> = { list, watch };

export async function transfer([verb, ...args]: string[]): Promise<number> {
  const carryOut = verb !== undefined && Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (carryOut !== undefined) return carryOut(args);
  process.stderr.write(`${LIST_USAGE}${WATCH_USAGE}${SERVICE_USAGE}`);
  return 2;
}
