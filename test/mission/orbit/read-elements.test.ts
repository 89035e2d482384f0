/**
 * Orbital elements as they are read: the same whatever they are written in, and faults that say where and how to
 * correct them.
 */

import fc from 'fast-check';
import { sgp4, twoline2satrec } from 'satellite.js';
import { describe, expect, it } from 'vitest';
import type { OrbitalElements } from '../../../mission/orbit/elements.ts';
import { Ephemeris } from '../../../mission/orbit/ephemeris.ts';
import { parseEpoch } from '../../../mission/orbit/omm.ts';
import { readElements } from '../../../mission/orbit/read-elements.ts';
import { anyElements, DAY_MS, dataFile, knownElements, kvnText, ommFields, tleText } from './orbits.ts';

function read(text: string): readonly OrbitalElements[] {
  const result = readElements(text);
  if (!result.ok) throw new Error(JSON.stringify(result.faults));
  return result.value;
}

function faults(text: string): string[] {
  const result = readElements(text);
  return result.ok ? [] : result.faults.map(({ line, message, help }) => `${line}: ${message} (${help})`);
}

/** Where a satellite is, or that the model has no answer: in metres, more than the digits of the formats differ by. */
function metresApart(a: OrbitalElements, b: OrbitalElements, atMs: number): number {
  const [one, other] = [a, b].map((each) => {
    const ephemeris = new Ephemeris(each);
    return ephemeris.reaches(atMs) ? ephemeris.at(atMs).positionKm : ([0, 0, 0] as const);
  });
  return Math.hypot(...one!.map((each, axis) => (each - other![axis]!) * 1_000));
}

describe('the same elements', () => {
  it('read from TLE, OMM in JSON and OMM in KVN are equal, and put the satellite at the same place', () => {
    fc.assert(
      fc.property(anyElements, fc.integer({ min: 0, max: 7 }), (elements, days) => {
        const fields = ommFields(elements);
        const numbers = Object.fromEntries(
          Object.entries(fields).map(([key, text]) => [key, /^[\d.]+$/.test(text) ? Number(text) : text]),
        );
        const texts = [
          tleText(elements),
          tleText(elements).replaceAll('\n', '\r\n').replace(/^/, '0 '),
          JSON.stringify(fields),
          JSON.stringify([numbers], undefined, 2),
          kvnText(elements),
        ];
        for (const text of texts) {
          const [one, ...more] = read(text);
          expect(more).toEqual([]);
          expect({ ...one, epochMs: 0 }).toEqual({ ...elements, epochMs: 0 });
          expect(Math.abs(one!.epochMs - elements.epochMs)).toBeLessThan(0.001);
          expect(metresApart(one!, elements, elements.epochMs + days * DAY_MS)).toBeLessThan(0.1);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('propagate as the library propagates the lines themselves', () => {
    const lines = dataFile('elements.tle').trimEnd().split('\n');
    for (const [index, elements] of Object.values(knownElements()).entries()) {
      const model = twoline2satrec(lines[3 * index + 1]!, lines[3 * index + 2]!);
      const ephemeris = new Ephemeris(elements);
      for (let minute = -1_440; minute <= 10_080; minute += 360) {
        const { position } = sgp4(model, minute)!;
        const [x, y, z] = ephemeris.at(elements.epochMs + minute * 60_000).positionKm;
        expect(Math.hypot(x, y) - Math.hypot(position.x, position.y)).toBeCloseTo(0, 4);
        expect(z).toBeCloseTo(position.z, 4);
      }
    }
  });

  it('are found among many: several sets in a file, in every format', () => {
    const { noaa20, iss, molniya } = knownElements();
    const all = [noaa20, iss, molniya];
    const names = all.map(({ name }) => name);
    const texts = [
      `${dataFile('elements.tle')}\n\n`,
      JSON.stringify(all.map(ommFields)),
      all.map(kvnText).join('\r\n'),
    ];
    for (const text of texts) expect(read(text).map(({ name }) => name)).toEqual(names);
    const unnamed = dataFile('elements.tle')
      .split('\n')
      .filter((line) => /^[12] /.test(line));
    expect(read(unnamed.join('\n')).map(({ name }) => name)).toEqual(['43013', '25544', '8195']);
  });
});

describe('what is wrong', () => {
  const lines = dataFile('elements.tle').trimEnd().split('\n');
  const changed = (line: number, change: (text: string) => string): string =>
    lines.map((text, index) => (index === line - 1 ? change(text) : text)).join('\n');

  it.each([
    ['a digit', changed(3, (text) => text.replace('98.7060', '98.7160')), /^3: the checksum is "1"/],
    [
      'a cut line',
      changed(5, (text) => text.slice(0, 60)),
      /^5: an element line has 69 characters, this one 60/,
    ],
    [
      'line 2 of another',
      changed(3, () => lines[5]!),
      /^3: the lines are of two satellites, 43013 and 25544/,
    ],
    [
      'line 2 missing',
      lines.filter((_, index) => index !== 2).join('\n'),
      /^2: line 2 does not follow line 1/,
    ],
    ['only a name', [...lines, 'SUPER SAT'].join('\n'), /no element lines follow the name "SUPER SAT"/],
    ['another text', 'hello\nworld\n', /^1: no element lines follow the name "hello"/],
    ['nothing', ' \n\n', /^1: there is no element set/],
    ['XML', '<?xml version="1.0"?><ndm/>', /^1: the file is XML \(fetch it as JSON, KVN or TLE\)/],
    ['JSON cut off', '[\n{"EPOCH": "2024', /^2: no JSON/],
    ['JSON with a slip', '[\n{"EPOCH": "a",\n "BSTAR": 1,,\n}]', /^3: no JSON/],
    ['a number', '[\n 3,\n{}]', /^1: entry 1 is "3"/],
  ])('in a file with %s is named with its line', (_, text, expected) => {
    expect(faults(text)[0]).toMatch(expected);
  });

  it.each([
    ['BSTAR', undefined, /^2: entry 2 \(ISS \(ZARYA\)\): BSTAR is missing/],
    ['ECCENTRICITY', 1.2, /ECCENTRICITY is "1.2" \(write a number from 0 to 0.999\)/],
    ['MEAN_MOTION', 'fast', /MEAN_MOTION is "fast" \(write a number from 0.04 to 18\)/],
    ['EPOCH', '2024-02-30T00:00:00', /EPOCH is "2024-02-30T00:00:00" \(write it in UTC like/],
    ['REF_FRAME', 'EME2000', /REF_FRAME is "EME2000" \(predictions take REF_FRAME = TEME\)/],
    ['EPHEMERIS_TYPE', 4, /EPHEMERIS_TYPE 4 is not SGP4/],
  ])('in an OMM with %s %s names the entry and the field', (key, value, expected) => {
    const { noaa20, iss } = knownElements();
    const entries = [ommFields(noaa20), { ...ommFields(iss), [key]: value }].map((each) =>
      JSON.stringify(each),
    );
    expect(faults(`[${entries.join(',\n')}]`)).toEqual([expect.stringMatching(expected)]);
  });

  it('in KVN names line and unit', () => {
    const text = kvnText(knownElements().iss);
    expect(faults(text.replace('[deg]', '[rad]'))).toEqual([
      expect.stringMatching(
        /^14: message 1 \(ISS \(ZARYA\)\): INCLINATION is in \[rad\] \(write it in \[deg\]\)/,
      ),
    ]);
    expect(faults(text.replace('TIME_SYSTEM = UTC', 'TIME_SYSTEM UTC'))[0]).toMatch(
      /^7: "TIME_SYSTEM UTC" is no line/,
    );
    expect(faults(text.replace('= 2.0', '= 9.0'))[0]).toMatch(/^1: OMM version "9.0" is not known/);
    expect(faults(`${text}BSTAR = 1\n`)[0]).toMatch(/BSTAR is given twice/);
  });

  it('is found in every set at once, and a flood of it is counted', () => {
    const broken = changed(2, (text) => text.replace('17073A', '27073A')).split('\n');
    const both = broken.map((line, index) => (index === 5 ? line.replace('51.6380', '51.6381') : line));
    expect(faults(both.join('\n')).map((fault) => fault.slice(0, 2))).toEqual(['2:', '6:']);
    const flood = faults('1 25544U\n'.repeat(500).replaceAll('1 25544U', lines[1]!));
    expect(flood.length).toBe(101);
    expect(flood.at(-1)).toMatch(/and 400 more faults/);
  });
});

it('epochs are read to their last digit, as dates and as days of the year', () => {
  const expected = Date.UTC(2024, 5, 24, 17, 40, 54) + 552.864;
  for (const text of [
    '2024-06-24T17:40:54.552864',
    '2024-176T17:40:54.552864Z',
    '2024-06-24T17:40:54.552864+00:00',
  ])
    expect(parseEpoch(text)).toBeCloseTo(expected, 3);
  for (const text of [
    '2023-366T00:00:00',
    '2024-000T00:00:00',
    '2024-06-31T00:00:00',
    '2024-06-24T24:00:00',
    '2024-06-24',
  ])
    expect(parseEpoch(text)).toBeUndefined();
});
