/** `mcs file`: files on board a target. Each verb has a file of its own; this one only chooses. */

import { FILE_GET_USAGE, get } from './file-get.ts';
import { FILE_LIST_USAGE, list } from './file-list.ts';
import { FILE_REFRESH_USAGE, refresh } from './file-refresh.ts';
import { SERVICE_USAGE } from './service.ts';

const USAGE = `${FILE_LIST_USAGE}${FILE_REFRESH_USAGE}${FILE_GET_USAGE}${SERVICE_USAGE}`;

const verbs: Readonly<Record<string, (args: string[]) => Promise<number>>> = { list, refresh, get };

export async function file([verb = '', ...args]: string[]): Promise<number> {
  const run = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (run !== undefined) return run(args);
  process.stderr.write(USAGE);
  return 2;
}
