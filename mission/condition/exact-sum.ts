/**
 * A running sum in two doubles, so that adding and removing the values of a window leaves no trace of what was removed.
 * It knows whether it is still exact: as long as the values span less than some 2^36 in magnitude it always is.
 *
 * Z1. While `exact`, high + low is the sum of what was added less what was subtracted, with no error at all.
 * Z2. Where it cannot be, `take` sums again: rounded once, the same in whatever order the values come, so that two sums
 *     of the same values never differ, be they exact or not.
 */

/** Splits a double into two halves whose products are exact (Veltkamp). */
const SPLITTER = 2 ** 27 + 1;

export class ExactSum {
  #high = 0;
  #low = 0;
  exact = true;

  add(value: number): void {
    const sum = this.#high + value;
    const lost = errorOfSum(this.#high, value, sum);
    const low = this.#low + lost;
    if (errorOfSum(this.#low, lost, low) !== 0) this.exact = false;
    this.#high = sum + low;
    this.#low = errorOfSum(sum, low, this.#high);
  }

  subtract(value: number): void {
    this.add(-value);
  }

  /** The sum of these values and nothing else (Z2). */
  take(values: Float64Array): void {
    const parts = partsOf(values);
    this.#high = rounded(parts);
    if (!Number.isFinite(this.#high)) return this.#overflow(values);
    this.#low = rounded(partsOf([-this.#high], parts));
    this.exact = rounded(partsOf([-this.#high, -this.#low], parts)) === 0;
  }

  /** Beyond the largest double there is no error to keep. */
  #overflow(values: Float64Array): void {
    this.#high = values.reduce((sum, value) => sum + value, 0);
    this.#low = 0;
    this.exact = false;
  }

  /** The sum divided by a count, rounded once: the mean of equal values is that value. */
  dividedBy(count: number): number {
    const quotient = this.#high / count;
    if (!Number.isFinite(quotient)) return quotient;
    const product = quotient * count;
    const rest = this.#high - product - errorOfProduct(quotient, count, product) + this.#low;
    return Number.isFinite(rest) ? quotient + rest / count : quotient;
  }
}

/**
 * The sum of the values and of what is given as parts, as doubles that do not overlap, the smallest first (Shewchuk).
 */
function partsOf(values: Float64Array | readonly number[], from: readonly number[] = []): number[] {
  const parts = [...from];
  for (const value of values) {
    let carried = value;
    let kept = 0;
    for (const part of parts) {
      const sum = carried + part;
      const lost = errorOfSum(carried, part, sum);
      if (lost !== 0) parts[kept++] = lost;
      carried = sum;
    }
    parts.length = kept;
    parts.push(carried);
  }
  return parts;
}

/** The sum of the parts, rounded once, to even where it lies in the middle. */
function rounded(parts: readonly number[]): number {
  let sum = 0;
  let lost = 0;
  let left = parts.length;
  while (left > 0 && lost === 0) {
    left -= 1;
    const part = parts[left]!;
    const next = sum + part;
    lost = errorOfSum(sum, part, next);
    sum = next;
  }
  // What is left may lead out of the middle between two doubles.
  const rest = left > 0 ? parts[left - 1]! : 0;
  if (lost !== 0 && rest !== 0 && Math.sign(lost) === Math.sign(rest)) {
    const further = sum + 2 * lost;
    if (further - sum === 2 * lost) return further;
  }
  return sum;
}

/** What `sum`, the rounded a + b, lacks (Knuth). */
function errorOfSum(a: number, b: number, sum: number): number {
  const part = sum - a;
  return a - (sum - part) + (b - part);
}

/** What `product`, the rounded a * b, lacks (Dekker). */
function errorOfProduct(a: number, b: number, product: number): number {
  const [aHigh, aLow] = halves(a);
  const [bHigh, bLow] = halves(b);
  return aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow);
}

function halves(value: number): [high: number, low: number] {
  const scaled = SPLITTER * value;
  const high = scaled - (scaled - value);
  return [high, value - high];
}
