/** `mcs pass`: passes of targets over ground stations. Mission Control Service, section 2.6. */

import { PREDICT_USAGE, predict } from './pass-predict.ts';

const VERBS: Readonly<Record<string, (args: string[]) => Promise<number>>> = { predict };

export async function pass([verb, ...args]: string[]): Promise<number> {
  const carryOut = verb !== undefined && Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (carryOut !== undefined) return carryOut(args);
  process.stderr.write(PREDICT_USAGE);
  return 2;
}
