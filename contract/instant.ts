/**
 * Times of requests, documents and samples, RFC 3339. Mission Control Service, conventions.
 *
 * I1. A day that its month does not have is no time, although `Date` reads some.
 * I2. `Date` also writes what is no time here, with a sign and six digits of the year, and throws for what it cannot
 *     write: a moment that was calculated is checked before it is stored.
 * I3. A time is taken in any zone, kept and given out in UTC. One that is written in UTC is kept to the letter: who
 *     wrote it finds it again.
 */

/** Years 1 to 9999: what RFC 3339 can say. A time outside is not a time but a broken clock. */
export const FIRST_MS = Date.parse('0001-01-01T00:00:00Z');
export const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

const FORM =
  /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;
/** As UTC is written here: no offset, no small letters. */
const IN_UTC = /^[^a-z]*Z$/;
/** Every month has this day. */
const SAFE_DAY = 28;

/** Whether a moment can be determined of: `FIRST_MS` to `LAST_MS`. */
export function isInstant(ms: number): boolean {
  return ms >= FIRST_MS && ms <= LAST_MS;
}

/** RFC 3339; of a moment outside of what that can say the nearest one inside, for messages (I2). */
export function nearestInstant(ms: number): string {
  return new Date(Math.min(Math.max(ms, FIRST_MS), LAST_MS)).toISOString();
}

/** ms since 1970; undefined for what is no time of RFC 3339. */
export function readInstant(text: string): number | undefined {
  if (!FORM.test(text)) return undefined;
  const day = Number(text.slice(8, 10));
  if (day > SAFE_DAY && day > daysOf(Number(text.slice(0, 4)), Number(text.slice(5, 7)))) return undefined;
  return Date.parse(text.toUpperCase());
}

/** The same time in UTC (I3); text that is no time as it is. */
export function utcText(text: string): string {
  const ms = IN_UTC.test(text) ? undefined : readInstant(text);
  return ms === undefined ? text : new Date(ms).toISOString();
}

function daysOf(year: number, month: number): number {
  return new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
}
