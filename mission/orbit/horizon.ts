/**
 * A satellite as a station sees it: geometric elevation above the WGS-84 horizon without refraction, azimuth from north
 * over east, and its margin over the mask.
 *
 * H1. The margin is positive exactly while the elevation is above the mask. It is a length: how far the satellite is
 *     above the plane of the horizon, less the part of its range that the mask takes. Unlike an angle it changes
 *     smoothly also overhead.
 */

import type { Ephemeris, SatelliteState, Vector } from './ephemeris.ts';
import type { GroundStation } from './station.ts';

export interface Sight {
  readonly timeMs: number;
  readonly state: SatelliteState;
  readonly rangeKm: number;
  readonly elevationDeg: number;
  readonly marginKm: number;
  readonly marginRateKmS: number;
}

/** The WGS-84 ellipsoid. */
const EQUATOR_KM = 6_378.137;
const FLATTENING = 1 / 298.257223563;
const SQUARED_ECCENTRICITY = FLATTENING * (2 - FLATTENING);
const DEG = Math.PI / 180;
const M_PER_KM = 1_000;

/** One satellite seen from one station. */
export class Track {
  readonly ephemeris: Ephemeris;
  /** Sine of the mask. */
  readonly maskSine: number;
  readonly #placeKm: Vector;
  readonly #up: Vector;
  readonly #east: Vector;
  readonly #north: Vector;

  constructor(ephemeris: Ephemeris, { latitudeDeg, longitudeDeg, heightM, maskDeg }: GroundStation) {
    this.ephemeris = ephemeris;
    this.maskSine = Math.sin(maskDeg * DEG);
    const [sinLat, cosLat] = [Math.sin(latitudeDeg * DEG), Math.cos(latitudeDeg * DEG)];
    const [sinLon, cosLon] = [Math.sin(longitudeDeg * DEG), Math.cos(longitudeDeg * DEG)];
    this.#up = [cosLat * cosLon, cosLat * sinLon, sinLat];
    this.#east = [-sinLon, cosLon, 0];
    this.#north = [-sinLat * cosLon, -sinLat * sinLon, cosLat];
    const normalKm = EQUATOR_KM / Math.sqrt(1 - SQUARED_ECCENTRICITY * sinLat * sinLat);
    const heightKm = heightM / M_PER_KM;
    const axisKm = (normalKm + heightKm) * cosLat;
    const polarKm = (normalKm * (1 - SQUARED_ECCENTRICITY) + heightKm) * sinLat;
    this.#placeKm = [axisKm * cosLon, axisKm * sinLon, polarKm];
  }

  /** What the station sees at the time; throws `NoOrbit` as the ephemeris does. */
  at(timeMs: number): Sight {
    const state = this.ephemeris.at(timeMs);
    const lineKm = less(state.positionKm, this.#placeKm);
    const rangeKm = Math.sqrt(dot(lineKm, lineKm));
    const upKm = dot(lineKm, this.#up);
    const levelKm = Math.sqrt(dot(lineKm, this.#east) ** 2 + dot(lineKm, this.#north) ** 2);
    const rangeRateKmS = dot(lineKm, state.velocityKmS) / rangeKm;
    return {
      timeMs,
      state,
      rangeKm,
      elevationDeg: Math.atan2(upKm, levelKm) / DEG,
      marginKm: upKm - rangeKm * this.maskSine,
      marginRateKmS: dot(state.velocityKmS, this.#up) - rangeRateKmS * this.maskSine,
    };
  }

  /** From 0 (north) over 90 (east) to below 360. */
  azimuthDeg({ state }: Sight): number {
    const lineKm = less(state.positionKm, this.#placeKm);
    const azimuth = Math.atan2(dot(lineKm, this.#east), dot(lineKm, this.#north)) / DEG;
    return azimuth < 0 ? azimuth + 360 : azimuth;
  }
}

function less(a: Vector, b: Vector): Vector {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
