/** Rows of one packet whose columns differ from target to target, in one file: whatever they are, they are written. */

import { describe, expect, it } from 'vitest';
import { Archive } from '../../archive/archive.ts';
import type { FileSystem } from '../../archive/file-system.ts';
import { workHere } from '../../archive/workshop.ts';
import type { SampleValue } from '../../contract/history.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { FragileDisk } from './fragile-disk.ts';
import { blockOf, type Cell, HOUR, messageOf, PLATFORM } from './values.ts';

const [F64, I64] = [0, 4];

async function opened(files: FileSystem): Promise<Archive> {
  return Archive.open(workHere('', files), { stream: 'S1', clock: new ManualClock(HOUR) });
}

/** Ten rows of a measure. */
async function give(archive: Archive, position: number, target: string, ordinal: number, cells: Cell[]) {
  const rows = Array.from({ length: 10 }, (_, n) => ({
    ground: HOUR + n * 1_000,
    cells: [cells[n % cells.length]!],
  }));
  await archive.append(messageOf(position, [blockOf([ordinal], rows)], { target }), PLATFORM);
}

async function valuesOf(archive: Archive, target: string, measure: string): Promise<SampleValue[]> {
  const query = { target, measures: [measure], from: HOUR, to: HOUR + 10_000, delivery: 'all' } as const;
  return (await archive.samples(query, { limit: 100 })).samples.map(({ value }) => value);
}

const repeated = (values: SampleValue[]): SampleValue[] =>
  Array.from({ length: 10 }, (_, n) => values[n % values.length]!);

describe('row-shape.S1 a column that is text because of one target', () => {
  it('has the unknown values of another one whose numbers are of floating point', async () => {
    const disk = new FragileDisk();
    const archive = await opened(disk);
    await give(archive, 1, 'sat1', I64, [2n ** 60n]);
    await give(archive, 2, 'sat2', I64, [0.5, Number.NaN]);
    expect(await archive.flush()).toBe(true);
    expect(disk.list('/S1/1-2').filter((name) => name.startsWith('values'))).toHaveLength(1);
    expect(await valuesOf(archive, 'sat1', 'power.i64')).toEqual(repeated([2n ** 60n]));
    expect(await valuesOf(archive, 'sat2', 'power.i64')).toEqual(repeated([0.5, null]));
  });

  it('has those of other segments, when they become an hour', async () => {
    const archive = await opened(new FragileDisk());
    await give(archive, 1, 'sat1', I64, [0.5, Number.NaN]);
    await archive.flush();
    await give(archive, 2, 'sat1', I64, [2n ** 60n]);
    await archive.flush();
    await archive.skip(3, HOUR + 3_600_000);
    await archive.flush();
    expect(await archive.maintain()).toBe('1 to 2 of S1 are one hour');
    const values = await valuesOf(archive, 'sat1', 'power.i64');
    expect(values.filter((value) => value === null)).toHaveLength(5);
    expect(values.filter((value) => value === 2n ** 60n)).toHaveLength(10);
  });

  it('has the -0 of another one', async () => {
    const archive = await opened(new FragileDisk());
    await give(archive, 1, 'sat1', F64, ['text']);
    await give(archive, 2, 'sat2', F64, [-0, 0, 1.5]);
    expect(await archive.flush()).toBe(true);
    expect(await valuesOf(archive, 'sat2', 'power.f64')).toEqual(repeated([-0, 0, 1.5]));
  });
});

describe('write-part.P1 rows that cannot be written together though each can', () => {
  /** A disk, and the names of files at which the encoder fails: no fault of the system. */
  function defective(disk: FragileDisk, fails: RegExp): FileSystem {
    return new Proxy<FileSystem>(disk, {
      get: (whole, name) => {
        if (name !== 'create') return Reflect.get(whole, name).bind(whole);
        return (path: string) => {
          const file = whole.create(path);
          if (!fails.test(path)) return file;
          const append = (): void => {
            throw new Error('the encoder has a defect');
          };
          return { append, sync: () => file.sync(), close: () => file.close() };
        };
      },
    });
  }

  it.each([
    ['are by the columns of each', /values-\w+-0\.parquet$/, ['values', 'values']],
    ['are sample by sample where those fail, too', /values-/, ['long']],
  ])('%s', async (_name, fails, kinds) => {
    const disk = new FragileDisk();
    const archive = await opened(defective(disk, fails));
    await give(archive, 1, 'sat1', I64, [2n ** 60n]);
    await give(archive, 2, 'sat2', I64, [0.5]);
    await give(archive, 3, 'sat1', I64, [2n ** 61n]);
    expect(await archive.flush()).toBe(true);
    expect(archive.trouble).toBeUndefined();
    expect(archive.contents).toMatchObject({ segments: 1, samples: 30, waiting: 0 });
    const files = disk.list('/S1/1-3').filter((name) => name.endsWith('.parquet'));
    expect(files.map((name) => name.split('-')[0]).sort()).toEqual(kinds);
    expect(await valuesOf(archive, 'sat1', 'power.i64')).toHaveLength(20);
    expect(await valuesOf(archive, 'sat2', 'power.i64')).toEqual(repeated([0.5]));
  });
});
