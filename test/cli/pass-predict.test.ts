/** `mcs pass predict`: elements and stations in, a table or JSON out. */

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pass } from '../../cli/pass.ts';
import { passLines } from '../../cli/pass-line.ts';
import type { PredictedWindow } from '../../mission/orbit/pass-document.ts';
import { DEMO_FOLDER } from '../support/missions.ts';
import { keepPrinted } from '../support/printed.ts';

const ELEMENTS = fileURLToPath(new URL('../data/orbits/elements.tle', import.meta.url));
const KIRUNA = ['--station', 'kiruna=67.8571,20.9643,402 m,5 deg'];
const NOAA = ['--elements', ELEMENTS, '--target', 'noaa20=43013', '--from', '2024-06-25', '--days', '1'];

let folder: string;
const printed = keepPrinted();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcs-passes-'));
  await cp(DEMO_FOLDER, join(folder, 'demo'), { recursive: true });
});
afterAll(() => rm(folder, { recursive: true }));

const predict = (...args: string[]): Promise<number> => pass(['predict', ...args]);

describe('mcs pass predict', () => {
  it('prints a line for each pass by AOS, in UTC', async () => {
    expect(await predict(...NOAA, ...KIRUNA)).toBe(0);
    const [head, first, ...more] = printed.out.trimEnd().split('\n');
    expect(head).toMatch(/^TARGET +STATION +AOS +HIGHEST +LOS +LASTS +MAX +AZIMUTH +PASS$/);
    expect(first).toMatch(
      /^noaa20 {2}kiruna {3}2024-06-25 01:00:11Z {2}01:06:41Z {2}01:13:09Z {2}12:58 {2}73\.6° {2}\d{3}° → \d{3}° {2}noaa20-kiruna-20240625T0110$/,
    );
    expect(more.length).toBe(10);
    expect(printed.err).toBe('');
  });

  it('as JSON prints the snapshot of each target', async () => {
    const both = ['--target', 'hub=iss (zarya)', '--from', '2024-05-15', '--days', '2', '--json'];
    expect(await predict('--elements', ELEMENTS, ...both, '--target', 'noaa20=NOAA-20', ...KIRUNA)).toBe(0);
    const windows = JSON.parse(printed.out) as PredictedWindow[];
    expect(windows.map(({ target, passes }) => [target, passes.length > 0])).toEqual([
      ['hub', false],
      ['noaa20', true],
    ]);
    expect(windows[1]).toMatchObject({
      source: 'fds',
      from: '2024-05-15T00:00:00.000Z',
      to: '2024-05-17T00:00:00.000Z',
    });
    expect(printed.err).toMatch(/^warning: noaa20: the elements of NOAA-20, .* days ahead/);
  });

  it('of a mission takes the stations of its topology and the elements of its targets', async () => {
    expect(await predict('--mission', join(folder, 'demo'), '--from', '2026-01-02', '--days', '1')).toBe(0);
    for (const target of ['sat1', 'sat2', 'noaa20'])
      for (const station of ['kiruna', 'santiago', 'svalbard'])
        expect(printed.out).toMatch(new RegExp(`^${target} +${station} `, 'm'));
    printed.out = '';
    const file = join(folder, 'stations.yaml');
    await writeFile(file, 'stations: { pole: { latitude: 90 deg, longitude: 0 deg, altitude: 0.1 km } }\n');
    const mission = join(folder, 'demo');
    expect(
      await predict('--mission', mission, '--stations', file, '--target', 'sat1', '--from', '2026-01-02'),
    ).toBe(0);
    expect(
      printed.out
        .trimEnd()
        .split('\n')
        .slice(1)
        .every((line) => /^sat1 {4}pole /.test(line)),
    ).toBe(true);
    const topology = join(mission, 'topology.yaml');
    expect(await predict(...NOAA, '--stations', topology)).toBe(0);
    expect(printed.out).toMatch(/^noaa20 +svalbard /m);
  });

  it.each([
    [[], 2, /^mcs pass predict --mission DIR/],
    [[...NOAA], 2, /^mcs pass predict --mission DIR/],
    [[...NOAA, ...KIRUNA, '--utc', '--local'], 2, /^mcs pass predict --mission DIR/],
    [[...NOAA, ...KIRUNA, '--days', '90'], 1, /^mcs: 90 days cannot be predicted \(ask for/],
    [[...NOAA, ...KIRUNA, '--from', '25.6.2024'], 1, /the time to begin at is not a time/],
    [[...NOAA, '--station', 'kiruna'], 1, /"kiruna" is not a station \(write NAME=latitude,longitude,height/],
    [[...NOAA, '--station', 'kiruna=97,20,0'], 1, /its latitude is 97 deg \(write -90 deg to 90 deg\)/],
    [
      ['--elements', ELEMENTS, '--target', 'a', ...KIRUNA],
      1,
      /has several satellites \(say which a is, like --target "a=NOAA-20"\)/,
    ],
    [['--elements', ELEMENTS, '--target', 'a=ISS', ...KIRUNA], 1, /has no satellite "ISS" \(/],
    [
      ['--mission', DEMO_FOLDER, '--target', 'sat11'],
      1,
      /the mission has no target sat11 \(did you mean "sat1"\?\)/,
    ],
  ] as const)('%j: exit code %i', async (args, code, error) => {
    expect(await predict(...args)).toBe(code);
    expect(printed).toEqual({ out: '', err: expect.stringMatching(error) });
  });

  it('reports faults of elements and of stations with file and line, all of both', async () => {
    const elements = join(folder, 'bad.tle');
    await writeFile(elements, (await readFile(ELEMENTS, 'utf8')).replace('98.7060', '98.7070'));
    const stations = join(folder, 'bad.yaml');
    await writeFile(
      stations,
      'stations:\n  a: { latitude: 95 deg, longitude: 0 deg, altitude: 0 m }\n  b: {}\n',
    );
    expect(await predict('--elements', elements, '--target', 'a', '--stations', stations)).toBe(1);
    expect(printed.err).toMatch(/bad\.yaml:2:6 stations\.a: station a: its latitude is 95 deg/);
    expect(printed.err).toMatch(/bad\.yaml:3:6 stations\.b: station b has no place/);
    expect(printed.err).toMatch(/bad\.tle:3: the checksum is "1", of this line it would be 2/);
  });
});

it('a table fits the terminal, says what it cuts, and shows no control character', () => {
  const times = { aosMs: 0, culminationMs: 60_000, losMs: 120_000, aosAzimuthDeg: 359.7, losAzimuthDeg: 90 };
  const one = { ...times, id: 'p', target: 'a\u001b[31m', station: 's', maxElevationDeg: 44.96 };
  const prediction = { targets: [{ target: 'a', fromMs: 0, toMs: 1, passes: [one] }], warnings: [] };
  const lines = passLines(prediction, { local: false, colour: true, width: 40 });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours are taken off
  const plain = lines.map((line) => line.replace(/^\u001b\[\d+m|\u001b\[0m$/g, ''));
  for (const line of plain)
    expect([line.length, line.at(-1), /\p{Cc}/u.test(line)]).toEqual([40, '…', false]);
  const whole = passLines(prediction, { local: false, colour: false, width: undefined });
  expect(whole[1]).toMatch(/45\.0° {2}000° → 090° {2}p$/);
  expect(passLines({ targets: [], warnings: [] }, { local: false, colour: false, width: 40 })).toEqual([
    'no passes',
  ]);
});
