/**
 * The scale of spectrum and waterfall: which range of decibels is shown, and the colour of a level. Pure.
 *
 * D1. The range is calm: it grows as soon as a level does not fit, and shrinks only when more than 20 dB of it have
 *     been empty for as long as the waterfall shows: what is seen there stays within it.
 */

export interface DecibelRange {
  readonly low: number;
  readonly high: number;
}

export type Colour = readonly [red: number, green: number, blue: number];

const STEP_DB = 10;
const LEAST_DB = 40;
/** What may stay empty before the range shrinks. */
const SLACK_DB = 20;

/** Dark to bright in even steps of lightness, so that it reads the same without colours. */
const STOPS: readonly Colour[] = [
  [6, 8, 32],
  [36, 22, 96],
  [98, 28, 128],
  [166, 46, 112],
  [222, 86, 70],
  [248, 150, 40],
  [252, 214, 92],
  [253, 251, 210],
];

/** What the waterfall shows. */
const PATIENCE_MS = 40_000;

/** The range over time (D1). */
export class CalmRange {
  #shown: DecibelRange | undefined;
  #neededAt = 0;

  get shown(): DecibelRange | undefined {
    return this.#shown;
  }

  /** Takes notice of levels at a time in ms; says whether the range is another one now. */
  takes(levels: Float32Array, at: number): boolean {
    const before = this.#shown;
    const wanted = rangeOf(levels);
    if (wanted === undefined) return false;
    if (before === undefined || !isMuchWiderThan(before, wanted)) this.#neededAt = at;
    if (before === undefined || at - this.#neededAt > PATIENCE_MS) this.#shown = wanted;
    else if (!holds(before, levels)) this.#shown = joined(before, wanted);
    return this.#shown !== before;
  }
}

/** The range that shows these levels; undefined where none is a number. */
function rangeOf(levels: Float32Array): DecibelRange | undefined {
  const [floor, top] = endsOf(levels);
  return floor === undefined || top === undefined ? undefined : rounded(floor, top);
}

/** Nearly the lowest, and the highest. */
function endsOf(levels: Float32Array): readonly [number | undefined, number | undefined] {
  const finite = levels.filter(Number.isFinite).sort();
  return [finite[Math.floor(finite.length * 0.05)], finite.at(-1)];
}

function holds({ low, high }: DecibelRange, levels: Float32Array): boolean {
  const [floor = low, top = high] = endsOf(levels);
  return floor >= low && top <= high;
}

function isMuchWiderThan(shown: DecibelRange, wanted: DecibelRange): boolean {
  return wanted.low - shown.low > SLACK_DB || shown.high - wanted.high > SLACK_DB;
}

function joined(one: DecibelRange, other: DecibelRange): DecibelRange {
  return { low: Math.min(one.low, other.low), high: Math.max(one.high, other.high) };
}

function rounded(floor: number, top: number): DecibelRange {
  const low = Math.floor((floor - STEP_DB / 2) / STEP_DB) * STEP_DB;
  // Not `-0`.
  const high = 0 + Math.ceil((top + STEP_DB / 2) / STEP_DB) * STEP_DB;
  return { low, high: Math.max(high, low + LEAST_DB) };
}

/** Place of a level in the range, 0 to 1; outside it the nearer end, and 0 for what is no number. */
export function shareOf(level: number, { low, high }: DecibelRange): number {
  const share = (level - low) / (high - low);
  return Number.isNaN(share) ? 0 : Math.min(1, Math.max(0, share));
}

export function colourOf(share: number): Colour {
  const place = share * (STOPS.length - 1);
  const below = Math.min(STOPS.length - 2, Math.floor(place));
  const [from, to] = [STOPS[below]!, STOPS[below + 1]!];
  const mixed = (channel: 0 | 1 | 2): number =>
    Math.round(from[channel] + (to[channel] - from[channel]) * (place - below));
  return [mixed(0), mixed(1), mixed(2)];
}

/** Levels to label, from the lowest. */
export function ticksOf({ low, high }: DecibelRange): number[] {
  const step = high - low > 80 ? 2 * STEP_DB : STEP_DB;
  return Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, n) => low + n * step);
}

/** As many columns as asked, each the strongest of the bins it stands for: a narrow carrier is not lost. */
export function columnsOf(bins: Float32Array, columns: number): Float32Array {
  const shown = new Float32Array(columns);
  for (let column = 0; column < columns; column += 1) {
    const from = Math.floor((column * bins.length) / columns);
    const to = Math.max(from + 1, Math.floor(((column + 1) * bins.length) / columns));
    let most = Number.NEGATIVE_INFINITY;
    for (let bin = from; bin < to; bin += 1) most = Math.max(most, bins[bin] ?? Number.NEGATIVE_INFINITY);
    shown[column] = most;
  }
  return shown;
}
