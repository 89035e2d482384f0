/**
 * `name=value` as people write it on a command line. `10 ms` is a quantity and stays text, `true` a boolean, `3` a
 * number; what the value must be is for the service to say.
 */

import { WrongUsage } from './command-line.ts';

export type WrittenValue = string | number | boolean;

/** Without leading zeros: `0010` are bytes, or a name. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** Name and value of each; throws at what is no pair. */
export function readPairs(pairs: readonly string[], what: string): [name: string, text: string][] {
  return pairs.map((pair) => {
    const at = pair.indexOf('=');
    if (at < 1) throw new WrongUsage(`${what} is written name=value, not ${JSON.stringify(pair)}`);
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
}

export function readValue(text: string): WrittenValue {
  if (text === 'true' || text === 'false') return text === 'true';
  if (!NUMBER.test(text)) return text;
  const value = Number(text);
  // A whole number that a double cannot hold would arrive as another one.
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? text : value;
}
