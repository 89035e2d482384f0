/**
 * Files of orbital elements and of stations: whatever is in them, they are read or refused with a line and a remedy, in
 * bounded time.
 */

import fc from 'fast-check';
import { describe, it } from 'vitest';
import { Ephemeris } from '../../mission/orbit/ephemeris.ts';
import { readElements } from '../../mission/orbit/read-elements.ts';
import { readStations } from '../../mission/orbit/read-stations.ts';
import { parseStation } from '../../mission/orbit/station.ts';
import { dataFile, knownElements, kvnText, ommFields } from '../mission/orbit/orbits.ts';
import { FUZZ_TEST_MS, fuzz } from './cases.ts';
import { demand } from './demand.ts';
import { mutated, noise } from './text.ts';

const known = Object.values(knownElements());
const FILES = [
  dataFile('elements.tle'),
  JSON.stringify(known.map(ommFields), undefined, 1),
  JSON.stringify(ommFields(known[1]!)),
  known.map(kvnText).join('\n'),
];
const STATIONS = ['kiruna=67.8571,20.9643,402,5', 'a=-33.1 deg,-70 deg,0.7 km'];
const DOCUMENT = 'stations:\n  kiruna: { latitude: 67.9 deg, longitude: 20 deg, altitude: 0.4 km }\n';

describe('any text', { timeout: FUZZ_TEST_MS }, () => {
  it('as orbital elements is read into numbers the model takes, or refused with its line', () => {
    fuzz({ cases: 4_000 }, fc.oneof(noise, mutated(FILES)), (text) => {
      const read = readElements(text);
      if (!read.ok) {
        for (const { line, message, help } of read.faults)
          demand(line >= 1 && message !== '' && help !== '', 'a fault without line, message or help');
        return;
      }
      for (const elements of read.value) {
        const { name, ...numbers } = elements;
        demand(name !== '' && !/\p{Cc}/u.test(name), 'a name that cannot be shown');
        demand(Object.values(numbers).every(Number.isFinite), 'a number that is not finite');
        new Ephemeris(elements).reaches(elements.epochMs);
      }
    });
  });

  it('as a station is a place on the ground, or refused', () => {
    fuzz({ cases: 2_000 }, fc.oneof(noise, mutated(STATIONS)), (text) => {
      const read = parseStation(text);
      if (read.ok) demand(Math.abs(read.value.latitudeDeg) <= 90, 'a place that is not on the ground');
      else
        demand(
          read.faults.every(({ message, help }) => message !== '' && help !== ''),
          'a fault without words',
        );
    });
  });

  it('as a file of stations is read, or refused with its place', () => {
    fuzz({ cases: 1_000 }, fc.oneof(noise, mutated([DOCUMENT])), (text) => {
      const read = readStations({ file: 'f', text });
      if (read.ok)
        demand(
          read.value.every(({ heightM }) => Number.isFinite(heightM)),
          'a height that is none',
        );
      else
        demand(
          read.faults.every(({ line, help }) => line >= 1 && help !== ''),
          'a fault without line or help',
        );
    });
  });
});
