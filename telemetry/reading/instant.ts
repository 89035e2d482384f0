/** Moments of samples. Mission Control Service, section 2.2. */

/** Years 1 to 9999: what RFC 3339 can say. A time outside is not a time but a broken clock. */
const FIRST_MS = Date.parse('0001-01-01T00:00:00Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** Whether a moment can be determined of: `FIRST_MS` to `LAST_MS`. */
export function isInstant(ms: number): boolean {
  return ms >= FIRST_MS && ms <= LAST_MS;
}

/** The `time` of a sample: the on-board time when it is known, else the ground time. */
export function timeOf(onboardMs: number, groundMs: number): number {
  return isInstant(onboardMs) ? onboardMs : groundMs;
}
