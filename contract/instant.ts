/**
 * Times of requests and documents, RFC 3339. Mission Control Service, conventions.
 *
 * I1. A day that its month does not have is no time, although `Date` reads some.
 */

const FORM =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** ms since 1970; undefined for what is no time of RFC 3339. */
export function readInstant(text: string): number | undefined {
  const [, year, month, day, hour, minute, second] = FORM.exec(text)?.map(Number) ?? [];
  if (year === undefined || year === 0) return undefined;
  const isDay = month! >= 1 && month! <= 12 && day! >= 1 && day! <= daysOf(year, month!);
  if (!isDay || hour! > 23 || minute! > 59 || second! > 59) return undefined;
  const ms = Date.parse(text.toUpperCase());
  return Number.isNaN(ms) ? undefined : ms;
}

function daysOf(year: number, month: number): number {
  return new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
}
