/**
 * Exact ratios of whole numbers, so that 10 min are 600 s and 4.35 m are 435 cm, not 434.99999999999994: a decimal is
 * scaled as the decimal it was written as and rounded once, to the nearest double.
 *
 * S1. Nothing is rounded before `toNumber`.
 */

export interface Ratio {
  readonly numerator: bigint;
  /** Positive. */
  readonly denominator: bigint;
}

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;
/** Significant digits kept of a quotient too large for doubles: 17 decide a double, the rest settles its rounding. */
const QUOTIENT_DIGITS = 40;

/**
 * The decimal as a ratio; undefined for text that is no decimal number or has an exponent of more than three digits.
 */
export function ratioOfText(text: string): Ratio | undefined {
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = BigInt(`${sign}${whole}${fraction}`);
  return shifted(digits, Number(exponent) - fraction.length);
}

/** The finite number as the shortest decimal that means it. */
export function ratioOf(value: number): Ratio {
  const ratio = ratioOfText(String(value));
  if (ratio === undefined) throw new RangeError(`${value} is not a finite number`);
  return ratio;
}

export function plus(a: Ratio, b: Ratio): Ratio {
  return {
    numerator: a.numerator * b.denominator + b.numerator * a.denominator,
    denominator: a.denominator * b.denominator,
  };
}

export function minus(a: Ratio, b: Ratio): Ratio {
  return plus(a, { numerator: -b.numerator, denominator: b.denominator });
}

export function times(a: Ratio, b: Ratio): Ratio {
  return { numerator: a.numerator * b.numerator, denominator: a.denominator * b.denominator };
}

/** `a / b`; `b` is positive, as every scale is. */
export function over(a: Ratio, b: Ratio): Ratio {
  return { numerator: a.numerator * b.denominator, denominator: a.denominator * b.numerator };
}

/** The nearest double; infinite when no double is that large. */
export function toNumber({ numerator, denominator }: Ratio): number {
  const largest = BigInt(Number.MAX_SAFE_INTEGER);
  const magnitude = numerator < 0n ? -numerator : numerator;
  if (magnitude <= largest && denominator <= largest) return Number(numerator) / Number(denominator);
  const shift = QUOTIENT_DIGITS - (String(magnitude).length - String(denominator).length);
  const scaled = shift >= 0 ? magnitude * 10n ** BigInt(shift) : magnitude;
  const divisor = shift >= 0 ? denominator : denominator * 10n ** BigInt(-shift);
  // A digit that is no tie stands for all that was cut off, so that the one rounding is the right one.
  const rest = scaled % divisor === 0n ? '0' : '1';
  const value = Number(`${scaled / divisor}${rest}e${-shift - 1}`);
  return numerator < 0n ? -value : value;
}

function shifted(digits: bigint, exponent: number): Ratio {
  return exponent >= 0
    ? { numerator: digits * 10n ** BigInt(exponent), denominator: 1n }
    : { numerator: digits, denominator: 10n ** BigInt(-exponent) };
}
