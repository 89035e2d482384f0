/**
 * Gaps of a stream side by side: as few as say what is missing.
 *
 * G1. Positions that follow each other are one gap, unless nothing came for long between them: that was silence, and
 *     a bucket of it is not lost.
 * G2. An answer lists so many at most. Of more, those with the least time between them are given as one, with what lies
 *     between: of what is missing nothing is left out.
 */

import type { Gap } from '../contract/history.ts';

const SILENCE_MS = 60_000;

/** Puts a gap behind the others of its stream (G1). */
export function addGap(gaps: Gap[], gap: Gap): void {
  const last = gaps.at(-1);
  if (last !== undefined && last.last + 1 === gap.first && gap.from - last.to <= SILENCE_MS)
    gaps[gaps.length - 1] = both(last, gap);
  else gaps.push(gap);
}

/** Those of one stream, in order of their positions (G1). */
export function joinedGaps(gaps: Iterable<Gap>): Gap[] {
  const joined: Gap[] = [];
  for (const gap of gaps) addGap(joined, gap);
  return joined;
}

/** Those of several streams, so many at most (G2). */
export function boundedGaps(streams: readonly (readonly Gap[])[], most: number): Gap[] {
  const lists = streams.map(joinedGaps);
  const all = lists.flat();
  const excess = all.length - most;
  if (excess <= 0) return all;
  const nearest = all
    .map((_, n) => n)
    .slice(1)
    .sort((one, other) => distance(all, one) - distance(all, other));
  const joins = new Set(nearest.slice(0, excess));
  const bounded: Gap[] = [];
  all.forEach((gap, n) => {
    if (joins.has(n)) bounded[bounded.length - 1] = both(bounded.at(-1)!, gap);
    else bounded.push(gap);
  });
  return bounded;
}

/** The time in front of a gap since the one before it; positions of another stream are in front of none. */
function distance(gaps: readonly Gap[], place: number): number {
  const [before, gap] = [gaps[place - 1]!, gaps[place]!];
  return gap.first > before.last ? gap.from - before.to : Number.MAX_VALUE;
}

function both(one: Gap, other: Gap): Gap {
  return {
    first: Math.min(one.first, other.first),
    last: Math.max(one.last, other.last),
    from: Math.min(one.from, other.from),
    to: Math.max(one.to, other.to),
  };
}
