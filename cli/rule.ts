/**
 * `mcs rule`: recurring rules, which make a schedule of each pass they match. Mission Control Service, section 2.7.
 * Exit code: 0 when it was done, 1 when it was refused or the service does not answer, 2 when the command line is
 * malformed.
 */

import { ADD_USAGE, add } from './rule-add.ts';
import { LIST_USAGE, list } from './rule-list.ts';
import { REMOVE_USAGE, remove } from './rule-remove.ts';
import { SERVICE_USAGE } from './service.ts';

const VERBS: Readonly<Record<string, (args: string[]) => Promise<number>>> = { list, add, remove };
const USAGE = [LIST_USAGE, ADD_USAGE, REMOVE_USAGE].join('');

export async function rule([verb, ...args]: string[]): Promise<number> {
  const carryOut = verb !== undefined && Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (carryOut !== undefined) return carryOut(args);
  process.stderr.write(`${USAGE}${SERVICE_USAGE}`);
  return 2;
}
