/**
 * `mcs schedule`: runs that start automatically on passes. Mission Control Service, section 2.7. Exit code: 0 when it
 * was done, 1 when it was refused or the service does not answer, 2 when the command line is malformed.
 */

import { COMMAND_USAGE, cancel, validate } from './schedule-command.ts';
import { CREATE_USAGE, create } from './schedule-create.ts';
import { LIST_USAGE, list } from './schedule-list.ts';
import { SHOW_USAGE, show } from './schedule-show.ts';
import { SERVICE_USAGE } from './service.ts';
import { TIME_USAGE } from './table-options.ts';

const VERBS: Readonly<Record<string, (args: string[]) => Promise<number>>> = {
  list,
  show,
  create,
  cancel,
  validate,
};
const USAGE = [LIST_USAGE, SHOW_USAGE, CREATE_USAGE, COMMAND_USAGE].join('');

export async function schedule([verb, ...args]: string[]): Promise<number> {
  const carryOut = verb !== undefined && Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (carryOut !== undefined) return carryOut(args);
  process.stderr.write(`${USAGE}${TIME_USAGE}${SERVICE_USAGE}`);
  return 2;
}
