/** Samples of the past in order of time: late ones, deferred ones, pages, and what questions may cost. */

import { describe, expect, it } from 'vitest';
import { Archive } from '../../archive/archive.ts';
import { NobodyWaits } from '../../archive/segment-reader.ts';
import { Work } from '../../archive/work.ts';
import { workHere } from '../../archive/workshop.ts';
import type { Cursor, HistorySample } from '../../contract/history.ts';
import { HISTORY_MEASURES, HISTORY_PAGE, HISTORY_POINTS } from '../../contract/limits/archive.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { FragileDisk } from './fragile-disk.ts';
import { blockOf, HOUR, messageOf, PLATFORM } from './values.ts';

const QUERY = {
  target: 'sat1',
  measures: ['power.u8'],
  from: HOUR,
  to: HOUR + 86_400_000,
  delivery: 'all',
} as const;

async function opened(disk = new FragileDisk()): Promise<Archive> {
  return Archive.open(workHere('', disk), { stream: 'S1', clock: new ManualClock(HOUR) });
}

/** Rows of `power.u8` at so many minutes. */
function message(position: number, minutes: readonly number[], more = {}) {
  const rows = minutes.map((minute) => ({ ground: HOUR + minute * 60_000, cells: [position] }));
  return messageOf(position, [blockOf([2], rows)], { storedMs: HOUR + position * 60_000, ...more });
}

const minutes = (samples: readonly HistorySample[]): number[] =>
  samples.map(({ time }) => (time - HOUR) / 60_000);

async function pages(
  archive: Archive,
  limit: number,
  between: (archive: Archive) => Promise<unknown>,
): Promise<HistorySample[][]> {
  const all: HistorySample[][] = [];
  let cursor: Cursor | undefined;
  do {
    const { samples, next } = await archive.samples(
      QUERY,
      cursor === undefined ? { limit } : { cursor, limit },
    );
    all.push([...samples]);
    cursor = next;
    await between(archive);
  } while (cursor !== undefined);
  return all;
}

describe('samples that came out of order', () => {
  it('are in order of time, whatever segment they are in; the deferred among them by choice', async () => {
    const archive = await opened();
    await archive.append(message(1, [10, 11, 30]), PLATFORM);
    await archive.flush();
    await archive.append(message(2, [20, 5, 40, 12, 13, 14, 15, 16]), PLATFORM);
    await archive.flush();
    await archive.append(message(3, [1, 21], { deferred: true }), PLATFORM);
    const asked = async (delivery: 'all' | 'realtime' | 'deferred') =>
      minutes((await archive.samples({ ...QUERY, delivery }, { limit: 100 })).samples);
    expect(await asked('all')).toEqual([1, 5, 10, 11, 12, 13, 14, 15, 16, 20, 21, 30, 40]);
    expect(await asked('realtime')).toEqual([5, 10, 11, 12, 13, 14, 15, 16, 20, 30, 40]);
    expect(await asked('deferred')).toEqual([1, 21]);
  });

  it('from counts in, to does not', async () => {
    const archive = await opened();
    await archive.append(message(1, [1, 2, 3, 4, 5, 6, 7, 8, 9]), PLATFORM);
    const asked = async () =>
      minutes(
        (await archive.samples({ ...QUERY, from: HOUR + 120_000, to: HOUR + 300_000 }, { limit: 9 })).samples,
      );
    expect(await asked()).toEqual([2, 3, 4]);
    await archive.flush();
    expect(await asked()).toEqual([2, 3, 4]);
  });
});

describe('pages', () => {
  it.each([1, 2, 7, 50])(
    'of %i are every sample once, while segments are written and compacted between them',
    async (limit) => {
      const archive = await opened();
      // All of one moment: a clock on board that stands.
      for (let position = 1; position <= 9; position += 1) {
        await archive.append(message(position, [3, 3, 3, position]), PLATFORM);
        if (position % 3 === 0) await archive.flush();
      }
      await archive.append(message(100, [100, 3]), PLATFORM);
      const work = [() => archive.flush(), () => archive.maintain(), () => archive.maintain()];
      const all = await pages(archive, limit, async () => work.shift()?.());
      expect(all.slice(0, -1).every(({ length }) => length === limit)).toBe(true);
      const samples = all.flat();
      expect(samples).toHaveLength(38);
      expect(minutes(samples)).toEqual([...minutes(samples)].sort((one, other) => one - other));
      const counts = new Map<unknown, number>();
      for (const { value } of samples) counts.set(value, (counts.get(value) ?? 0) + 1);
      expect([...counts].sort()).toEqual(
        [[1, 4], [100, 2], ...[2, 3, 4, 5, 6, 7, 8, 9].map((value) => [value, 4])].sort(),
      );
    },
  );
});

describe('a segment that is begun while messages come', () => {
  it('has each of them, or the next one has: writing is asked for at any moment', async () => {
    const disk = new FragileDisk();
    const archive = await opened(disk);
    const written: Promise<boolean>[] = [];
    for (let position = 1; position <= 60; position += 1) {
      const appended = archive.append(message(position, [position]), PLATFORM);
      for (let turn = 0; turn < position % 5; turn += 1) await null;
      written.push(archive.flush());
      await appended;
    }
    expect(await Promise.all(written)).not.toContain(false);
    const { samples } = await (await opened(disk)).samples(QUERY, { limit: 100 });
    expect(samples.map(({ value }) => value)).toEqual([...Array(60).keys()].map((n) => n + 1));
  });
});

describe('questions', () => {
  it('that cost too much are refused, each fault said', async () => {
    const archive = await opened();
    const many = Array.from({ length: HISTORY_MEASURES + 1 }, (_, n) => `power.m${n}`);
    await expect(archive.samples({ ...QUERY, measures: many }, { limit: HISTORY_PAGE + 1 })).rejects.toThrow(
      /101 measures.*a page of 10001 samples/,
    );
    await expect(archive.buckets(QUERY, HISTORY_POINTS + 1)).rejects.toThrow(
      /4001 points of 1 measures: ask for 1 to 4000/,
    );
    await expect(archive.buckets({ ...QUERY, measures: many.slice(1) }, 401)).rejects.toThrow(
      /ask for 1 to 400/,
    );
    await expect(archive.samples({ ...QUERY, from: QUERY.to }, { limit: 1 })).rejects.toThrow(
      /`from` is not before `to`/,
    );
    await expect(archive.samples({ ...QUERY, measures: ['a', 'a'] }, { limit: 1 })).rejects.toThrow(
      /asked for twice/,
    );
    await expect(archive.samples({ ...QUERY, measures: [] }, { limit: 1 })).rejects.toThrow(/no measure/);
  });

  it('that nobody waits for end before their next file', async () => {
    const archive = await opened();
    await archive.append(message(1, [1, 2, 3, 4, 5, 6, 7, 8, 9]), PLATFORM);
    await archive.flush();
    await expect(archive.samples(QUERY, { limit: 1 }, AbortSignal.abort())).rejects.toThrow(/abort/);
  });
});

describe('segment-reader.R3 a question that no file is of', () => {
  /** Three segments of samples and of events, read by a thread of which nobody waits for the second one any more. */
  async function calledOff() {
    const disk = new FragileDisk();
    const archive = await opened(disk);
    for (const position of [1, 2, 3]) {
      await archive.append(message(position, new Array<number>(9).fill(position)), PLATFORM);
      await archive.flush();
    }
    const read: string[] = [];
    const open = disk.open.bind(disk);
    disk.open = (path) => {
      read.push(path);
      return open(path);
    };
    const segments = [1, 2, 3].map((n) => ({
      stream: 'S1',
      first: n,
      last: n,
      level: 'part' as const,
      from: 0,
    }));
    let looked = 0;
    const waited = (): void => {
      looked += 1;
      if (looked === 2) throw new NobodyWaits('nobody waits');
    };
    return { work: new Work(disk, ''), segments, waited, read };
  }
  const NOTHING = { ...QUERY, measures: ['power.nothing'] };

  it.each<[string, (asked: Awaited<ReturnType<typeof calledOff>>) => unknown]>([
    [
      'samples',
      ({ work, segments, waited }) =>
        work.samples(NOTHING, { cursor: undefined, limit: 9 }, segments, waited),
    ],
    [
      'buckets',
      ({ work, segments, waited }) =>
        work.buckets(NOTHING, { start: HOUR, width: 1_000, count: 600, minutes: false }, segments, waited),
    ],
    [
      'events',
      ({ work, segments, waited }) =>
        work.events({ from: 0, to: 1, where: {} }, { limit: 9 }, segments, waited),
    ],
  ])('ends before its next segment, if nobody waits: %s', async (_name, ask) => {
    const asked = await calledOff();
    expect(() => ask(asked)).toThrow(NobodyWaits);
    expect(asked.read.filter((path) => path.endsWith('manifest.json'))).toEqual(['/S1/1-1/manifest.json']);
  });
});

describe('measures of files on board', () => {
  it('are samples by their names, from memory and from segments', async () => {
    const archive = await opened();
    const files = [
      { file: '17', ground: HOUR + 5, onboard: Number.NaN, size: 2 ** 40, checksum: 'ab', transfer: 'DONE' },
    ];
    await archive.append(messageOf(1, [], { files }), PLATFORM);
    const measures = [
      'storage[17].size',
      'storage[17].checksum',
      'storage[17].transfer',
      'storage[17].generation',
    ];
    const asked = async () =>
      (await archive.samples({ ...QUERY, measures }, { limit: 9 })).samples.map(({ value }) => value);
    expect(await asked()).toEqual([2 ** 40, 'ab', 'DONE']);
    await archive.flush();
    expect(await asked()).toEqual([2 ** 40, 'ab', 'DONE']);
  });

  it('long-rows.L3 are null from when they are not known any more, from memory and from segments', async () => {
    const archive = await opened();
    const known = {
      file: '17',
      ground: HOUR + 5,
      onboard: Number.NaN,
      size: 4,
      checksum: 'ab',
      transfer: 'DONE',
    };
    const listed = {
      file: '17',
      ground: HOUR + 9,
      onboard: Number.NaN,
      size: 5,
      unknown: ['checksum', 'transfer'],
    };
    await archive.append(messageOf(1, [], { files: [known, listed] }), PLATFORM);
    const measures = ['storage[17].size', 'storage[17].checksum', 'storage[17].transfer'];
    const asked = async () =>
      (await archive.samples({ ...QUERY, measures }, { limit: 9 })).samples.map(({ value }) => value);
    expect(await asked()).toEqual([4, 'ab', 'DONE', 5, null, null]);
    const buckets = await archive.buckets({ ...QUERY, measures, to: HOUR + 10 }, 1);
    expect(buckets.measures.map(({ value, n }) => [value[0], n[0]])).toEqual([
      [5, 2],
      [null, 2],
      [null, 2],
    ]);
    await archive.flush();
    expect(await asked()).toEqual([4, 'ab', 'DONE', 5, null, null]);
    expect(await archive.buckets({ ...QUERY, measures, to: HOUR + 10 }, 1)).toEqual(buckets);
  });
});
