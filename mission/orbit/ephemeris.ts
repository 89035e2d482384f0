/**
 * Where a satellite is: SGP4 (Vallado et al., Revisiting Spacetrack Report #3, by satellite.js) turned from its
 * inertial frame into the one that turns with the earth. The only file that knows the library; of it the propagator in
 * JavaScript alone is used.
 *
 * P1. The frame is turned by the mean sidereal time of 1982, which belongs to SGP4's frame, at UT1. Without its
 *     difference from UTC (below 0.9 s by definition) the earth is turned wrongly by so much. Polar motion, ten metres
 *     at most, is left out.
 * P2. Where the model has no answer, `at` throws `NoOrbit`: it is caught where the passes of the satellite are
 *     gathered.
 */

import { checkForDecay, json2satrec, type SatRec, SatRecError, sgp4 } from 'satellite.js';
import type { OrbitalElements } from './elements.ts';

export type Vector = readonly [x: number, y: number, z: number];

/** Position and velocity in the frame of the earth, and the size of the orbit at that moment. */
export interface SatelliteState {
  readonly positionKm: Vector;
  readonly velocityKmS: Vector;
  readonly perigeeKm: number;
  readonly apogeeKm: number;
}

/** The model has no position for this time. */
export class NoOrbit extends Error {
  readonly atMs: number;

  constructor(reason: string, atMs: number) {
    super(reason);
    this.atMs = atMs;
  }
}

const REASONS: Readonly<Record<SatRecError, string>> = {
  [SatRecError.None]: 'the model gives no finite position',
  [SatRecError.MeanEccentricityOutOfRange]: 'the mean eccentricity leaves its range',
  [SatRecError.MeanMotionBelowZero]: 'the mean motion falls below zero',
  [SatRecError.PerturbedEccentricityOutOfRange]: 'the perturbed eccentricity leaves its range',
  [SatRecError.SemiLatusRectumBelowZero]: 'the semi-latus rectum falls below zero',
  [SatRecError.Decayed]: 'the satellite has decayed',
};

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Radius of the earth in SGP4 (WGS-72). */
const MODEL_RADIUS_KM = 6_378.135;
/** 2000-01-01T12:00:00 UTC. */
const J2000_MS = Date.UTC(2000, 0, 1, 12);
const CENTURY_DAYS = 36_525;
/** Seconds of sidereal time at J2000 and their change, by century (Aoki et al. 1982). */
const SIDEREAL_S = [67_310.54841, 876_600 * 3_600 + 8_640_184.812866, 0.093104, -6.2e-6] as const;
const DAY_S = 86_400;
/** What the earth turns in a second of UT1. */
export const EARTH_RATE_RAD_S = 7.292115855e-5;

export class Ephemeris {
  readonly epochMs: number;
  /** Of the mean motion at the epoch. */
  readonly periodMs: number;
  readonly #model: SatRec;
  readonly #ut1MinusUtcMs: number;

  constructor(elements: OrbitalElements, ut1MinusUtcMs = 0) {
    this.epochMs = elements.epochMs;
    this.periodMs = DAY_MS / elements.meanMotionRevPerDay;
    this.#model = modelOf(elements);
    this.#ut1MinusUtcMs = ut1MinusUtcMs;
  }

  /** Whether the model has a state at the time. */
  reaches(timeMs: number): boolean {
    try {
      return this.at(timeMs) !== undefined;
    } catch (error) {
      if (error instanceof NoOrbit) return false;
      throw error;
    }
  }

  /** The state at a time in ms of UTC; throws `NoOrbit` where the model has none (P2). */
  at(timeMs: number): SatelliteState {
    const found = sgp4(this.#model, (timeMs - this.epochMs) / MINUTE_MS);
    if (found === null) throw new NoOrbit(REASONS[this.#model.error], timeMs);
    if (checkForDecay(this.#model)) throw new NoOrbit(REASONS[SatRecError.Decayed], timeMs);
    const { position, velocity, meanElements } = found;
    const { am, em } = meanElements;
    if (am * (1 - em) < 1) throw new NoOrbit('the perigee is below the ground', timeMs);
    if (!Number.isFinite(position.x + velocity.x)) throw new NoOrbit(REASONS[SatRecError.None], timeMs);
    const angle = siderealAngle(timeMs + this.#ut1MinusUtcMs);
    const positionKm = turned([position.x, position.y, position.z], angle);
    const [vx, vy, vz] = turned([velocity.x, velocity.y, velocity.z], angle);
    const [x, y] = positionKm;
    return {
      positionKm,
      velocityKmS: [vx + EARTH_RATE_RAD_S * y, vy - EARTH_RATE_RAD_S * x, vz],
      perigeeKm: am * (1 - em) * MODEL_RADIUS_KM,
      apogeeKm: am * (1 + em) * MODEL_RADIUS_KM,
    };
  }
}

function modelOf(elements: OrbitalElements): SatRec {
  const { catalogueNumber, epochMs } = elements;
  // The library keeps the epoch to the millisecond and needs it so for the moon; `at` counts from the exact one.
  return json2satrec({
    OBJECT_NAME: elements.name,
    OBJECT_ID: '',
    NORAD_CAT_ID: catalogueNumber,
    ELEMENT_SET_NO: 0,
    EPOCH: new Date(Math.round(epochMs)).toISOString(),
    MEAN_MOTION: elements.meanMotionRevPerDay,
    ECCENTRICITY: elements.eccentricity,
    INCLINATION: elements.inclinationDeg,
    RA_OF_ASC_NODE: elements.ascendingNodeDeg,
    ARG_OF_PERICENTER: elements.argumentOfPerigeeDeg,
    MEAN_ANOMALY: elements.meanAnomalyDeg,
    BSTAR: elements.dragPerEarthRadius,
    // Of these two SGP4 makes no use.
    MEAN_MOTION_DOT: 0,
    MEAN_MOTION_DDOT: 0,
  });
}

/** Greenwich mean sidereal time as an angle (P1). */
function siderealAngle(ut1Ms: number): number {
  const centuries = (ut1Ms - J2000_MS) / DAY_MS / CENTURY_DAYS;
  const seconds = SIDEREAL_S.reduceRight((sum, each) => sum * centuries + each, 0);
  return ((seconds % DAY_S) / DAY_S) * 2 * Math.PI;
}

function turned([x, y, z]: Vector, angle: number): Vector {
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  return [x * cos + y * sin, y * cos - x * sin, z];
}
