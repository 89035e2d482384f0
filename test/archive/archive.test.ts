import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Archive } from '../../archive/archive.ts';
import { workHere } from '../../archive/workshop.ts';
import { isStream } from '../../archive/writing-place.ts';
import type { HistorySample } from '../../contract/history.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { FragileDisk } from './fragile-disk.ts';
import { blockOf, HOUR, MEASURES, messageOf, PLATFORM, samplesOf } from './values.ts';

const KEYS = MEASURES.map(({ key }) => key);
const folders: string[] = [];

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'mcs-archive-'));
  folders.push(path);
  return path;
}

afterEach(() => {
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
});

const row = (n: number) => ({
  ground: HOUR + n * 1_000 + 0.25,
  onboard: HOUR + n * 1_000,
  cells: [
    n / 3,
    Math.fround(n / 7),
    n % 256,
    n,
    n % 5 === 0 ? 2n ** 60n + BigInt(n) : n,
    n % 4 === 0 ? 2n ** 63n + 7n : n,
    n % 2,
    `name ${n}`,
    'c0ffee',
    n % 9,
    7_000 + n,
    8_000 + n,
  ],
});

describe('samples', () => {
  it.each([4, 20])('are read as they were given, from memory and from segments (%i rows)', async (rows) => {
    const message = messageOf(1, [
      blockOf(
        KEYS.map((_, n) => n),
        Array.from({ length: rows }, (_, n) => row(n)),
      ),
    ]);
    const archive = await Archive.open(workHere(folder()), { stream: 'S1', clock: new ManualClock(HOUR) });
    await archive.append(message, PLATFORM);
    const query = {
      target: 'sat1',
      measures: KEYS,
      from: HOUR,
      to: HOUR + 3_600_000,
      delivery: 'all' as const,
    };
    const expected = samplesOf(message).map(
      ({ key, ...sample }): HistorySample => ({ ...sample, measure: KEYS.indexOf(key) }),
    );
    const inMemory = await archive.samples(query, { limit: 10_000 });
    expect(inMemory.samples).toEqual(expected);
    expect(await archive.flush()).toBe(true);
    expect(archive.contents).toMatchObject({
      begins: expect.any(Number),
      segments: 1,
      samples: rows * KEYS.length,
      waiting: 0,
    });
    const inSegment = await archive.samples(query, { limit: 10_000 });
    expect(inSegment.samples).toEqual(expected);
  });
});

it('a stream whose first segment never came leaves nothing', async () => {
  const path = folder();
  mkdirSync(join(path, 'S1'));
  mkdirSync(join(path, 'S2'));
  const archive = await Archive.open(workHere(path), { stream: 'S2', clock: new ManualClock(HOUR) });
  expect(readdirSync(path).filter(isStream)).toEqual([]);
  await archive.append(messageOf(1, [blockOf([0], [{ ground: HOUR, cells: [1] }])]), PLATFORM);
  expect(await archive.flush()).toBe(true);
  expect(readdirSync(path).filter(isStream)).toEqual(['S2']);
  const again = await Archive.open(workHere(path), { stream: 'S2', clock: new ManualClock(HOUR) });
  expect(again.position).toBe(1);
});

it('nothing that it did leaves a file open: hours and days, questions, retention, and what cannot be written', async () => {
  const disk = new FragileDisk();
  disk.makeDirectory('/archive');
  const archive = await Archive.open(workHere('/archive', disk), {
    stream: 'S1',
    clock: new ManualClock(HOUR),
  });
  const day = 86_400_000;
  const query = { target: 'sat1', measures: ['power.u8'], from: HOUR, to: HOUR + 2 * day } as const;
  for (let n = 0; n < 30; n += 1) {
    const ground = HOUR + n * 3_600_000;
    const rows = Array.from({ length: 9 }, (_, row) => ({
      ground: ground + row,
      cells: [n, 2n ** 60n, n % 2],
    }));
    const block = blockOf([2, 4, 9], rows);
    await archive.append(
      messageOf(n + 1, [block], { storedMs: ground, target: n % 2 === 0 ? 'sat1' : 'sat2' }),
      PLATFORM,
    );
    if (n % 2 === 0) await archive.flush();
    for (let done = await archive.maintain(); done !== undefined; done = await archive.maintain()) {
      expect(disk.reading).toBe(0);
    }
  }
  expect((await archive.samples({ ...query, delivery: 'all' }, { limit: 1_000 })).samples.length).toBe(
    15 * 9,
  );
  expect(disk.reading).toBe(0);
  disk.room = 100;
  await archive.append(messageOf(31, [blockOf([2], [{ ground: HOUR + 2 * day, cells: [1] }])]), PLATFORM);
  expect(await archive.flush()).toBe(false);
  await archive.close();
  expect(disk.reading).toBe(0);
});
