/** What is missing is said as few gaps, whatever it is made of, and nothing of it is left out. */

import { describe, expect, it } from 'vitest';
import { Archive } from '../../archive/archive.ts';
import { boundedGaps } from '../../archive/gaps.ts';
import { readManifest, writeManifest } from '../../archive/manifest.ts';
import { workHere } from '../../archive/workshop.ts';
import type { Gap } from '../../contract/history.ts';
import { ARCHIVE_MANIFEST_BYTES, HISTORY_GAPS } from '../../contract/limits/archive.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { FragileDisk } from './fragile-disk.ts';
import { HOUR, messageOf, PLATFORM } from './values.ts';

const QUERY = {
  target: 'sat1',
  measures: ['power.u8'],
  from: HOUR - 1_000,
  to: HOUR + 86_400_000,
  delivery: 'all',
} as const;

const storedMs = (position: number): number => HOUR + position * 1_000;

function opened(disk = new FragileDisk()): Promise<Archive> {
  return Archive.open(workHere('', disk), { stream: 'S1', clock: new ManualClock(HOUR) });
}

async function give(archive: Archive, position: number, at = storedMs(position)): Promise<void> {
  await archive.append(messageOf(position, [], { storedMs: at }), PLATFORM);
}

async function gapsIn(archive: Archive): Promise<readonly Gap[]> {
  return (await archive.samples(QUERY, { limit: 10 })).gaps;
}

describe('gaps.G1 positions that cannot be read one after the other', () => {
  it('are one gap, with those that were lost beside them, in memory, in segments and when these are joined', async () => {
    const disk = new FragileDisk();
    const archive = await opened(disk);
    await give(archive, 1);
    for (const position of [3, 4, 5]) await archive.skip(position, storedMs(position));
    const one = { first: 2, last: 5, from: storedMs(1), to: storedMs(5) };
    expect(await gapsIn(archive)).toEqual([one]);
    await archive.flush();
    for (const position of [6, 7]) await archive.skip(position, storedMs(position));
    await give(archive, 8);
    const both = { ...one, last: 7, to: storedMs(7) };
    expect(await gapsIn(archive)).toEqual([both]);
    await archive.flush();
    await give(archive, 9, HOUR + 3_600_000);
    await archive.flush();
    expect(await archive.maintain()).toBe('1 to 8 of S1 are one hour');
    expect(await gapsIn(await opened(disk))).toEqual([both]);
    expect(readManifest(disk, '/S1/1-8.hour').gaps).toEqual([both]);
  });

  it('are two where nothing came for long between: silence is no loss', async () => {
    const archive = await opened();
    await give(archive, 1);
    await archive.skip(2, HOUR + 60_000);
    await archive.skip(3, HOUR + 600_000);
    expect(await gapsIn(archive)).toEqual([
      { first: 2, last: 2, from: HOUR + 60_000, to: HOUR + 60_000 },
      { first: 3, last: 3, from: HOUR + 600_000, to: HOUR + 600_000 },
    ]);
  });
});

it('gaps.G2 an answer with too many gaps has the nearest ones as one, and leaves out none', async () => {
  const archive = await opened();
  const many = HISTORY_GAPS + 500;
  // Every third position is lost; between the first ten gaps is more time than between the others.
  let at = HOUR;
  for (let n = 0; n <= many; n += 1) {
    await give(archive, 3 * n + 1, at);
    at += n < 10 ? 100_000 : 1_000;
    await give(archive, 3 * n + 2, at);
    at += 1_000;
  }
  const gaps = await gapsIn(archive);
  expect(gaps).toHaveLength(HISTORY_GAPS);
  const lost = Array.from({ length: many }, (_, n) => 3 * n + 3);
  const isSaid = (position: number): boolean =>
    gaps.some(({ first, last }) => first <= position && position <= last);
  expect(lost.filter((position) => !isSaid(position))).toEqual([]);
  expect(gaps.slice(0, 9).map(({ first, last }) => [first, last])).toEqual(
    lost.slice(0, 9).map((position) => [position, position]),
  );
});

it('gaps.G2 a gap becomes one with the one before it, wherever they are among the others', () => {
  const gap = (first: number, at: number): Gap => ({ first, last: first, from: at, to: at });
  const apart = [gap(1, 0), gap(3, 900_000), gap(5, 1_800_000)];
  const near = [gap(7, 2_700_000), gap(9, 2_760_000), gap(11, 2_820_000)];
  const one = { first: 7, last: 11, from: 2_700_000, to: 2_820_000 };
  expect(boundedGaps([[...apart, ...near]], 4)).toEqual([...apart, one]);
  expect(boundedGaps([[...apart, ...near]], 6)).toEqual([...apart, ...near]);
});

it('manifest.M3 a description that could not be read again is not written', async () => {
  const disk = new FragileDisk();
  const about = {
    first: 1,
    last: 1,
    level: 'part',
    stream: 'S1',
    received: [0, 0],
    samples: 0,
    targets: { ['x'.repeat(ARCHIVE_MANIFEST_BYTES)]: [0, 0] },
    gaps: [],
    files: [],
  } as const;
  disk.makeDirectory('/S1');
  expect(() => writeManifest(disk, '/S1', about, [])).toThrow(/manifest.json would have \d+ bytes/);
  expect(disk.list('/S1')).toEqual([]);
});
