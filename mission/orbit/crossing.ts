/**
 * When a satellite next crosses the mask of a station. Not by looking every so many seconds: from the margin, its rate
 * and the largest acceleration that the orbit allows follows how long the satellite cannot cross, and so much is
 * skipped.
 *
 * C1. No crossing is skipped but that of a satellite which comes back within one `leastStep`: it passes the mask by
 *     metres for a second (low orbits) or some ten (geostationary ones).
 * C2. Near a crossing the steps shrink as those of Newton's method do, and `leastStep` bounds their number however long
 *     the satellite stays near the mask: whoever chooses orbit and mask does not choose the cost.
 * C3. A crossing is known to `TOLERANCE_MS`.
 */

import { EARTH_RATE_RAD_S, type SatelliteState } from './ephemeris.ts';
import type { Sight, Track } from './horizon.ts';

export interface Crossing {
  readonly timeMs: number;
  /** The sights on both sides of it, within the tolerance. */
  readonly up: Sight;
  readonly down: Sight;
}

/** A hundredth of a millisecond: times are given in milliseconds. */
const TOLERANCE_MS = 0.01;
/** Of the earth, in km³/s². */
const GRAVITATION = 398_600.5;
/** SGP4's velocity is not quite the derivative of its position: 2e-5 km/s in low orbits, 1.2e-3 in deep space. */
const RATE_SLACK_KM_S = 0.005;
/** Bounds are widened by so much: flattening of the earth, sun and moon, periodic terms. */
const WIDENED = 1.05;
/** Share of the time in which the satellite would move by its distance from the earth's centre. */
const LEAST_STEP_SHARE = 1e-3;
const S_MS = 1_000;

/** The next crossing from `from` towards `untilMs`, which may lie before it; undefined where there is none. */
export function nextCrossing(
  track: Track,
  from: Sight,
  untilMs: number,
  visit: (sight: Sight) => void = () => {},
): Crossing | undefined {
  const direction = untilMs >= from.timeMs ? 1 : -1;
  let sight = from;
  while ((untilMs - sight.timeMs) * direction > 0) {
    const stepMs = Math.max(safeStepS(track, sight, direction), leastStepS(sight.state)) * S_MS;
    const left = (untilMs - sight.timeMs) * direction;
    const next = track.at(stepMs < left ? sight.timeMs + direction * stepMs : untilMs);
    if (isUp(next) !== isUp(from)) return between(track, sight, next);
    visit(next);
    sight = next;
  }
  return undefined;
}

export function isUp({ marginKm }: Sight): boolean {
  return marginKm >= 0;
}

/** How long the satellite cannot cross: until the margin would be used up at its rate and the largest acceleration. */
function safeStepS({ maskSine }: Track, sight: Sight, direction: 1 | -1): number {
  const { marginKm, marginRateKmS, rangeKm, state } = sight;
  const towards = isUp(sight) ? -1 : 1;
  const closing = towards * direction * marginRateKmS + RATE_SLACK_KM_S;
  const speed = fastest(state);
  const pull = WIDENED * (1 + maskSine) * acceleration(state, speed);
  if (!isUp(sight)) return reached(Math.abs(marginKm), closing, pull);
  // While it is up, moving across the line of sight also raises the part of the range that the mask takes.
  const nearerKm = rangeKm / 2;
  const across = (maskSine * speed * speed) / nearerKm;
  return Math.min(reached(marginKm, closing, pull + across), nearerKm / speed);
}

/** First time at which `distance` is covered, beginning with `rate` and with `acceleration` on top. */
function reached(distance: number, rate: number, acceleration: number): number {
  const root = Math.sqrt(rate * rate + 2 * acceleration * distance);
  return rate > 0 ? (2 * distance) / (rate + root) : (root - rate) / acceleration;
}

/** Largest speed in the frame of the earth: that at the perigee, and what the earth turns at the apogee. */
function fastest({ perigeeKm, apogeeKm }: SatelliteState): number {
  const axisKm = (perigeeKm + apogeeKm) / 2;
  const inertial = Math.sqrt(GRAVITATION * (2 / perigeeKm - 1 / axisKm));
  return WIDENED * (inertial + EARTH_RATE_RAD_S * apogeeKm);
}

/** Largest acceleration in that frame: gravity at the perigee, and what turning with the earth adds. */
function acceleration({ perigeeKm, apogeeKm }: SatelliteState, speed: number): number {
  const gravity = GRAVITATION / perigeeKm ** 2;
  return gravity + 2 * EARTH_RATE_RAD_S * speed + EARTH_RATE_RAD_S ** 2 * apogeeKm;
}

/** A second in low orbits, a quarter of a minute in the geostationary one (C1, C2). */
function leastStepS({ positionKm: [x, y, z], perigeeKm, apogeeKm }: SatelliteState): number {
  const radiusKm = Math.sqrt(x * x + y * y + z * z);
  const axisKm = (perigeeKm + apogeeKm) / 2;
  const speed = Math.sqrt(GRAVITATION * Math.max(2 / radiusKm - 1 / axisKm, 1 / (4 * axisKm)));
  return (LEAST_STEP_SHARE * radiusKm) / speed;
}

/** The crossing between two sights of which one is up: by the chord, and by halves where that would creep. */
function between(track: Track, before: Sight, after: Sight): Crossing {
  let [near, far] = [before, after];
  for (let halve = false; Math.abs(far.timeMs - near.timeMs) > TOLERANCE_MS; ) {
    const width = far.timeMs - near.timeMs;
    const middle = track.at(near.timeMs + width * (halve ? 0.5 : chordShare(near, far, width)));
    if (isUp(middle) === isUp(near)) near = middle;
    else far = middle;
    halve = Math.abs(far.timeMs - near.timeMs) > Math.abs(width) / 2;
  }
  const [up, down] = isUp(near) ? [near, far] : [far, near];
  return { timeMs: (near.timeMs + far.timeMs) / 2, up, down };
}

/** Where the chord crosses, moved over by some of the tolerance, so that both sides close in on the crossing. */
function chordShare({ marginKm: near }: Sight, { marginKm: far }: Sight, width: number): number {
  const share = near / (near - far);
  const over = TOLERANCE_MS / 3 / Math.abs(width);
  return Math.min(1 - over, Math.max(over, share < 0.5 ? share + over : share - over));
}
