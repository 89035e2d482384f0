/**
 * A value as people read it. Mission Control Service, section 2.2.
 *
 * W1. A whole number is written with all its digits, also past 2^53 (exact-json.X1).
 * W2. A fraction has seven digits, which is all a single-precision value has, and at least three behind the point: a
 *     clock in seconds does not stand still for minutes.
 */

const [SHOWN_DIGITS, BEHIND_POINT, MOST_DIGITS] = [7, 3, 17];
/** Of 64 bits, signed or not. */
const WIDE = /^-?\d{16,20}$/;

/** W1, W2 */
export function shownNumber(value: number): string {
  if (Number.isInteger(value) || !Number.isFinite(value)) return `${value}`;
  const before = Math.floor(Math.log10(Math.abs(value))) + 1;
  const digits = Math.min(MOST_DIGITS, Math.max(SHOWN_DIGITS, before + BEHIND_POINT));
  return `${Number(value.toPrecision(digits))}`;
}

/** Of any kind: a boolean and a text as they are. */
export function shownValue(value: unknown): string {
  return typeof value === 'number' ? shownNumber(value) : String(value);
}

/** What a value is compared and drawn as: a number, rounded where it is past 2^53; undefined for every other value. */
export function numberIn(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || !WIDE.test(value)) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? undefined : number;
}
