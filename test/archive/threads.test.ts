/** The archive with its threads, on the disk of the machine. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Archive } from '../../archive/archive.ts';
import { type Workshop, workHere, workInThreads } from '../../archive/workshop.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { blockOf, HOUR, messageOf, PLATFORM, samplesOf } from './values.ts';

const KEYS = ['power.u8', 'power.i64', 'power.mode'];
const QUERY = { target: 'sat1', measures: KEYS, from: HOUR, to: HOUR + 86_400_000, delivery: 'all' } as const;

let folder: string;
let work: Workshop;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mcs-archive-'));
  work = workInThreads(folder);
});
afterEach(async () => {
  await work.end();
  rmSync(folder, { recursive: true, force: true });
});

function message(position: number) {
  const rows = [...Array(9).keys()].map((n) => ({
    ground: HOUR + position * 600_000 + n,
    cells: [n, 2n ** 60n + BigInt(n), n % 2],
  }));
  return messageOf(position, [blockOf([2, 4, 9], rows)], { storedMs: HOUR + position * 600_000 });
}

const expected = (count: number) =>
  [...Array(count).keys()].flatMap((n) =>
    samplesOf(message(n + 1)).map(({ key, ...sample }) => ({ ...sample, measure: KEYS.indexOf(key) })),
  );

describe('threads', () => {
  it('write, compact and answer; what is opened again has it all', async () => {
    const options = { stream: 'S1', clock: new ManualClock(HOUR) };
    const archive = await Archive.open(work, options);
    for (let position = 1; position <= 8; position += 1) {
      await archive.append(message(position), PLATFORM);
      if (position % 2 === 0) expect(await archive.flush()).toBe(true);
    }
    expect(await archive.maintain()).toBe('1 to 6 of S1 are one hour');
    expect((await archive.samples(QUERY, { limit: 1_000 })).samples).toEqual(expected(8));
    await archive.close();
    const again = await Archive.open(workHere(folder), options);
    expect((await again.samples(QUERY, { limit: 1_000 })).samples).toEqual(expected(8));
    await again.close();
  });

  it('that end lose nothing: what is in memory is given to another one', async () => {
    const archive = await Archive.open(work, { stream: 'S1', clock: new ManualClock(HOUR) });
    await archive.append(message(1), PLATFORM);
    await work.end();
    await archive.append(message(2), PLATFORM);
    expect(await archive.flush()).toBe(false);
    expect(archive.trouble).toMatch(/0 messages were gathered and 2 given/);
    expect(await archive.flush()).toBe(true);
    expect(archive.trouble).toBeUndefined();
    expect((await archive.samples(QUERY, { limit: 1_000 })).samples).toEqual(expected(2));
  });

  it('that end right before the archive is closed lose nothing', async () => {
    const options = { stream: 'S1', clock: new ManualClock(HOUR) };
    const archive = await Archive.open(work, options);
    await archive.append(message(1), PLATFORM);
    await work.end();
    await archive.close();
    expect((await Archive.open(workHere(folder), options)).readFrom).toBe(2);
  });

  it('that end while nothing is in memory learn platforms again', async () => {
    const archive = await Archive.open(work, { stream: 'S1', clock: new ManualClock(HOUR) });
    await archive.append(message(1), PLATFORM);
    await archive.flush();
    await work.end();
    await archive.append(message(2), PLATFORM);
    expect(await archive.flush()).toBe(false);
    expect(await archive.flush()).toBe(true);
    expect((await archive.samples(QUERY, { limit: 1_000 })).samples).toEqual(expected(2));
  });

  it('give up a question that nobody waits for any more', async () => {
    const archive = await Archive.open(work, { stream: 'S1', clock: new ManualClock(HOUR) });
    await archive.append(message(1), PLATFORM);
    await archive.flush();
    const given = new AbortController();
    const asked = archive.samples(QUERY, { limit: 1 }, given.signal);
    given.abort(new Error('gone'));
    await expect(asked).rejects.toThrow('gone');
    expect((await archive.samples(QUERY, { limit: 1 })).samples).toHaveLength(1);
  });
});
