/**
 * `mcs pass`: passes of targets over ground stations. Mission Control Service, section 2.6. Exit code: 0 when it was
 * done, 1 when it was refused or the service does not answer, 2 when the command line is malformed.
 */

import { FEED_USAGE, feed } from './pass-feed.ts';
import { LIST_USAGE, list } from './pass-list.ts';
import { PREDICT_USAGE, predict } from './pass-predict.ts';
import { PUT_USAGE, put } from './pass-put.ts';
import { SHOW_USAGE, show } from './pass-show.ts';
import { WATCH_USAGE, watch } from './pass-watch.ts';
import { SERVICE_USAGE } from './service.ts';
import { TIME_USAGE } from './table-options.ts';

const VERBS: Readonly<Record<string, (args: string[]) => Promise<number>>> = {
  list,
  show,
  watch,
  put,
  feed,
  predict,
};
const USAGE = [LIST_USAGE, SHOW_USAGE, WATCH_USAGE, PUT_USAGE, FEED_USAGE, PREDICT_USAGE].join('');

export async function pass([verb, ...args]: string[]): Promise<number> {
  const carryOut = verb !== undefined && Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (carryOut !== undefined) return carryOut(args);
  process.stderr.write(`${USAGE}${TIME_USAGE}${SERVICE_USAGE}`);
  return 2;
}
