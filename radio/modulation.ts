/**
 * Modulations and codings: bits of a symbol, code rates, and bit error rates over Eb/N0 (per useful bit), for the model
 * of the modem and for the theory beside a measured waterfall.
 *
 * Simplified: symbols are Gray-mapped and detected ideally; the convolutional code (K = 7, rate 1/2, soft decisions) is
 * its union bound; errors are taken as independent, so interleaving changes nothing. OQPSK errs like QPSK.
 */

import type { Modulation, Profile } from '../contract/bench/profile.ts';

export type Coding = NonNullable<Profile['fec']>;

/** Reed-Solomon (255,223) over bytes: it corrects 16 of a codeword. */
export const REED_SOLOMON = { codeword: 255, useful: 223, correctable: 16 } as const;

const BITS: Readonly<Record<Modulation, number>> = { bpsk: 1, dbpsk: 1, qpsk: 2, oqpsk: 2, '8psk': 3 };
/** Distance of paths of the K = 7 code, and how many bits they cost together. */
const PATHS = [
  [10, 36],
  [12, 211],
  [14, 1404],
  [16, 11_633],
] as const;

export function bitsPerSymbol(modulation: Modulation): number {
  return BITS[modulation];
}

/** Useful bits over bits on the air. */
export function codeRate({ inner, outer }: Coding): number {
  const convolutional = inner === 'conv-1/2' ? 0.5 : 1;
  return outer === 'rs-255-223'
    ? (convolutional * REED_SOLOMON.useful) / REED_SOLOMON.codeword
    : convolutional;
}

/** Bit error rate without coding. */
export function bitErrorRate(modulation: Modulation, ebN0Db: number): number {
  const ebN0 = fromDecibels(ebN0Db);
  switch (modulation) {
    case 'dbpsk':
      return 0.5 * Math.exp(-ebN0);
    case '8psk':
      return (2 / 3) * tail(Math.sqrt(6 * ebN0) * Math.sin(Math.PI / 8));
    default:
      return tail(Math.sqrt(2 * ebN0));
  }
}

/** Bit error rate behind the inner decoder and before the outer one: what Reed-Solomon is given. */
export function innerErrorRate(modulation: Modulation, coding: Coding, ebN0Db: number): number {
  const codedDb = ebN0Db + toDecibels(codeRate(coding));
  const uncoded = bitErrorRate(modulation, codedDb);
  if (coding.inner !== 'conv-1/2') return uncoded;
  return Math.min(0.5, unionBound(codedDistance(modulation, fromDecibels(codedDb))));
}

/** Bit error rate of useful bits behind all decoders. */
export function decodedErrorRate(modulation: Modulation, coding: Coding, ebN0Db: number): number {
  const inner = innerErrorRate(modulation, coding, ebN0Db);
  return coding.outer === 'rs-255-223' ? outerErrorRate(inner) : inner;
}

/** Bit error rate behind Reed-Solomon: codewords with more wrong bytes than it corrects stay as they are. */
export function outerErrorRate(inner: number): number {
  const byteErrors = 1 - (1 - inner) ** 8;
  if (byteErrors === 0) return 0;
  const { codeword, correctable } = REED_SOLOMON;
  let wrongBytes = 0;
  for (let wrong = correctable + 1; wrong <= codeword; wrong += 1) {
    wrongBytes += (wrong / codeword) * binomial(codeword, wrong, byteErrors);
  }
  return wrongBytes * (inner / byteErrors);
}

/** Byte ratio that a measurement shows at this bit error rate. */
export function byteRatio(errorRate: number): number {
  return (1 - errorRate) ** 8;
}

/** The bit error rate that follows from a byte ratio. */
export function estimatedErrorRate(ratio: number): number {
  return 1 - ratio ** (1 / 8);
}

/** Complementary error function, to 12 digits or better for arguments from 0 to 25. */
export function erfc(x: number): number {
  if (x < 0) return 2 - erfc(-x);
  return x < 2.5 ? 1 - erfSeries(x) : erfcFraction(x);
}

export function toDecibels(ratio: number): number {
  return 10 * Math.log10(ratio);
}

export function fromDecibels(decibels: number): number {
  return 10 ** (decibels / 10);
}

/** Probability that a normal variable exceeds `x`. */
function tail(x: number): number {
  return 0.5 * erfc(x / Math.SQRT2);
}

/**
 * Energy over noise that one coded bit adds to the distance between paths. Differential detection with soft decisions
 * at the low levels where codes work loses half of it.
 */
function codedDistance(modulation: Modulation, ecN0: number): number {
  if (modulation === 'dbpsk') return ecN0 / 2;
  return modulation === '8psk' ? 3 * Math.sin(Math.PI / 8) ** 2 * ecN0 : ecN0;
}

function unionBound(ofOneBit: number): number {
  return PATHS.reduce((sum, [bits, weight]) => sum + weight * tail(Math.sqrt(2 * bits * ofOneBit)), 0);
}

function erfSeries(x: number): number {
  let term = x;
  let sum = x;
  for (let n = 1; term > 1e-17 * sum; n += 1) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}

/** Continued fraction, from its end: 60 terms hold 15 digits from 2.5 on. */
function erfcFraction(x: number): number {
  let below = x;
  for (let n = 60; n > 0; n -= 1) below = x + n / 2 / below;
  return Math.exp(-x * x) / (below * Math.sqrt(Math.PI));
}

function binomial(trials: number, hits: number, chance: number): number {
  if (chance >= 1) return hits === trials ? 1 : 0;
  const logarithm = logChoose(trials, hits) + hits * Math.log(chance) + (trials - hits) * Math.log1p(-chance);
  return Math.exp(logarithm);
}

function logChoose(trials: number, hits: number): number {
  let sum = 0;
  for (let i = 1; i <= hits; i += 1) sum += Math.log((trials - hits + i) / i);
  return sum;
}
