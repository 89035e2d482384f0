/**
 * Whether something grows: the straight line through what was seen of it.
 *
 * S1. The first third is left out: a process fills its caches, and the compiler its code, before anything is flat.
 */

export interface Seen {
  readonly atMs: number;
  readonly value: number;
}

/** How much may be gained over the time that was looked at before it counts as growth. */
export interface Allowance {
  readonly absolute: number;
  /** Of the mean. */
  readonly share: number;
}

export interface Slope {
  readonly first: number;
  readonly last: number;
  readonly perHour: number;
  /** Along the line, over the time that was looked at. */
  readonly gained: number;
  readonly flat: boolean;
}

const HOUR_MS = 3_600_000;
const WARM_UP = 1 / 3;

/** Throws when too little was seen to draw a line through. */
export function slopeOf(seen: readonly Seen[], { absolute, share }: Allowance): Slope {
  const counted = seen.slice(Math.floor(seen.length * WARM_UP));
  if (counted.length < 3) throw new RangeError(`${seen.length} observations are too few for a slope`);
  const perMs = leastSquares(counted);
  const [first, last] = [counted[0]!, counted.at(-1)!];
  const gained = perMs * (last.atMs - first.atMs);
  const mean = counted.reduce((sum, { value }) => sum + value, 0) / counted.length;
  const flat = gained <= Math.max(absolute, share * mean);
  return { first: first.value, last: last.value, perHour: perMs * HOUR_MS, gained, flat };
}

function leastSquares(seen: readonly Seen[]): number {
  const n = seen.length;
  const meanAt = seen.reduce((sum, { atMs }) => sum + atMs, 0) / n;
  const meanValue = seen.reduce((sum, { value }) => sum + value, 0) / n;
  let [above, below] = [0, 0];
  for (const { atMs, value } of seen) {
    above += (atMs - meanAt) * (value - meanValue);
    below += (atMs - meanAt) ** 2;
  }
  return below === 0 ? 0 : above / below;
}
