/**
 * A running sum in two doubles, so that adding and removing the values of a window leaves no trace of what was removed.
 * It knows whether it is still exact: as long as the values span less than some 2^36 in magnitude it always is.
 *
 * Z1. While `exact`, high + low is the sum of what was added less what was subtracted, with no error at all.
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

  clear(): void {
    this.#high = 0;
    this.#low = 0;
    this.exact = true;
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
