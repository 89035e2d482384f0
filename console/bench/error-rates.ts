/**
 * What the waterfall of a sweep shows: its points with their intervals over Eb/N0 (over what was varied where the board
 * reports none), and the theory of the modulation. Pure.
 *
 * W1. A point without errors is drawn at the upper end of its interval and marked as a bound: no measurement shows a
 *     rate of 0.
 */

import type { Modulation } from '../../contract/bench/profile.ts';
import type { SweepPoint } from '../../contract/bench/run.ts';
import { bitErrorRate } from '../../radio/modulation.ts';
import { decadesAround } from './log-axis.ts';

export interface RatePoint {
  readonly x: number;
  readonly rate: number;
  readonly low: number;
  readonly high: number;
  /** At most this rate: no error was seen (W1). */
  readonly isBound: boolean;
  readonly point: SweepPoint;
}

export interface RatePicture {
  readonly over: 'ebn0' | 'varied';
  readonly points: readonly RatePoint[];
  /** Both empty where no curve can be drawn. */
  readonly theory: readonly (readonly [x: number, rate: number])[];
  /** Ends of the axis of rates. */
  readonly decades: readonly [number, number];
}

/** Rates below this were not measured by anybody in a night. */
const LEAST_RATE = 1e-9;
const CURVE_STEP_DB = 0.25;

/** `modulation`: of the profile that was swept; without it the theory is drawn from the points. */
export function ratePicture(points: readonly SweepPoint[], modulation: Modulation | undefined): RatePicture {
  const over = points.length > 0 && points.every(({ ebn0_db }) => ebn0_db !== undefined) ? 'ebn0' : 'varied';
  const shown = points.map((point) => ratePoint(point, over)).sort((one, other) => one.x - other.x);
  const highest = shown.flatMap(({ rate, high }) => [rate, high]);
  const lowest = shown.map(({ rate, low, isBound }) => (isBound ? rate / 10 : Math.max(low, rate / 10)));
  // Below a bound there is room for its arrow.
  const decades = decadesAround([...highest, ...lowest]);
  return { over, points: shown, theory: theoryFor(shown, over, modulation, decades[0]), decades };
}

function ratePoint(point: SweepPoint, over: RatePicture['over']): RatePoint {
  const x = over === 'ebn0' ? point.ebn0_db! : point.x;
  const { ber, ber_low, ber_high } = point;
  const isBound = ber <= 0;
  const high = Math.max(LEAST_RATE, ber_high);
  const low = Math.max(LEAST_RATE, Math.min(ber_low, ber_high));
  return { x, rate: isBound ? high : ber, low, high, isBound, point };
}

function theoryFor(
  points: readonly RatePoint[],
  over: RatePicture['over'],
  modulation: Modulation | undefined,
  lowest: number,
): RatePicture['theory'] {
  const shown = ([, rate]: readonly [number, number]): boolean => rate >= lowest / 10;
  if (over === 'varied' || modulation === undefined) {
    return points
      .flatMap(({ x, point }) => (point.theory === undefined ? [] : [[x, point.theory] as const]))
      .filter(shown);
  }
  const from = points[0]?.x ?? 0;
  const steps = Math.ceil(((points.at(-1)?.x ?? 0) - from) / CURVE_STEP_DB);
  return Array.from({ length: steps + 1 }, (_, n) => {
    const x = from + n * CURVE_STEP_DB;
    return [x, bitErrorRate(modulation, x)] as const;
  }).filter(shown);
}
