/** Predicted passes against those of an independent implementation, and what is refused and warned of. */

import { describe, expect, it, vi } from 'vitest';
import type { OrbitalElements } from '../../../mission/orbit/elements.ts';
import { windowDocument } from '../../../mission/orbit/pass-document.ts';
import { type Prediction, type PredictionRequest, predictPasses } from '../../../mission/orbit/predict.ts';
import type { GroundStation } from '../../../mission/orbit/station.ts';
import { DAY_MS, dataFile, KIRUNA, knownElements, SANTIAGO } from './orbits.ts';

const known = knownElements();
const STARTS = { noaa20: '2024-06-25', iss: '2024-05-15', molniya: '2006-06-26' } as const;
const answers = dataFile('passes.csv')
  .trimEnd()
  .split('\n')
  .slice(1)
  .map((line) => line.split(','))
  .map(([satellite, station, , aos, tca, los, elevation]) => ({
    satellite,
    station,
    elevation: Number(elevation),
    aos: Date.parse(aos!),
    tca: Date.parse(tca!),
    los: Date.parse(los!),
  }));

function predict(request: Partial<PredictionRequest>): Prediction {
  const fromMs = Date.parse(STARTS.noaa20);
  const whole = { targets: [], stations: [KIRUNA, SANTIAGO], fromMs, days: 7, ...request };
  const predicted = predictPasses(whole);
  if (!predicted.ok) throw new Error(JSON.stringify(predicted.faults));
  return predicted.value;
}

function refusals(request: Partial<PredictionRequest>): string[] {
  const fromMs = Date.parse(STARTS.noaa20);
  const whole = { targets: [noaa20], stations: [KIRUNA], fromMs, days: 1, ...request };
  const predicted = predictPasses(whole);
  return predicted.ok ? [] : predicted.faults.map(({ message, help }) => `${message} (${help})`);
}

const noaa20 = { target: 'noaa20', elements: known.noaa20 };
const GEOSTATIONARY: OrbitalElements = {
  ...known.noaa20,
  meanMotionRevPerDay: 1.0027,
  eccentricity: 0.0001,
  inclinationDeg: 0.02,
  dragPerEarthRadius: 0,
};

describe('every pass of seven days, none missing and none too many', () => {
  it.each([
    { ut1MinusUtcS: 0, timeMs: 150, elevationDeg: 0.008 },
    { ut1MinusUtcS: 0.192, timeMs: 5, elevationDeg: 0.0005 },
  ])(
    'with UT1 - UTC = $ut1MinusUtcS s: times within $timeMs ms',
    ({ ut1MinusUtcS, timeMs, elevationDeg }) => {
      for (const satellite of ['noaa20', 'iss', 'molniya'] as const) {
        const fromMs = Date.parse(STARTS[satellite]);
        const targets = [{ target: satellite, elements: known[satellite] }];
        const [found] = predict({ targets, fromMs, ut1MinusUtcS }).targets;
        for (const station of ['kiruna', 'santiago']) {
          const expected = answers.filter((each) => each.satellite === satellite && each.station === station);
          const passes = found!.passes.filter(
            (each) => each.station === station && each.aosMs >= fromMs && each.losMs <= fromMs + 7 * DAY_MS,
          );
          expect(passes.length).toBe(expected.length);
          for (const [index, pass] of passes.entries()) {
            const { aos, tca, los, elevation } = expected[index]!;
            expect(Math.abs(pass.aosMs - aos)).toBeLessThan(timeMs);
            expect(Math.abs(pass.losMs - los)).toBeLessThan(timeMs);
            expect(Math.abs(pass.maxElevationDeg - elevation)).toBeLessThan(elevationDeg);
            // The culminations of the answers are rough.
            expect(Math.abs(pass.culminationMs - tca)).toBeLessThan(130);
          }
        }
      }
    },
  );
});

describe('a window', () => {
  it('has the passes that touch its ends whole, and as often as it is moved the same ones', () => {
    const whole = predict({ targets: [noaa20], days: 1 }).targets[0]!.passes;
    const pass = whole[3]!;
    const middle = (pass.aosMs + pass.losMs) / 2;
    const later = predict({ targets: [noaa20], fromMs: middle, days: 1 / 24 / 60 }).targets[0]!;
    expect(later.passes.map(({ id }) => id)).toEqual([pass.id]);
    expect(later.passes[0]!.aosMs).toBeCloseTo(pass.aosMs, 1);
    expect(later.passes[0]!.losMs).toBeCloseTo(pass.losMs, 1);
    const after = predict({ targets: [noaa20], fromMs: Math.round(pass.losMs), days: 0.5 }).targets[0]!;
    expect(after.passes.map(({ id }) => id)).not.toContain(pass.id);
    expect(after.passes.map(({ id }) => id)).toContain(whole[5]!.id);
  });

  it('as a snapshot has only passes that overlap it, in the fields of a Pass', () => {
    const fromMs = Date.parse('2024-06-25T01:05:00Z');
    const [found] = predict({ targets: [noaa20], stations: [KIRUNA], fromMs, days: 0.05 }).targets;
    expect(windowDocument(found!)).toEqual({
      source: 'fds',
      target: 'noaa20',
      from: '2024-06-25T01:05:00.000Z',
      to: '2024-06-25T02:17:00.000Z',
      passes: [
        {
          id: 'noaa20-kiruna-20240625T0110',
          target: 'noaa20',
          station: 'kiruna',
          aos: expect.stringMatching(/^2024-06-25T01:00:1[01]\.\d{3}Z$/),
          los: expect.stringMatching(/^2024-06-25T01:13:09\.\d{3}Z$/),
          max_elevation: expect.stringMatching(/^73\.62\d? deg$/),
          source: 'fds',
          status: 'predicted',
        },
      ],
    });
  });
});

describe('nothing is left out in silence', () => {
  const place: GroundStation = { ...SANTIAGO, name: 'place', latitudeDeg: 0 };

  it('a geostationary satellite is always up or never: no passes, and the one is reported', () => {
    const longitudes = [0, 60, 120, 180, 240, 300].map((longitudeDeg) => ({ ...place, longitudeDeg }));
    const found = longitudes.map((each) =>
      predict({ targets: [{ target: 'geo', elements: GEOSTATIONARY }], stations: [each] }),
    );
    const up = found.filter(({ warnings }) =>
      warnings.some((each) => each.includes('always above the mask')),
    );
    expect(up.length).toBeGreaterThanOrEqual(2);
    expect(up.length).toBeLessThan(longitudes.length);
    for (const { targets } of found) expect(targets[0]!.passes).toEqual([]);
  });

  it('an orbit that ends says when, and of the time behind it nothing is claimed', () => {
    const elements = { ...known.iss, dragPerEarthRadius: 0.1 };
    const fromMs = elements.epochMs;
    const { targets, warnings } = predict({ targets: [{ target: 'iss', elements }], fromMs, days: 14 });
    expect(warnings).toEqual([
      expect.stringMatching(/^iss: no passes from 2024-05-\d\dT[\d:]+Z: the satellite has decayed/),
    ]);
    const { toMs, passes } = targets[0]!;
    expect(toMs).toBeLessThan(fromMs + 14 * DAY_MS);
    expect(passes.length).toBeGreaterThan(0);
    expect(windowDocument(targets[0]!)!.to).toBe(new Date(Math.round(toMs)).toISOString());
    const late = predict({ targets: [{ target: 'iss', elements }], fromMs: toMs + DAY_MS, days: 1 });
    expect(late.targets.flatMap((each) => windowDocument(each) ?? [])).toEqual([]);
  });

  it('old elements are warned of, far too old ones refused', () => {
    const fromMs = known.noaa20.epochMs + 20 * DAY_MS;
    expect(predict({ targets: [noaa20], fromMs, days: 1 }).warnings).toEqual([
      'noaa20: the elements of NOAA-20, of 2024-06-24T17:40:54Z, are 20 days old: times are not reliable; fetch newer ones',
    ]);
    expect(refusals({ fromMs: Date.parse('2035-01-01') })[0]).toMatch(
      /3843? days from the elements|days from the elements/,
    );
    const molniya = { target: 'molniya', elements: known.molniya };
    expect(refusals({ targets: [molniya] })[0]).toMatch(/this orbit is predicted for 366 days at most/);
  });

  it.each([
    [{ days: 0 }, /^0 days cannot be predicted \(ask for more than 0 and at most 31 days\)/],
    [{ days: Number.NaN }, /days cannot be predicted/],
    [{ days: 32 }, /^32 days/],
    [{ fromMs: Number.NaN }, /^the time to begin at is not a time/],
    [{ targets: [] }, /^there is no target/],
    [{ stations: [] }, /^there is no station/],
    [{ targets: [noaa20, noaa20] }, /^target noaa20 is given twice/],
    [{ stations: [KIRUNA, KIRUNA] }, /^station kiruna is given twice/],
    [{ targets: [{ ...noaa20, target: 'a.b' }] }, /^"a\.b" is not the name of a target/],
    [{ targets: [{ ...noaa20, target: 'x'.repeat(110) }] }, /too long for identifiers of passes/],
    [{ ut1MinusUtcS: 2 }, /^UT1 - UTC is 2 s/],
    [
      {
        days: 31,
        targets: Array.from({ length: 1_000 }, (_, index) => ({ ...noaa20, target: `s${index}` })),
      },
      /^1000 targets over 1 stations for 31 days are too much at once/,
    ],
  ])('refuses %o', (request, expected) => {
    expect(refusals(request)).toEqual([expect.stringMatching(expected)]);
  });
});

it('what predicts loads no WebAssembly', async () => {
  const { WebAssembly: engine } = globalThis as unknown as { WebAssembly: Record<string, () => unknown> };
  const loads = ['instantiate', 'compile', 'Module', 'Instance'].map((name) => vi.spyOn(engine, name));
  vi.resetModules();
  const { predictPasses: again } = await import('../../../mission/orbit/predict.ts');
  expect(again({ targets: [noaa20], stations: [KIRUNA], fromMs: known.noaa20.epochMs, days: 1 }).ok).toBe(
    true,
  );
  for (const load of loads) expect(load).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});
