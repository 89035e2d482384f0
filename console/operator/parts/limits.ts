/** Where a value stands in its limits, in words. Pure. */

import type { CatalogueMeasure } from '../data/catalogue.ts';

type Interval = readonly [number | null, number | null];

export interface Standing {
  readonly level: 'normal' | 'warning' | 'critical';
  /** `below the soft minimum 6.8 V`; empty where it is within its limits. */
  readonly crossed: string;
}

const NORMAL: Standing = { level: 'normal', crossed: '' };

/** Hard limits first: they are the narrower news. A value that is not a number has none. */
export function standingOf(
  value: unknown,
  limits: Pick<CatalogueMeasure, 'soft' | 'hard' | 'unit'> | undefined,
): Standing {
  if (typeof value !== 'number' || limits === undefined) return NORMAL;
  const hard = crossing(value, limits.hard, 'hard', limits.unit);
  if (hard !== undefined) return { level: 'critical', crossed: hard };
  const soft = crossing(value, limits.soft, 'soft', limits.unit);
  return soft === undefined ? NORMAL : { level: 'warning', crossed: soft };
}

function crossing(
  value: number,
  interval: Interval | undefined,
  kind: string,
  unit: string | undefined,
): string | undefined {
  const [least, most] = interval ?? [null, null];
  if (least !== null && value < least) return `below the ${kind} minimum ${withUnit(least, unit)}`;
  if (most !== null && value > most) return `above the ${kind} maximum ${withUnit(most, unit)}`;
  return undefined;
}

/** `6.8 to 8.3 V`; one that is open at an end says so. */
export function intervalWords(interval: Interval | undefined, unit?: string | undefined): string {
  const [least, most] = interval ?? [null, null];
  if (least === null && most === null) return '';
  if (least === null) return `≤ ${withUnit(most!, unit)}`;
  return most === null ? `≥ ${withUnit(least, unit)}` : `${least} to ${withUnit(most, unit)}`;
}

export function withUnit(text: string | number, unit: string | undefined): string {
  return unit === undefined ? `${text}` : `${text} ${unit}`;
}

const SHOWN_CHARACTERS = 120;
const [SHOWN_DIGITS, MOST_DIGITS] = [7, 17];

/** A clock in seconds is not to stand still for minutes. */
function digitsOf(value: number): number {
  const before = Math.floor(Math.log10(Math.abs(value))) + 1;
  return Math.min(MOST_DIGITS, Math.max(SHOWN_DIGITS, before + 3));
}

/** A value as it is shown: fractions in seven digits and at least three behind the point, long texts cut. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'unknown';
  if (typeof value === 'number')
    return Number.isInteger(value) || !Number.isFinite(value)
      ? `${value}`
      : `${Number(value.toPrecision(digitsOf(value)))}`;
  const text = String(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
