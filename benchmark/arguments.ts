/** The command line of the benchmark. */

import { parseArgs } from 'node:util';
import type { Settings } from './row.ts';

export interface Arguments extends Settings {
  /** Rows whose name begins with one of these; undefined: all. */
  readonly only: readonly string[] | undefined;
  /** Where the results are written instead of a new file of this day. */
  readonly output: string | undefined;
}

/** Medians of fewer rounds say little on a shared machine. */
const ROUNDS = 5;
const ROUND_MS = 1_500;
const QUICK = { rounds: 1, roundMs: 150 };

/** Throws on an unknown option and on a malformed number of rounds. */
export function readArguments(args: readonly string[]): Arguments {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      output: { type: 'string' },
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
    },
  });
  const rounds = Number(values.rounds ?? (values.quick ? QUICK.rounds : ROUNDS));
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new TypeError(`--rounds ${values.rounds}: write a whole number from 1 on`);
  return {
    only: values.only?.split(','),
    output: values.output,
    quick: values.quick,
    rounds,
    roundMs: values.quick ? QUICK.roundMs : ROUND_MS,
  };
}
