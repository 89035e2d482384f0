/** What breaks: one segment, and it is said; a disk that is full; streams that lose their past or begin again. */

import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Archive, type ArchiveOptions } from '../../archive/archive.ts';
import { type Workshop, workHere } from '../../archive/workshop.ts';
import { isStream } from '../../archive/writing-place.ts';
import type { HistorySample } from '../../contract/history.ts';
import { ARCHIVE_AGAIN_MS } from '../../contract/limits/archive.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { FragileDisk } from './fragile-disk.ts';
import { blockOf, HOUR, messageOf, PLATFORM } from './values.ts';

const QUERY = {
  target: 'sat1',
  measures: ['power.u8'],
  from: HOUR - 1_000,
  to: HOUR + 86_400_000,
  delivery: 'all',
} as const;

const clock = new ManualClock(HOUR);

async function opened(disk: FragileDisk, more: Partial<ArchiveOptions> = {}): Promise<Archive> {
  return Archive.open(workHere('', disk), { stream: 'S1', clock, ...more });
}

/** Ten rows of one measure; the value is the position. */
function message(position: number, storedMs = HOUR + position * 60_000) {
  const rows = [...Array(10).keys()].map((n) => ({ ground: storedMs + n * 1_000, cells: [position] }));
  return messageOf(position, [blockOf([2], rows)], { storedMs });
}

async function segment(archive: Archive, position: number): Promise<void> {
  await archive.append(message(position), PLATFORM);
  expect(await archive.flush()).toBe(true);
}

const positions = (samples: readonly HistorySample[]): number[] => [
  ...new Set(samples.map(({ position }) => position)),
];

async function readPositions(archive: Archive): Promise<number[]> {
  return positions((await archive.samples(QUERY, { limit: 10_000 })).samples);
}

async function valuesFile(disk: FragileDisk, name: string): Promise<string> {
  return `/S1/${name}/${disk.list(`/S1/${name}`).find((each) => each.startsWith('values'))}`;
}

describe('a damaged segment', () => {
  it('is left out of answers and said, and the others answer', async () => {
    const disk = new FragileDisk();
    const archive = await opened(disk);
    for (const position of [1, 2, 3]) await segment(archive, position);
    for (let at = 20; at < 300; at += 10) disk.damage(await valuesFile(disk, '2-2'), at);
    const { samples, damaged } = await archive.samples(QUERY, { limit: 10_000 });
    expect(positions(samples)).toEqual([1, 3]);
    expect(damaged).toEqual([
      { segment: { first: 2, last: 2, level: 'part' }, reason: expect.stringMatching(/2-2.*damaged/) },
    ]);
    const buckets = await archive.buckets(QUERY, 100);
    expect(buckets.damaged).toMatchObject([{ segment: damaged[0]!.segment }]);
    expect(buckets.measures[0]!.n.reduce((sum, n) => sum + n, 0)).toBe(20);
  });

  it('is never compacted, and holds nothing else up', async () => {
    const disk = new FragileDisk();
    const said: string[] = [];
    const archive = await opened(disk, { log: (text) => said.push(text) });
    for (const position of [1, 2, 61, 62, 150]) await segment(archive, position);
    disk.damage(await valuesFile(disk, '2-2'), 150);
    expect(await archive.maintain()).toBeUndefined();
    expect(said).toEqual([expect.stringMatching(/1 to 2 of S1 could not be compacted: .*is damaged/)]);
    // Position 61 covers those that were lost before it.
    expect(await archive.maintain()).toMatch(/^3 to 62 of S1 are one hour/);
    expect(disk.list('/S1')).toContain('1-1');
  });

  it('whose manifest is unreadable is set aside, and its positions are read again', async () => {
    const disk = new FragileDisk();
    const first = await opened(disk);
    for (const position of [1, 2, 3]) await segment(first, position);
    disk.damage('/S1/2-2/manifest.json', 100);
    const said: string[] = [];
    const archive = await opened(disk, { log: (text) => said.push(text) });
    expect(said).toEqual([expect.stringMatching(/positions 2 to 2 cannot be read: .*wrong digest/)]);
    expect(await readPositions(archive)).toEqual([1, 3]);
    expect(archive.readFrom).toBe(2);
    // The stream still has them: what is archived is skipped.
    for (const position of [2, 3, 4]) await archive.append(message(position), PLATFORM);
    await archive.flush();
    expect(await readPositions(archive)).toEqual([1, 2, 3, 4]);
    expect([...disk.list('/S1')].sort()).toEqual(['1-1', '2-2', '3-3', '4-4', 'damaged-2-2']);
    expect((await opened(disk)).damaged).toEqual([]);
  });
});

describe('positions that are missing', () => {
  it('are never covered by a compaction, and become a gap where the stream has them no more', async () => {
    const disk = new FragileDisk();
    const first = await opened(disk);
    for (const position of [1, 2, 3, 4, 5, 6, 70]) await segment(first, position);
    for (const name of ['2-2', '4-4']) disk.damage(`/S1/${name}/manifest.json`, 100);
    const archive = await opened(disk);
    while ((await archive.maintain()) !== undefined);
    expect(archive.readFrom).toBe(2);
    // Position 3 is in a segment, 4 is read again; 2 and what was lost before 70 are gone.
    await archive.append(message(4), PLATFORM);
    await archive.append(message(71), PLATFORM);
    await archive.flush();
    expect(archive.readFrom).toBe(72);
    const { samples, gaps } = await archive.samples(QUERY, { limit: 1_000 });
    expect(positions(samples)).toEqual([1, 3, 4, 5, 6, 70, 71]);
    expect(gaps.map((gap) => [gap.first, gap.last])).toEqual([
      [2, 2],
      [7, 69],
    ]);
    while ((await archive.maintain()) !== undefined);
    expect(await readPositions(await opened(disk))).toEqual([1, 3, 4, 5, 6, 70, 71]);
  });
});

describe('a disk that is full', () => {
  it('is a reason and no loss: what was taken is written when there is room', async () => {
    const disk = new FragileDisk();
    const said: string[] = [];
    const archive = await opened(disk, { log: (text) => said.push(text) });
    await segment(archive, 1);
    disk.room = 100;
    await archive.append(message(2), PLATFORM);
    expect(await archive.flush()).toBe(false);
    expect(archive.trouble).toMatch(/no space left/);
    expect(archive.position).toBe(1);
    await archive.append(message(3), PLATFORM);
    expect(await readPositions(archive)).toEqual([1, 2, 3]);
    disk.room = Number.POSITIVE_INFINITY;
    clock.advance(ARCHIVE_AGAIN_MS);
    expect(await archive.flush()).toBe(true);
    expect(archive.trouble).toBeUndefined();
    expect(archive.position).toBe(3);
    expect(await readPositions(await opened(disk))).toEqual([1, 2, 3]);
    expect(said).toHaveLength(1);
    expect(disk.list('/S1').filter((name) => name.startsWith('tmp-'))).toEqual([]);
  });

  it('makes who gives messages wait, and not the memory grow', async () => {
    const disk = new FragileDisk();
    const archive = await opened(disk, { tailSamples: 15, openSamples: 5 });
    disk.room = 100;
    await archive.append(message(1), PLATFORM);
    let taken = false;
    const second = archive.append(message(2), PLATFORM).then(() => {
      taken = true;
    });
    await archive.flush();
    expect(taken).toBe(false);
    disk.room = Number.POSITIVE_INFINITY;
    await archive.flush();
    await second;
    expect(archive.position).toBe(2);
  });

  it('archive/archive.V4 is left alone between two attempts, however many messages wait for room', async () => {
    const disk = new FragileDisk();
    const moved = new ManualClock(HOUR);
    const whole = workHere('', disk);
    let attempts = 0;
    const work: Workshop = Object.assign({}, whole, {
      do: async (...call: Parameters<Workshop['do']>) => {
        if (call[0] === 'seal') attempts += 1;
        await setImmediate();
        return (whole.do as (...given: unknown[]) => unknown)(...call);
      },
    });
    const bounds = { tailSamples: 25, openSamples: 5 };
    const archive = await Archive.open(work, { stream: 'S1', clock: moved, ...bounds });
    disk.room = 100;
    await archive.append(message(1), PLATFORM);
    await archive.append(message(2), PLATFORM);
    const third = archive.append(message(3), PLATFORM);
    const turns = async (): Promise<void> => {
      for (let turn = 0; turn < 40; turn += 1) await setImmediate();
    };
    for (const expected of [1, 2, 3]) {
      await turns();
      expect(attempts).toBe(expected);
      moved.advance(ARCHIVE_AGAIN_MS);
    }
    disk.room = Number.POSITIVE_INFINITY;
    await turns();
    moved.advance(ARCHIVE_AGAIN_MS);
    await third;
    expect([archive.position, archive.trouble]).toEqual([3, undefined]);
  });

  it('leaves parts as they are where a compaction does not fit', async () => {
    const disk = new FragileDisk();
    const archive = await opened(disk);
    for (const position of [1, 2, 61]) await segment(archive, position);
    disk.room = 100;
    expect(await archive.maintain()).toBeUndefined();
    expect(await readPositions(archive)).toEqual([1, 2, 61]);
    disk.room = Number.POSITIVE_INFINITY;
    expect(await archive.maintain()).toBe('1 to 2 of S1 are one hour');
    expect(await readPositions(archive)).toEqual([1, 2, 61]);
  });
});

describe('a stream', () => {
  it('that lost messages says so before there is a segment, and once when there is one', async () => {
    const archive = await opened(new FragileDisk());
    for (const position of [1, 10]) await archive.append(message(position), PLATFORM);
    const before = await archive.samples({ ...QUERY, to: HOUR + 600_001 }, { limit: 100 });
    expect(before.gaps.map(({ first, last }) => [first, last])).toEqual([[2, 9]]);
    const sealing = archive.flush();
    const meanwhile = await archive.samples({ ...QUERY, to: HOUR + 600_001 }, { limit: 100 });
    expect(meanwhile.gaps).toEqual(before.gaps);
    await sealing;
    const after = await archive.buckets({ ...QUERY, to: HOUR + 600_001 }, 10);
    expect(after.gaps).toEqual(before.gaps);
  });

  it('that lost messages before they were archived has a gap, which survives compaction', async () => {
    const disk = new FragileDisk();
    const archive = await opened(disk);
    await segment(archive, 1);
    await segment(archive, 10);
    await segment(archive, 130);
    const gap = { first: 2, last: 9, from: HOUR + 60_000, to: HOUR + 600_000 };
    expect((await archive.samples({ ...QUERY, to: HOUR + 600_000 }, { limit: 100 })).gaps).toEqual([gap]);
    while ((await archive.maintain()) !== undefined);
    const again = await opened(disk);
    expect((await again.buckets({ ...QUERY, to: HOUR + 600_000 }, 10)).gaps[0]).toEqual(gap);
    // Nothing was lost in the time behind it, and silence is no gap.
    expect((await again.samples({ ...QUERY, from: HOUR + 8_000_000 }, { limit: 10 })).gaps).toEqual([]);
  });

  it('that had let its beginning go before it was first read has a gap in front', async () => {
    const archive = await opened(new FragileDisk());
    await segment(archive, 5);
    const { gaps } = await archive.samples(QUERY, { limit: 100 });
    expect(gaps).toEqual([{ first: 1, last: 4, from: 0, to: HOUR + 300_000 }]);
  });

  it('that was made again begins at 1 and is kept apart; the past of the other one is answered', async () => {
    const disk = new FragileDisk();
    const before = await opened(disk);
    for (const position of [1, 2, 3]) await segment(before, position);
    const archive = await opened(disk, { stream: 'S2' });
    expect([archive.readFrom, archive.position]).toEqual([1, 0]);
    await archive.append(message(1, HOUR + 3_600_000), PLATFORM);
    await archive.flush();
    expect([...disk.list('/')].filter(isStream).sort()).toEqual(['S1', 'S2']);
    const { samples } = await archive.samples(QUERY, { limit: 1_000 });
    expect(samples.map(({ value }) => value)).toEqual([1, 2, 3, 1].flatMap((value) => Array(10).fill(value)));
    // Nothing comes to the first one any more: its last hour is compacted, too.
    expect(await archive.maintain()).toBe('1 to 3 of S1 are one hour');
  });
});

describe('retention', () => {
  it('deletes samples before minutes, and answers say so', async () => {
    const disk = new FragileDisk();
    const moved = new ManualClock(HOUR);
    const retention = { samplesMs: 86_400_000, minutesMs: 10 * 86_400_000 };
    let archive = await opened(disk, { clock: moved, retention });
    for (const position of [1, 2, 61]) await segment(archive, position);
    expect(await archive.maintain()).toBe('1 to 2 of S1 are one hour');
    const whole = await archive.buckets({ ...QUERY, to: HOUR + 3_600_000 }, 20);
    moved.advance(2 * 86_400_000);
    while ((await archive.maintain()) !== undefined);
    expect([...disk.list('/S1')].sort()).toEqual(['1-2.minutes', '3-61']);
    const thinned = await archive.buckets({ ...QUERY, to: HOUR + 3_600_000 }, 20);
    expect(thinned).toEqual({ ...whole, thinned: true });
    archive = await opened(disk, { clock: moved, retention });
    expect(await readPositions(archive)).toEqual([61]);
    moved.advance(10 * 86_400_000);
    expect(await archive.maintain()).toMatch(/^removed/);
    // The newest one says from where on the stream is to be read.
    expect(disk.list('/S1')).toEqual(['3-61']);
    expect((await opened(disk)).readFrom).toBe(62);
  });
});

describe('a compaction that was committed and not synced', () => {
  it('is synced before its parts are removed: a power cut behind the next start takes neither', async () => {
    const disk = new FragileDisk();
    const archive = await opened(disk);
    for (const position of [1, 2, 61]) await segment(archive, position);
    // The process dies at the sync of the directory, behind the rename.
    const sync = disk.syncDirectory.bind(disk);
    disk.syncDirectory = (path) => {
      if (path === '/S1' && disk.list(path).includes('1-2.hour')) throw new Error('died');
      sync(path);
    };
    expect(await archive.maintain()).toBeUndefined();
    disk.syncDirectory = sync;
    expect([...(disk.list('/S1') ?? [])].sort()).toEqual(['1-1', '1-2.hour', '2-2', '3-61']);
    await opened(disk);
    // The removal of the parts is on the disk, and the rename only if it was synced.
    disk.powerCut((name) => (name === '1-2.hour' ? 0.9 : 0.1));
    expect(await readPositions(await opened(disk))).toEqual([1, 2, 61]);
  });
});
