/**
 * A value, and where it stands in its limits, in words. Pure.
 *
 * V1. A text is read as it was sent: characters in it that nobody sees, or that change the direction of what stands
 *     behind them (12.5 would be read as 5.21), are written as their numbers.
 */

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
/** What joins letters of a word in some scripts stays, and so does what a page shows as a space. */
const UNSEEN = /(?![\t\n\r])[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** A value as it is shown (shown-value.W1, W2), long texts cut (V1). */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'unknown';
  const text = shownValue(value).replace(UNSEEN, numberOf);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}

/** `\u202e` */
function numberOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
