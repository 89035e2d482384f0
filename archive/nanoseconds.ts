/**
 * Times of samples, ms since 1970 as doubles, as whole nanoseconds in 64 bits and back: how Parquet holds times that
 * every tool shows as such.
 *
 * N1. A double of the years 2004 to 2039 comes back as it was: two of them are 244 ns apart. Times nearer to 1970 (a
 *     clock on board that was never set) are kept to the nanosecond.
 * N2. Years 1 to 9999 do not fit into nanoseconds. A column with a time outside of 1678 to 2261 is in microseconds.
 * N3. No integer of 64 bits is made on the way: each would be an object. Two words of 32 bits are computed instead.
 */

const MS = 1_000_000;
const WORD = 2 ** 32;
const HALF = 2 ** 16;
const FIRST_MS = Date.UTC(1678, 0, 1);
const LAST_MS = Date.UTC(2262, 0, 1);
const US = 1_000;

export type TimeUnit = 'NANOS' | 'MICROS';

/** The unit that holds all of them (N2). */
export function unitOf(times: Float64Array): TimeUnit {
  for (let n = 0; n < times.length; n += 1) {
    const time = times[n]!;
    if (!(time >= FIRST_MS && time < LAST_MS)) return 'MICROS';
  }
  return 'NANOS';
}

/** Whole units since 1970. */
export function toUnits(times: Float64Array, unit: TimeUnit): BigInt64Array {
  const units = new BigInt64Array(times.length);
  const words = new Int32Array(units.buffer);
  const perMs = unit === 'NANOS' ? MS : US;
  for (let n = 0; n < times.length; n += 1) {
    const time = times[n]!;
    const whole = Math.floor(time);
    const high = Math.floor(whole / HALF);
    const low = whole - high * HALF;
    // whole * perMs + fraction, as high * perMs * 2^16 + rest: each part below 2^53.
    const scaled = high * perMs;
    const scaledHigh = Math.floor(scaled / HALF);
    const rest = (scaled - scaledHigh * HALF) * HALF + low * perMs + Math.round((time - whole) * perMs);
    const carry = Math.floor(rest / WORD);
    words[2 * n] = rest - carry * WORD;
    words[2 * n + 1] = scaledHigh + carry;
  }
  return units;
}

/** ms since 1970 (N1). */
export function fromUnits(units: BigInt64Array, unit: TimeUnit): Float64Array {
  const times = new Float64Array(units.length);
  const words = new Int32Array(units.buffer, units.byteOffset, units.length * 2);
  const perMs = unit === 'NANOS' ? MS : US;
  const msPerWord = Math.floor(WORD / perMs);
  const left = WORD - msPerWord * perMs;
  for (let n = 0; n < units.length; n += 1) {
    const high = words[2 * n + 1]!;
    times[n] = high * msPerWord + (high * left + (words[2 * n]! >>> 0)) / perMs;
  }
  return times;
}
