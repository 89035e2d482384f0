/** Orbits for tests: those with answers, drawn ones, and how elements are written. */

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { OrbitalElements } from '../../../mission/orbit/elements.ts';
import { readElements } from '../../../mission/orbit/read-elements.ts';
import type { GroundStation } from '../../../mission/orbit/station.ts';
import { checksumOf } from '../../../mission/orbit/tle.ts';

export const DAY_MS = 86_400_000;

const place = (
  name: string,
  latitudeDeg: number,
  longitudeDeg: number,
  heightM: number,
  maskDeg: number,
) => ({
  name,
  latitudeDeg,
  longitudeDeg,
  heightM,
  maskDeg,
});
export const KIRUNA: GroundStation = place('kiruna', 67.8571, 20.9643, 402, 5);
export const SANTIAGO: GroundStation = place('santiago', -33.1511, -70.6668, 723, 10);

export const dataFile = (name: string): string =>
  readFileSync(new URL(`../../data/orbits/${name}`, import.meta.url), 'utf8');

/** NOAA-20, the ISS and Molniya 2-14. */
export function knownElements(): { noaa20: OrbitalElements; iss: OrbitalElements; molniya: OrbitalElements } {
  const read = readElements(dataFile('elements.tle'));
  if (!read.ok) throw new Error(JSON.stringify(read.faults));
  const [noaa20, iss, molniya] = read.value;
  return { noaa20: noaa20!, iss: iss!, molniya: molniya! };
}

const EPOCH_MS = Date.UTC(2024, 0, 1);
/** What a TLE writes of a day: 0.864 ms. */
const EPOCH_UNIT_DAYS = 1e8;

const digits = (least: number, most: number, unit: number): fc.Arbitrary<number> =>
  fc.integer({ min: Math.round(least * unit), max: Math.round(most * unit) }).map((each) => each / unit);

interface Shape {
  readonly motion: readonly [number, number];
  readonly eccentricity: readonly [number, number];
}
const LOW: Shape = { motion: [12.5, 15.8], eccentricity: [0, 0.005] };
const MEDIUM: Shape = { motion: [1.9, 6], eccentricity: [0, 0.05] };
const TRANSFER: Shape = { motion: [2.2, 2.35], eccentricity: [0.68, 0.71] };
const HALF_DAY: Shape = { motion: [2, 2.01], eccentricity: [0.6, 0.72] };

/** Elements as a TLE can write them. */
export const anyElements: fc.Arbitrary<OrbitalElements> = fc
  .constantFrom(LOW, LOW, LOW, MEDIUM, TRANSFER, HALF_DAY)
  .chain(({ motion, eccentricity }) =>
    fc.record({
      name: fc.stringMatching(/^[A-Z][A-Z0-9 -]{0,18}[A-Z]$/),
      catalogueNumber: fc.integer({ min: 1, max: 339_999 }),
      epochMs: fc
        .integer({ min: 0, max: 300 * EPOCH_UNIT_DAYS })
        .map((each) => EPOCH_MS + (each / EPOCH_UNIT_DAYS) * DAY_MS),
      meanMotionRevPerDay: digits(...motion, 1e8),
      eccentricity: digits(...eccentricity, 1e7),
      // Near 180 deg the deep-space terms divide by the sine of the inclination: the last digit of the epoch moves the
      // satellite.
      inclinationDeg: digits(0, 175, 1e4),
      ascendingNodeDeg: digits(0, 359, 1e4),
      argumentOfPerigeeDeg: digits(0, 359, 1e4),
      meanAnomalyDeg: digits(0, 359, 1e4),
      dragPerEarthRadius: fc.integer({ min: 0, max: 99_999 }).map((each) => each / 1e8),
    }),
  );

export const anyStation: fc.Arbitrary<GroundStation> = fc.record({
  name: fc.constant('here'),
  latitudeDeg: fc.double({ min: -90, max: 90, noNaN: true }),
  longitudeDeg: fc.double({ min: -180, max: 180, noNaN: true }),
  heightM: fc.double({ min: 0, max: 4_000, noNaN: true }),
  maskDeg: fc.constantFrom(0, 5, 10, 30, 60),
});

/** As a TLE of three lines. */
export function tleText(elements: OrbitalElements): string {
  const number = alpha5(elements.catalogueNumber);
  const year = new Date(elements.epochMs).getUTCFullYear();
  const day = (elements.epochMs - Date.UTC(year, 0, 1)) / DAY_MS + 1;
  const drag = `${String(Math.round(elements.dragPerEarthRadius * 1e8)).padStart(5, '0')}-3`;
  const angle = (value: number): string => value.toFixed(4).padStart(8);
  const first = `1 ${number}U 98067A   ${year % 100}${day.toFixed(8).padStart(12, '0')}  .00000000  00000+0  ${drag} 0  999`;
  const second = [
    `2 ${number} ${angle(elements.inclinationDeg)} ${angle(elements.ascendingNodeDeg)}`,
    `${elements.eccentricity.toFixed(7).slice(2)} ${angle(elements.argumentOfPerigeeDeg)}`,
    `${angle(elements.meanAnomalyDeg)} ${elements.meanMotionRevPerDay.toFixed(8).padStart(11)}    1`,
  ].join(' ');
  return [elements.name, ...[first, second].map((line) => `${line}${checksumOf(line)}`), ''].join('\n');
}

function alpha5(number: number): string {
  if (number < 100_000) return String(number).padStart(5, '0');
  const letter = 'ABCDEFGHJKLMNPQRSTUVWXYZ'[Math.floor(number / 10_000) - 10]!;
  return `${letter}${String(number % 10_000).padStart(4, '0')}`;
}

/** The fields of an OMM, as catalogues name them. */
export function ommFields(elements: OrbitalElements): Readonly<Record<string, string>> {
  const whole = Math.floor(elements.epochMs);
  const us = Math.round((elements.epochMs - whole) * 1_000);
  const epoch = new Date(whole + Math.floor(us / 1_000)).toISOString().slice(0, 23);
  return {
    OBJECT_NAME: elements.name,
    OBJECT_ID: '1998-067A',
    EPOCH: `${epoch}${String(us % 1_000).padStart(3, '0')}`,
    MEAN_MOTION: elements.meanMotionRevPerDay.toFixed(8),
    ECCENTRICITY: elements.eccentricity.toFixed(7),
    INCLINATION: elements.inclinationDeg.toFixed(4),
    RA_OF_ASC_NODE: elements.ascendingNodeDeg.toFixed(4),
    ARG_OF_PERICENTER: elements.argumentOfPerigeeDeg.toFixed(4),
    MEAN_ANOMALY: elements.meanAnomalyDeg.toFixed(4),
    EPHEMERIS_TYPE: '0',
    NORAD_CAT_ID: String(elements.catalogueNumber),
    BSTAR: elements.dragPerEarthRadius.toFixed(8),
    MEAN_MOTION_DOT: '0',
  };
}

const UNITS: Readonly<Record<string, string>> = { MEAN_MOTION: 'rev/day', INCLINATION: 'deg', BSTAR: '1/ER' };

export function kvnText(elements: OrbitalElements): string {
  const lines = Object.entries(ommFields(elements)).map(
    ([key, value]) => `${key.padEnd(20)} = ${value}${key in UNITS ? ` [${UNITS[key]}]` : ''}`,
  );
  const head = ['CCSDS_OMM_VERS = 2.0', 'COMMENT of a test', 'CREATION_DATE = 2024-01-01T00:00:00', ''];
  const meta = ['CENTER_NAME = EARTH', 'REF_FRAME = TEME', 'TIME_SYSTEM = UTC', 'MEAN_ELEMENT_THEORY = SGP4'];
  return [...head, ...meta, ...lines, ''].join('\r\n');
}
