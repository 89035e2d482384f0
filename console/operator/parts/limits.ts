/** Where a value stands in its limits, in words. Pure. */

import { numberIn, shownValue } from '../../../contract/shown-value.ts';
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
  const number = numberIn(value);
  if (number === undefined || limits === undefined) return NORMAL;
  const hard = crossing(number, limits.hard, 'hard', limits.unit);
  if (hard !== undefined) return { level: 'critical', crossed: hard };
  const soft = crossing(number, limits.soft, 'soft', limits.unit);
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

/** A value as it is shown (shown-value.W1, W2), long texts cut. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'unknown';
  const text = shownValue(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
