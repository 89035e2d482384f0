/**
 * Files of stored telemetry in a simulated run: who asks for them, and what goes wrong with the drivers that decode
 * them. Drawn beside everything else, so that the other seeds are what they are.
 *
 * D1. A trouble waits until there is something to decode, also behind the moment from which on nothing else goes wrong.
 *     It happens once, and ends.
 */

import { FILE_DECODE_AGAIN_MS, FILE_DECODE_MS } from '../../../contract/limits/transfer.ts';
import type { Chance } from '../chance.ts';
import { FILE_TARGETS, type FileTarget } from './mission.ts';

/** The file of stored telemetry of each spacecraft that has one. */
export const STORED_FILE = '1';
/** It holds several batches of samples. */
export const STORED_HOURS = 3;
/** Processes that decode. */
export const DECODERS = 2;
const SEEDS_WITH_STORED = 0.3;

/** Steps at which the end of one that decodes hurts most. */
const STEPS = [
  'append mcs.tm.decoded',
  'append mcs.tm.decoded',
  'append mcs.tm.decoded',
  'append $KV.mcs_decodings',
  'append $KV.mcs_decodings',
  'get $KV.mcs_decodings',
  'look DECODED',
  'reply mcs.file.decode',
] as const;

/** Until a trouble is over, and the next offer is answered. */
export const DECODING_TROUBLE_MS = FILE_DECODE_MS + FILE_DECODE_AGAIN_MS + 10_000;

export type DecodingTrouble = { readonly kind: 'decoding'; readonly at: number; readonly which: number } & (
  | {
      /** It dies at the n-th step of this kind from then on. */
      readonly how: 'dies';
      readonly step: string;
      readonly phase: 'asked' | 'done';
      readonly nth: number;
      readonly backMs: number;
    }
  /** One pause in the middle of a file takes so long. */
  | { readonly how: 'slow'; readonly forMs: number }
  /** The next offer is begun so late. */
  | { readonly how: 'late'; readonly forMs: number }
  /** The answer to the next offer is lost. */
  | { readonly how: 'silent' }
  /** The next offer is answered `not_decodable`. */
  | { readonly how: 'refuses' }
);

interface Within {
  readonly slots: number;
  readonly from: number;
  readonly to: number;
  readonly calmAt: number;
  readonly targets: readonly FileTarget[];
}

interface Asked {
  readonly do: 'download';
  readonly at: number;
  readonly slot: number;
  readonly target: FileTarget;
  readonly file: string;
  readonly priority: number;
}

interface Rewritten {
  readonly do: 'rewrite';
  readonly at: number;
  readonly target: FileTarget;
  readonly file: string;
}

/** What comes to what else there is in a run. */
interface Stored {
  readonly stored: readonly FileTarget[];
  readonly acts: readonly (Asked | Rewritten)[];
  readonly last: readonly Asked[];
  readonly troubles: readonly DecodingTrouble[];
}

/** For some seeds nothing. */
export function storedOf(chance: Chance, within: Within, lastAskedMs: number): Stored {
  const stored = within.targets.filter((target) => FILE_TARGETS[target].protocol === 'chunked');
  if (!chance.happens(SEEDS_WITH_STORED) || stored.length === 0)
    return { acts: [], last: [], troubles: [], stored: [] };
  const { slots, from, to, calmAt } = within;
  const ask = (target: FileTarget, at: number): Asked => ({
    do: 'download',
    at,
    slot: chance.whole(0, slots - 1),
    target,
    file: STORED_FILE,
    priority: 3,
  });
  const rewritten = stored.filter(() => chance.happens(0.3));
  return {
    stored,
    acts: [
      ...stored.map((target) => ask(target, chance.whole(from, to))),
      ...rewritten.map((target) => ({
        do: 'rewrite' as const,
        at: chance.whole(from, to),
        target,
        file: STORED_FILE,
      })),
    ],
    last: stored.map((target) => ask(target, calmAt + lastAskedMs)),
    troubles: Array.from({ length: chance.whole(1, 3) }, () => troubleOf(chance, chance.whole(from, to))),
  };
}

function troubleOf(chance: Chance, at: number): DecodingTrouble {
  const trouble = { kind: 'decoding' as const, at, which: chance.whole(0, DECODERS - 1) };
  const how = chance.one(['dies', 'dies', 'dies', 'dies', 'slow', 'late', 'silent', 'refuses'] as const);
  switch (how) {
    case 'dies':
      return {
        ...trouble,
        how,
        step: chance.one(STEPS),
        phase: chance.one(['asked', 'done'] as const),
        nth: chance.whole(1, 3),
        backMs: chance.whole(500, 5_000),
      };
    // Around the ends of its time and of that of whoever asked, and of the next offer.
    case 'slow':
      return { ...trouble, how, forMs: chance.one([60_000, 295_000, FILE_DECODE_MS + 5_000] as const) };
    case 'late': {
      const again = FILE_DECODE_MS + FILE_DECODE_AGAIN_MS;
      return { ...trouble, how, forMs: chance.one([100_000, again - 20, again + 20, again + 100] as const) };
    }
    default:
      return { ...trouble, how };
  }
}
