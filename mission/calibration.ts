/**
 * Calibrations: raw value to value in the unit of the measure. Mission Control Service, section 2.1 (DecodedSample:
 * null where the calibration does not cover the raw value).
 *
 * A1. Outside `covers`, and outside the points of a table, the value is NaN: nothing is extrapolated.
 */

import { assert } from '../contract/assert.ts';
import type { CalibrationConfiguration } from './configuration.ts';

/** The calibration as a function. */
export function createCalibration(configuration: CalibrationConfiguration): (raw: number) => number {
  const { polynomial, points, covers } = configuration;
  const curve =
    polynomial !== undefined ? polynomialOf(polynomial) : points !== undefined ? tableOf(points) : undefined;
  assert(curve !== undefined, 'A1');
  if (covers === undefined) return curve;
  const [least, most] = covers;
  return (raw) => (raw >= least && raw <= most ? curve(raw) : Number.NaN);
}

/** By how much the value moves with one count of a whole raw value; undefined where the value does not report. */
export function createStep({
  polynomial,
  points = [],
}: CalibrationConfiguration): ((value: number) => number) | undefined {
  if (polynomial !== undefined) return polynomial.length === 2 ? () => Math.abs(polynomial[1]!) : undefined;
  const pieces = points.slice(1).map(([raw, value], index) => {
    const [fromRaw, from] = points[index]!;
    const step = Math.abs((value - from) / (raw - fromRaw));
    return { least: Math.min(from, value), most: Math.max(from, value), step };
  });
  // Where a curve turns several pieces hold the value: the finest says what can be distinguished.
  return (value) => {
    const steps = pieces.filter(({ least, most }) => value >= least && value <= most).map(({ step }) => step);
    return steps.length === 0 ? 0 : Math.min(...steps);
  };
}

function polynomialOf(coefficients: readonly number[]): (raw: number) => number {
  const [a = 0, b = 0] = coefficients;
  if (coefficients.length <= 2) return (raw) => a + b * raw;
  const falling = coefficients.toReversed();
  return (raw) => falling.reduce((value, coefficient) => value * raw + coefficient, 0);
}

/** Straight lines between the points. */
function tableOf(points: readonly (readonly [number, number])[]): (raw: number) => number {
  const raws = Float64Array.from(points, ([raw]) => raw);
  const values = Float64Array.from(points, ([, value]) => value);
  const last = raws.length - 1;
  return (raw) => {
    if (!(raw >= (raws[0] as number) && raw <= (raws[last] as number))) return Number.NaN;
    let [low, high] = [0, last];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((raws[middle] as number) <= raw) low = middle;
      else high = middle;
    }
    const [fromRaw, toRaw] = [raws[low] as number, raws[high] as number];
    const [from, to] = [values[low] as number, values[high] as number];
    return from + ((raw - fromRaw) / (toRaw - fromRaw)) * (to - from);
  };
}
