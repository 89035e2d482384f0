/**
 * Whether what is transmitted reaches the connector, in words. RF Bench Service, section 2.
 *
 * M1. What is not known counts as emitting: whoever holds the cable is warned once too often.
 * M2. Samples or tones of another tool leave whether the egress is open or not: there the level alone keeps them from
 *     the connector.
 */

import type { ChainState } from '../../contract/bench/chain.ts';
import { decibels } from './quantity.ts';

export type Tone = 'ok' | 'warn' | 'bad';

export interface EmissionWords {
  readonly tone: Tone;
  readonly sign: string;
  readonly words: string;
}

/** At this level or below nothing that leaves the connector disturbs. */
const MUTED_DB = -80;

/**
 * The chain has to be that of the path the board is switched to; `levelDb`: gain of the transmitter, undefined:
 * unreadable.
 */
export function emissionWords(
  { current_target, reaches_the_connector, conditions }: ChainState,
  levelDb: number | undefined,
): EmissionWords {
  const verdictOf = (key: string): string | undefined =>
    conditions.find((condition) => condition.key === key)?.verdict;
  if (current_target === null)
    return { tone: 'bad', sign: '▲', words: 'Path unknown: it may emit at the connector' };
  if (current_target !== 'air' && !reaches_the_connector) {
    const inside = current_target === 'pl-loopback' ? 'inside the logic' : 'inside the AD9361';
    if (verdictOf('tx.level') === 'met')
      return { tone: 'ok', sign: '○', words: `Stays ${inside}: nothing at the connector` };
    const muted =
      levelDb === undefined ? 'and its level cannot be read: it may emit' : 'but not muted: it emits';
    return { tone: 'bad', sign: '▲', words: `Looped back ${inside}, ${muted} at the connector` };
  }
  const isForeign = verdictOf('dma.tone') === 'unmet';
  if (verdictOf('tx.egress') === 'unmet' && !isForeign)
    return { tone: 'warn', sign: '◇', words: 'Wired to the connector, egress closed' };
  if (levelDb === undefined)
    return { tone: 'bad', sign: '▲', words: 'Level cannot be read: it may emit at the connector' };
  return levelDb <= MUTED_DB
    ? { tone: 'warn', sign: '◇', words: `Wired to the connector, muted at ${decibels(levelDb)}` }
    : {
        tone: 'bad',
        sign: '▲',
        words: isForeign ? 'Another tool emits at the connector' : 'Emits at the connector',
      };
}
