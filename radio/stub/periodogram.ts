/** The spectrum of samples: the mean of so many of their windowed transforms. */

import { toDecibels } from '../modulation.ts';

/** Below what any converter resolves: the level of a bin without power. */
const NOTHING = 1e-20;

/**
 * Power of each bin in dB below full scale around the centre, of samples with I and Q in turn; `bins` is a power of
 * two.
 */
export function periodogram(samples: Float32Array, bins: number): Float32Array {
  const sums = new Float64Array(bins);
  const runs = Math.floor(samples.length / 2 / bins);
  const window = Float64Array.from({ length: bins }, (_, at) => 1 - Math.cos((2 * Math.PI * at) / bins));
  for (let run = 0; run < runs; run += 1) {
    const i = new Float64Array(bins);
    const q = new Float64Array(bins);
    for (let at = 0; at < bins; at += 1) {
      i[at] = samples[2 * (run * bins + at)]! * window[at]!;
      q[at] = samples[2 * (run * bins + at) + 1]! * window[at]!;
    }
    transform(i, q);
    for (let bin = 0; bin < bins; bin += 1) sums[bin]! += i[bin]! ** 2 + q[bin]! ** 2;
  }
  // The power of the window is 3/2 of a flat one of its height.
  const whole = runs * bins ** 2 * 1.5;
  return Float32Array.from({ length: bins }, (_, bin) =>
    toDecibels(sums[(bin + bins / 2) % bins]! / whole + NOTHING),
  );
}

/** Fourier transform in place. */
function transform(i: Float64Array, q: Float64Array): void {
  const { length } = i;
  for (let at = 1, mirrored = 0; at < length; at += 1) {
    let bit = length >> 1;
    for (; (mirrored & bit) !== 0; bit >>= 1) mirrored ^= bit;
    mirrored ^= bit;
    if (at >= mirrored) continue;
    [i[at], i[mirrored]] = [i[mirrored]!, i[at]!];
    [q[at], q[mirrored]] = [q[mirrored]!, q[at]!];
  }
  for (let half = 1; half < length; half *= 2) butterflies(i, q, half);
}

function butterflies(i: Float64Array, q: Float64Array, half: number): void {
  for (let place = 0; place < half; place += 1) {
    const turnI = Math.cos((Math.PI * place) / half);
    const turnQ = -Math.sin((Math.PI * place) / half);
    for (let at = place; at < i.length; at += 2 * half) {
      const other = at + half;
      const turnedI = i[other]! * turnI - q[other]! * turnQ;
      const turnedQ = i[other]! * turnQ + q[other]! * turnI;
      i[other] = i[at]! - turnedI;
      q[other] = q[at]! - turnedQ;
      i[at] = i[at]! + turnedI;
      q[at] = q[at]! + turnedQ;
    }
  }
}
