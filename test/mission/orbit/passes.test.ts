/** Passes of drawn orbits over drawn stations, held against a dense sampling by the library's own look angles. */

import fc from 'fast-check';
import { ecfToLookAngles, eciToEcf, gstime, sgp4, twoline2satrec } from 'satellite.js';
import { expect, it } from 'vitest';
import type { OrbitalElements } from '../../../mission/orbit/elements.ts';
import { Ephemeris } from '../../../mission/orbit/ephemeris.ts';
import { Track } from '../../../mission/orbit/horizon.ts';
import { passesOf } from '../../../mission/orbit/passes.ts';
import type { GroundStation } from '../../../mission/orbit/station.ts';
import { anyElements, anyStation, DAY_MS, KIRUNA, knownElements, tleText } from './orbits.ts';

const DEG = 180 / Math.PI;
const UNIX_JD = 2_440_587.5;
/** Angles of two implementations: the library has the time of the turning earth to 40 us, and an axis to 0.1 mm. */
const ANGLE_DEG = 1e-5;
/** A pass this near to the mask may be found or not. */
const GRAZING_DEG = 1e-3;
const SAMPLE_MS = 20_000;

/** Elevation and azimuth as the library sees them, by another way through all of it. */
function lookAngles(
  elements: OrbitalElements,
  { latitudeDeg, longitudeDeg, heightM }: GroundStation,
): (timeMs: number) => { elevationDeg: number; azimuthDeg: number } {
  const [, first, second] = tleText(elements).split('\n');
  const model = twoline2satrec(first!, second!);
  const place = { latitude: latitudeDeg / DEG, longitude: longitudeDeg / DEG, height: heightM / 1_000 };
  return (timeMs) => {
    const { position } = sgp4(model, (timeMs - elements.epochMs) / 60_000)!;
    const seen = ecfToLookAngles(place, eciToEcf(position, gstime(timeMs / DAY_MS + UNIX_JD)));
    return { elevationDeg: seen.elevation * DEG, azimuthDeg: seen.azimuth * DEG };
  };
}

function checkPasses(elements: OrbitalElements, station: GroundStation, days: number): number {
  const look = lookAngles(elements, station);
  const [fromMs, toMs] = [elements.epochMs, elements.epochMs + days * DAY_MS];
  const { passes, standing, failure } = passesOf(new Ephemeris(elements), station, { fromMs, toMs });
  if (failure !== undefined) return 0;
  for (const [index, { aosMs, losMs, culminationMs, ...pass }] of passes.entries()) {
    const edges = [
      [aosMs, pass.aosAzimuthDeg],
      [losMs, pass.losAzimuthDeg],
    ] as const;
    for (const [timeMs, azimuthDeg] of edges) {
      const seen = look(timeMs);
      // Overhead at a high mask and in low orbits the elevation changes by a degree a second.
      expect(Math.abs(seen.elevationDeg - station.maskDeg)).toBeLessThan(10 * ANGLE_DEG);
      const turned = Math.abs(((seen.azimuthDeg - azimuthDeg + 540) % 360) - 180);
      expect(turned * Math.cos(seen.elevationDeg / DEG)).toBeLessThan(0.001);
    }
    expect(Math.abs(look(culminationMs).elevationDeg - pass.maxElevationDeg)).toBeLessThan(10 * ANGLE_DEG);
    expect(aosMs).toBeLessThan(culminationMs);
    expect(culminationMs).toBeLessThan(losMs);
    expect(aosMs).toBeGreaterThan(passes[index - 1]?.losMs ?? Number.NEGATIVE_INFINITY);
  }
  const up = [
    ...passes.map(({ aosMs, losMs, maxElevationDeg }) => ({ aosMs, losMs, most: maxElevationDeg })),
    ...standing.map(({ aosMs = fromMs, losMs = toMs }) => ({ aosMs, losMs, most: 90 })),
  ];
  for (let timeMs = fromMs; timeMs <= toMs; timeMs += SAMPLE_MS) {
    const { elevationDeg } = look(timeMs);
    const around = up.find(({ aosMs, losMs }) => timeMs >= aosMs && timeMs <= losMs);
    const [least, most] =
      around === undefined
        ? [-90, station.maskDeg + GRAZING_DEG]
        : [station.maskDeg - GRAZING_DEG, around.most + 10 * ANGLE_DEG];
    if (elevationDeg < least || elevationDeg > most)
      throw new Error(`${new Date(timeMs).toISOString()}: ${elevationDeg} deg is not in ${least} to ${most}`);
  }
  return passes.length;
}

it('passes begin and end at the mask, are above it between and below it outside, and culminate above every sample', () => {
  let found = 0;
  fc.assert(
    fc.property(anyElements, anyStation, (elements, station) => {
      found += checkPasses(elements, station, 2);
    }),
    { numRuns: 60, endOnFailure: true },
  );
  expect(found).toBeGreaterThan(60);
});

it('culmination.M2 a satellite that passes near the zenith, turns and passes it again is as high as at its higher passage', () => {
  const { molniya } = knownElements();
  const elements = {
    ...molniya,
    epochMs: Date.UTC(2024, 4, 8, 10, 6, 54) + 648.576,
    meanMotionRevPerDay: 2.24714545,
    eccentricity: 0.7079725,
    inclinationDeg: 0.0007,
    ascendingNodeDeg: 0.0018,
    argumentOfPerigeeDeg: 45.2498,
    meanAnomalyDeg: 40.3183,
    dragPerEarthRadius: 1e-7,
  };
  const equator = { ...KIRUNA, latitudeDeg: 0, longitudeDeg: 0, heightM: 0, maskDeg: 10 };
  // Its two passages are 15 minutes apart, and as high as each other to 0.001 deg.
  expect(checkPasses(elements, equator, 2)).toBe(2);
});

it('an orbit that rises twice within a pass is as high as its higher maximum', () => {
  const { molniya } = knownElements();
  const ephemeris = new Ephemeris(molniya);
  const window = { fromMs: molniya.epochMs, toMs: molniya.epochMs + 7 * DAY_MS };
  let twice = 0;
  for (let longitudeDeg = -180; longitudeDeg < 180; longitudeDeg += 20) {
    const station = { ...KIRUNA, latitudeDeg: longitudeDeg % 40 === 0 ? -35 : 25, longitudeDeg, maskDeg: 0 };
    const track = new Track(ephemeris, station);
    for (const { aosMs, losMs, maxElevationDeg } of passesOf(ephemeris, station, window).passes) {
      const samples: number[] = [];
      for (let timeMs = aosMs; timeMs < losMs; timeMs += 60_000) samples.push(track.at(timeMs).elevationDeg);
      const peaks = samples.filter((each, at) => each > samples[at - 1]! && each > samples[at + 1]!);
      if (peaks.length > 1) twice += 1;
      expect(maxElevationDeg).toBeGreaterThanOrEqual(Math.max(...samples));
    }
  }
  expect(twice).toBeGreaterThan(0);
});

it('crossing.C2 a satellite that hovers at the mask costs no more looks than its least step allows', () => {
  const elements = {
    ...knownElements().noaa20,
    meanMotionRevPerDay: 1.00273,
    eccentricity: 0,
    inclinationDeg: 0,
    dragPerEarthRadius: 0,
  };
  const ephemeris = new Ephemeris(elements);
  const [fromMs, toMs] = [elements.epochMs, elements.epochMs + 7 * DAY_MS];
  const open = Array.from({ length: 180 }, (_, index) => ({
    ...KIRUNA,
    latitudeDeg: 20,
    longitudeDeg: 2 * index - 180,
    maskDeg: 0,
  }));
  const seen = open.map((station) => ({
    station,
    elevationDeg: new Track(ephemeris, station).at(fromMs).elevationDeg,
  }));
  const { station, elevationDeg } = seen.find((each) => each.elevationDeg > 10 && each.elevationDeg < 40)!;
  let looks = 0;
  const counted = new Ephemeris(elements);
  const { at } = counted;
  counted.at = (timeMs) => {
    looks += 1;
    return at.call(counted, timeMs);
  };
  passesOf(counted, { ...station, maskDeg: elevationDeg + 1e-9 }, { fromMs, toMs });
  // Eleven days with the reach beyond the window, a quarter of a minute each, and as much again for what is refined.
  expect(looks).toBeLessThan((2 * (11 * DAY_MS)) / 13_000);
});
