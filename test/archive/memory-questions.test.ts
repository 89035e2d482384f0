/** Questions about what is in memory cost what they look at, and let the loop serve others meanwhile. */

import { describe, expect, it } from 'vitest';
import { Archive } from '../../archive/archive.ts';
import type { PlatformColumns } from '../../archive/platform-columns.ts';
import { workHere } from '../../archive/workshop.ts';
import type { LoggedEvent } from '../../contract/event.ts';
import type { EventQuery } from '../../contract/event-query.ts';
import type { HistoryQuery } from '../../contract/history.ts';
import { HISTORY_SLICE } from '../../contract/limits/archive.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { FragileDisk } from './fragile-disk.ts';
import { blockOf, HOUR, MEASURES, messageOf, PLATFORM } from './values.ts';

const QUERY: HistoryQuery = {
  target: 'sat1',
  measures: ['power.u8'],
  from: HOUR,
  to: HOUR + 60_000,
  delivery: 'all',
};
const SLICES = 4;

function opened(): Promise<Archive> {
  return Archive.open(workHere('', new FragileDisk()), { stream: 'S1', clock: new ManualClock(HOUR) });
}

/** How often the loop served others until it was answered. */
async function turnsOf(ask: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await ask();
  isOver = true;
  return turns;
}

/** Messages of one row each, some slices of them. */
async function filled(ordinals: readonly number[], ground: number, platform = PLATFORM): Promise<Archive> {
  const archive = await opened();
  const block = blockOf(ordinals, [{ ground, cells: ordinals.map(() => 1) }]);
  for (let position = 1; position <= SLICES * HISTORY_SLICE; position += 1)
    await archive.append(messageOf(position, [block]), platform);
  return archive;
}

describe('history-questions.Q3 samples in memory', () => {
  it.each([
    ['of another measure', [3], HOUR + 1],
    ['of another time', [2], HOUR - 1],
    ['that are asked for', [2], HOUR + 1],
  ])('%s are looked at in slices, and no more of them when nobody waits', async (_name, ordinals, ground) => {
    const archive = await filled(ordinals, ground);
    const samples = () => archive.samples(QUERY, { limit: 10 });
    expect(await turnsOf(samples)).toBeGreaterThanOrEqual(SLICES);
    expect(await turnsOf(() => archive.buckets(QUERY, 10))).toBeGreaterThanOrEqual(SLICES);
    const given = new AbortController();
    setImmediate(() => given.abort(new Error('nobody waits')));
    await expect(archive.samples(QUERY, { limit: 10 }, given.signal)).rejects.toThrow('nobody waits');
  });

  it('of one large block are looked at in slices', async () => {
    const archive = await opened();
    const rows = Array.from({ length: SLICES * HISTORY_SLICE }, (_, n) => ({
      ground: HOUR + n,
      cells: [n % 256],
    }));
    await archive.append(messageOf(1, [blockOf([2], rows)]), PLATFORM);
    expect(await turnsOf(() => archive.buckets(QUERY, 10))).toBeGreaterThanOrEqual(SLICES);
  });

  it('tail.T2 are found by columns that are looked up once for each packet, and not where the time is another', async () => {
    let reads = 0;
    const counted: PlatformColumns = {
      digest: PLATFORM.digest,
      get measures() {
        reads += 1;
        return MEASURES;
      },
    };
    const ordinals = [0, 1, 2, 3];
    const archive = await filled(ordinals, HOUR + 1, counted);
    reads = 0;
    await archive.samples({ ...QUERY, from: HOUR + 10 }, { limit: 10 });
    expect(reads).toBe(0);
    await archive.buckets({ ...QUERY, measures: ['power.u8', 'power.u64'] }, 10);
    expect(reads).toBe(ordinals.length);
  });
});

describe('events in memory', () => {
  const eventOf = (n: number): LoggedEvent => ({
    time: new Date(HOUR + n).toISOString(),
    kind: 'log',
    severity: 'info',
    subject: `s${n}`,
    text: `Event ${n}.`,
    source: `S:${n}`,
  });

  async function logged(): Promise<Archive> {
    const archive = await opened();
    for (let position = 0; position < SLICES; position += 1) {
      const events = Array.from({ length: HISTORY_SLICE }, (_, n) => eventOf(position * HISTORY_SLICE + n));
      await archive.record({ position: position + 1, storedMs: HOUR, batch: { events } });
    }
    return archive;
  }

  it('history-questions.Q3 are looked at in slices', async () => {
    const archive = await logged();
    const nothing = { from: 0, to: 1e13, where: {}, text: 'nothing' };
    expect(await turnsOf(() => archive.events(nothing, { limit: 5 }))).toBeGreaterThanOrEqual(SLICES);
  });

  it('are looked at from the newest on, until the page is full', async () => {
    const archive = await logged();
    let looked = 0;
    const query: EventQuery = {
      get from() {
        looked += 1;
        return 0;
      },
      to: 1e13,
      where: {},
    };
    const { events, next } = await archive.events(query, { limit: 5 });
    const newest = SLICES * HISTORY_SLICE - 1;
    expect(events.map(({ subject }) => subject)).toEqual([0, 1, 2, 3, 4].map((n) => `s${newest - n}`));
    expect(next).toMatchObject({ position: SLICES, index: HISTORY_SLICE - 5 });
    expect(looked).toBeLessThan(20);
  });
});
