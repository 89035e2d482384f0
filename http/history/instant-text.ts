/**
 * Times of samples as text, RFC 3339. Samples of the same second follow each other, and dates are dear: what is before
 * the seconds is remembered.
 *
 * I1. Times between two milliseconds have microseconds, cut and not rounded: a text never names a later time.
 */

const MINUTE_MS = 60_000;
const DIGITS = Array.from({ length: 1_000 }, (_, n) => String(n).padStart(3, '0'));

export class InstantText {
  #minute = Number.NaN;
  /** `2026-01-02T03:04:` */
  #prefix = '';

  of(ms: number): string {
    const minute = Math.floor(ms / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#prefix = new Date(minute * MINUTE_MS).toISOString().slice(0, -7);
    }
    const within = ms - minute * MINUTE_MS;
    const whole = Math.floor(within);
    const second = Math.floor(whole / 1_000);
    const text = `${this.#prefix}${second < 10 ? '0' : ''}${second}.${DIGITS[whole - second * 1_000]}`;
    if (whole === within) return `${text}Z`;
    return `${text}${DIGITS[Math.floor((within - whole) * 1_000)]}Z`;
  }
}
