/**
 * What an opening and a question cost, counted in what is read of the disk: it does not grow with what is not asked
 * for.
 */

import { describe, expect, it } from 'vitest';
import { Archive } from '../../archive/archive.ts';
import type { FileSystem } from '../../archive/file-system.ts';
import { workHere } from '../../archive/workshop.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { FragileDisk } from './fragile-disk.ts';
import { blockOf, HOUR, messageOf, PLATFORM } from './values.ts';

const DAY = 86_400_000;
const TARGETS = ['sat1', 'sat2', 'sat3'];

interface Reads {
  files: number;
  bytes: number;
}

/** The disk, and what was read of it. */
function counted(disk: FragileDisk): { files: FileSystem; reads: Reads } {
  const reads = { files: 0, bytes: 0 };
  const files = new Proxy<FileSystem>(disk, {
    get: (whole, name) => {
      if (name !== 'open') return Reflect.get(whole, name).bind(whole);
      return (path: string) => {
        const file = whole.open(path);
        reads.files += 1;
        const read = (offset: number, length: number): Uint8Array => {
          reads.bytes += length;
          return file.read(offset, length);
        };
        return { bytes: file.bytes, read, close: () => file.close() };
      };
    },
  });
  return { files, reads };
}

async function archiveOf(days: number): Promise<FragileDisk> {
  const disk = new FragileDisk();
  const archive = await Archive.open(workHere('', disk), { stream: 'S1', clock: new ManualClock(HOUR) });
  let position = 0;
  for (let day = 0; day < days; day += 1) {
    for (const target of TARGETS) {
      position += 1;
      const storedMs = HOUR + day * DAY;
      const rows = [...Array(20).keys()].map((n) => ({ ground: storedMs + n * 1_000, cells: [n, n, n] }));
      await archive.append(messageOf(position, [blockOf([0, 2, 10], rows)], { target, storedMs }), PLATFORM);
    }
    await archive.flush();
  }
  return disk;
}

async function costOf(days: number): Promise<{ opening: Reads; buckets: Reads; samples: Reads }> {
  const { files, reads } = counted(await archiveOf(days));
  const archive = await Archive.open(workHere('', files), { stream: 'S1', clock: new ManualClock(HOUR) });
  const since = (before: Reads): Reads => ({
    files: reads.files - before.files,
    bytes: reads.bytes - before.bytes,
  });
  const opening = { ...reads };
  const from = HOUR + 3 * DAY;
  const query = {
    target: 'sat2',
    measures: ['power.u8'],
    from,
    to: from + 3_600_000,
    delivery: 'all',
  } as const;
  expect((await archive.buckets(query, 60)).measures[0]!.n.reduce((sum, n) => sum + n, 0)).toBe(20);
  const buckets = since(opening);
  const before = { ...reads };
  expect((await archive.samples(query, { limit: 100 })).samples).toHaveLength(20);
  return { opening, buckets, samples: since(before) };
}

describe('an archive of many days', () => {
  it('answers an hour for what the hour has, and opens for one manifest a segment', async () => {
    const [month, year] = [await costOf(30), await costOf(365)];
    expect(year.opening.files).toBe(365);
    expect(month.opening.files).toBe(30);
    expect(year.opening.bytes / 365).toBeLessThan(1.05 * (month.opening.bytes / 30));
    // The manifest, its shape and the one file: positions have more digits in a year.
    expect(year.buckets.files).toBe(month.buckets.files);
    expect(year.buckets.bytes).toBeLessThan(1.05 * month.buckets.bytes);
    expect(year.samples.files).toBe(month.samples.files);
    expect(year.samples.bytes).toBeLessThan(1.05 * month.samples.bytes);
  });

  it('reads of a file the columns that are asked for, of the target that is asked for', async () => {
    const { samples } = await costOf(5);
    const disk = await archiveOf(5);
    const [segment] = disk.list('/S1');
    const file = disk.list(`/S1/${segment}`).find((name) => name.startsWith('values'));
    // One of three targets, five of ten columns, and the index.
    expect(samples.bytes).toBeLessThan(disk.open(`/S1/${segment}/${file}`).bytes / 3);
  });
});
