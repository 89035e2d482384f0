/**
 * Ground stations: where an antenna stands and from which elevation it sees. A mission declares them under `stations`
 * of its topology; Mission Control Service, section 2.6, names them in passes.
 *
 * S1. A station that leaves here has a place on the ground: nothing about it is guessed but a mask, which is then the
 *     horizon.
 */

import { accepted, type Result, refused, refusedAll } from '../../contract/result.ts';
import { isToken } from '../../contract/token.ts';
import type { StationConfiguration } from '../configuration.ts';
import { type QuantityFault, readQuantity } from '../quantity.ts';

export interface GroundStation {
  /** A token. */
  readonly name: string;
  /** Geodetic, WGS-84, north positive. */
  readonly latitudeDeg: number;
  /** East positive. */
  readonly longitudeDeg: number;
  /** Above the WGS-84 ellipsoid. */
  readonly heightM: number;
  /** Least elevation at which the station sees a satellite. */
  readonly maskDeg: number;
}

export interface StationFault {
  readonly message: string;
  readonly help: string;
}

const NUMBER = /^[+-]?\d+(\.\d+)?$/;
/** Text of one part, far longer than any. */
const PART_CHARACTERS = 64;
/** The parts of a station on a command line, in their order. */
const PARTS = [
  { name: 'latitude', unit: 'deg' },
  { name: 'longitude', unit: 'deg' },
  { name: 'height', unit: 'm' },
  { name: 'mask', unit: 'deg' },
] as const;

/** The station a mission declares; refuses one without a place. */
export function stationOf(declared: StationConfiguration): Result<GroundStation, StationFault> {
  const { name, latitudeDeg, longitudeDeg, altitudeM, minElevationDeg = 0 } = declared;
  if (latitudeDeg === undefined || longitudeDeg === undefined || altitudeM === undefined) {
    return refused({
      message: `station ${name} has no place: latitude, longitude and altitude are needed`,
      help: 'declare them, like latitude: 67.86 deg, longitude: 20.96 deg, altitude: 402 m',
    });
  }
  return checked({ name, latitudeDeg, longitudeDeg, heightM: altitudeM, maskDeg: minElevationDeg });
}

/** `NAME=latitude,longitude,height[,mask]`, in degrees and metres or as quantities. */
export function parseStation(text: string): Result<GroundStation, StationFault> {
  const [, name, place] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  const parts = place?.split(',').map((part) => part.trim()) ?? [];
  if (name === undefined || parts.length < 3 || parts.length > PARTS.length) {
    return refused({
      message: `${JSON.stringify(text.slice(0, 80))} is not a station`,
      help: 'write NAME=latitude,longitude,height[,mask], like kiruna=67.8571,20.9643,402,5',
    });
  }
  const read = parts.map((part, index) => partOf(part, PARTS[index]!));
  const faults = read.flatMap((each) => (each.ok ? [] : each.faults));
  if (faults.length > 0) return refusedAll(faults);
  const [latitudeDeg = 0, longitudeDeg = 0, heightM = 0, maskDeg = 0] = read.map((each) =>
    each.ok ? each.value : 0,
  );
  return checked({ name, latitudeDeg, longitudeDeg, heightM, maskDeg });
}

function partOf(part: string, { name, unit }: (typeof PARTS)[number]): Result<number, StationFault> {
  if (part.length <= PART_CHARACTERS && NUMBER.test(part)) return accepted(Number(part));
  const read = readQuantity(part, unit);
  if (read.ok) return read;
  const [{ message, help }]: readonly [QuantityFault, ...QuantityFault[]] = read.faults;
  return refused({ message: `${name}: ${message}`, help: help ?? `write it in ${unit}` });
}

/** The station, unless its name or place cannot be; every such part is named. */
export function checked(station: GroundStation): Result<GroundStation, StationFault> {
  const { name, latitudeDeg, longitudeDeg, heightM, maskDeg } = station;
  const faults: StationFault[] = [];
  const within = (
    what: string,
    value: number,
    [low, high]: readonly [number, number],
    unit: string,
  ): void => {
    if (value >= low && value <= high) return;
    const message = `station ${name}: its ${what} is ${value} ${unit}`;
    faults.push({ message, help: `write ${low} ${unit} to ${high} ${unit}` });
  };
  if (!isToken(name)) {
    const message = `${JSON.stringify(name.slice(0, 80))} is not the name of a station`;
    faults.push({ message, help: 'write letters, digits, - and _' });
  }
  within('latitude', latitudeDeg, [-90, 90], 'deg');
  within('longitude', longitudeDeg, [-180, 360], 'deg');
  // From the shore of the Dead Sea to the highest mountain.
  within('height', heightM, [-500, 9_000], 'm');
  within('mask', maskDeg, [0, 89], 'deg');
  return faults.length > 0 ? refusedAll(faults) : accepted(station);
}
