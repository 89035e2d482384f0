/**
 * What one evaluation remembers: the current value of each measure it reads, the values of its names, windows and
 * holds. The closures of a compiled condition read it; they hold no state of their own, so one condition serves many
 * evaluations.
 *
 * F1. A sample older than the last of its measure changes nothing but windows.
 * F2. An unknown value leaves what `changes` compares with.
 */

import type { Hold } from './hold.ts';
import { FALSE, type Kleene, TRUE, UNKNOWN } from './truth.ts';
import type { Window } from './window.ts';

/** NaN is unknown. */
export type NumberRun = (history: History) => number;
export type TextRun = (history: History) => string | null;
export type TruthRun = (history: History) => Kleene;
/** The first moment after `after` at which something may change without a sample; infinite when there is none. */
export type Timer = (history: History, after: number) => number;

interface HistoryParts {
  /** Whether each slot holds text (or bytes) instead of a number. */
  readonly texts: readonly boolean[];
  /** Windows over the samples of each slot. */
  readonly windowsOf: readonly (readonly Window[])[];
  readonly windows: readonly Window[];
  readonly holds: readonly Hold[];
  readonly nameNumbers: readonly number[];
  readonly nameTexts: readonly (string | null)[];
}

export class History {
  /** The moment being evaluated. */
  now = Number.NEGATIVE_INFINITY;
  readonly numbers: Float64Array;
  readonly texts: (string | null)[];
  /** Whether the last sample differed from the one before. */
  readonly changed: Kleene[];
  /** Ground time of the last sample with a value; NaN before the first. */
  readonly knownAt: Float64Array;
  readonly windows: readonly Window[];
  readonly holds: readonly Hold[];
  readonly nameNumbers: readonly number[];
  readonly nameTexts: readonly (string | null)[];
  readonly #parts: HistoryParts;
  readonly #lastAt: Float64Array;
  readonly #fed: Uint8Array;
  readonly #previousNumbers: Float64Array;
  readonly #previousTexts: (string | null)[];

  constructor(parts: HistoryParts) {
    const slots = parts.texts.length;
    this.#parts = parts;
    this.numbers = new Float64Array(slots).fill(Number.NaN);
    this.texts = new Array<string | null>(slots).fill(null);
    this.changed = new Array<Kleene>(slots).fill(UNKNOWN);
    this.knownAt = new Float64Array(slots).fill(Number.NaN);
    this.windows = parts.windows;
    this.holds = parts.holds;
    this.nameNumbers = parts.nameNumbers;
    this.nameTexts = parts.nameTexts;
    this.#lastAt = new Float64Array(slots).fill(Number.NEGATIVE_INFINITY);
    this.#fed = new Uint8Array(slots);
    this.#previousNumbers = new Float64Array(slots).fill(Number.NaN);
    this.#previousTexts = new Array<string | null>(slots).fill(null);
  }

  /** Ground time of the oldest of the last samples; NaN while one measure has none. */
  get oldestAt(): number {
    let oldest = Number.POSITIVE_INFINITY;
    for (const at of this.knownAt) oldest = Math.min(oldest, at);
    return oldest;
  }

  take(slot: number, value: number | string | null, at: number): void {
    if (this.#parts.texts[slot]) this.#takeText(slot, value, at);
    else this.#takeNumber(slot, numberOf(value), at);
  }

  prime(slot: number, value: number | string | null, at: number): void {
    if (value === null || this.#fed[slot] === 1 || at < this.#lastAt[slot]!) return;
    this.#lastAt[slot] = at;
    if (this.#parts.texts[slot]) this.#previousTexts[slot] = String(value);
    else this.#previousNumbers[slot] = numberOf(value);
    for (const window of this.#parts.windowsOf[slot]!) window.begin(numberOf(value), at);
  }

  #takeNumber(slot: number, value: number, at: number): void {
    const known = !Number.isNaN(value);
    if (known) for (const window of this.#parts.windowsOf[slot]!) window.insert(value, at);
    if (at < this.#lastAt[slot]!) return;
    this.#lastAt[slot] = at;
    this.#fed[slot] = 1;
    this.numbers[slot] = value;
    if (!known) {
      this.changed[slot] = UNKNOWN;
      return;
    }
    const previous = this.#previousNumbers[slot]!;
    this.changed[slot] = !Number.isNaN(previous) && previous !== value ? TRUE : FALSE;
    this.#previousNumbers[slot] = value;
    this.knownAt[slot] = at;
  }

  #takeText(slot: number, value: number | string | null, at: number): void {
    const text = value === null ? null : String(value);
    if (text !== null) for (const window of this.#parts.windowsOf[slot]!) window.insert(0, at);
    if (at < this.#lastAt[slot]!) return;
    this.#lastAt[slot] = at;
    this.#fed[slot] = 1;
    this.texts[slot] = text;
    if (text === null) {
      this.changed[slot] = UNKNOWN;
      return;
    }
    const previous = this.#previousTexts[slot]!;
    this.changed[slot] = previous !== null && previous !== text ? TRUE : FALSE;
    this.#previousTexts[slot] = text;
    this.knownAt[slot] = at;
  }
}

/** An infinite or unreadable number is unknown; whole numbers too large for a double come as text. */
function numberOf(value: number | string | null): number {
  if (value === null) return Number.NaN;
  const number = typeof value === 'number' ? value : Number(value);
  return Number.isFinite(number) ? number : Number.NaN;
}
