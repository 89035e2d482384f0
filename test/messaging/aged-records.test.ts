/** Records that are long over, by day and group, on buckets in memory. */

import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { BucketDefinition } from '../../contract/bus/buckets.ts';
import { AGED_DAYS, AGED_ENTRY_BYTES } from '../../contract/limits/aged.ts';
import { AgedRecords, beginOf, DAY_MS, dayOf } from '../../messaging/aged-records.ts';
import type { Written } from '../../ports/bus.ts';
import { seededRandom } from '../../ports/seeded-random.ts';
import { memoryLog } from '../http/fixture.ts';
import { atOnce, Buckets } from './cell-of-buckets.ts';

const KIND = {
  bucket: { name: 'mcs_test_over', history: 1 },
  read: (_group: string, stored: unknown) => (typeof stored === 'string' ? stored : undefined),
};
const NOW = Date.UTC(2026, 5, 1);

function recordsOn(cell: Buckets, turn = atOnce) {
  const log = memoryLog();
  return { records: new AgedRecords<string>({ bus: cell.bus(turn), log }, KIND), log };
}
const add =
  (item: string) =>
  (items: readonly string[]): string[] => [...items, item];
const placeOf = (daysAgo: number, group: string) => {
  const until = NOW - daysAgo * DAY_MS;
  return { day: dayOf(until), group, until };
};

async function found(cell: Buckets): Promise<string[]> {
  const { records } = recordsOn(cell);
  const all: string[] = [];
  for (const { day } of await records.days())
    for (const group of await records.groups(day)) all.push(...(await records.read(day, group)).items);
  return all.sort();
}

/** Everything in the bucket, whether something leads to it or not. */
const stored = (cell: Buckets): string[] =>
  [...cell.of(KIND.bucket)]
    .filter(([key]) => key.includes('.'))
    .flatMap(([, { value }]) => JSON.parse(gunzipSync(value).toString()) as string[])
    .sort();

/** Remembers every write. */
class Remembering extends Buckets {
  readonly writes: [string, Uint8Array][] = [];

  override put(bucket: BucketDefinition, key: string, value: Uint8Array, expected: number): Written {
    const written = super.put(bucket, key, value, expected);
    if (written.outcome === 'written') this.writes.push([key, value]);
    return written;
  }
}

it('aged-records.D2 whatever a store loses of its end, everything that it holds is found', async () => {
  const cell = new Remembering();
  cell.now = NOW;
  const { records } = recordsOn(cell);
  for (const [n, daysAgo] of [3, 2, 3, 9, 2, 9].entries())
    expect(await records.change(placeOf(daysAgo, `g${n % 2}`), NOW, add(`r${n}`))).toBe(true);
  expect(await found(cell)).toEqual(['r0', 'r1', 'r2', 'r3', 'r4', 'r5']);
  for (let kept = 0; kept <= cell.writes.length; kept += 1) {
    const cut = new Buckets();
    for (const [key, value] of cell.writes.slice(0, kept))
      cut.put(KIND.bucket, key, value, cut.of(KIND.bucket).get(key)?.revision ?? 0);
    expect(await found(cut)).toEqual(stored(cut));
  }
});

it('a day says when the last of its records ends, whatever came to it later', async () => {
  const { records } = recordsOn(new Buckets());
  const place = placeOf(2, 'g');
  for (const [n, later] of [0, 5 * DAY_MS, DAY_MS].entries())
    await records.change({ ...place, until: place.until + later }, NOW, add(`r${n}`));
  expect(await records.days()).toEqual([{ day: place.day, until: place.until + 5 * DAY_MS }]);
});

it('aged-records.D3 who changes the same at the same time loses nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      const cell = new Buckets();
      const turn = (): Promise<void> => scheduler.schedule(Promise.resolve()).then(() => undefined);
      const both = ['a', 'b'].map((item, n) =>
        recordsOn(cell, turn).records.change(placeOf(2 + n, 'g'), NOW, add(item)),
      );
      const same = recordsOn(cell, turn).records.change(placeOf(2, 'g'), NOW, add('c'));
      await scheduler.waitFor(Promise.all([...both, same]));
      expect(await found(cell)).toEqual(['a', 'b', 'c']);
    }),
    { numRuns: 100 },
  );
});

it('aged-records.D4 a record that cannot be read is left out, and kept', async () => {
  const cell = new Buckets();
  const { records, log } = recordsOn(cell);
  const place = placeOf(2, 'g');
  await records.change(place, NOW, () => ['a', { of: 'another version' } as unknown as string]);
  expect((await records.read(place.day, 'g')).items).toEqual(['a']);
  await records.change(place, NOW, add('b'));
  expect((await records.read(place.day, 'g')).items).toEqual(['a', 'b']);
  expect(stored(cell)).toContainEqual({ of: 'another version' });
  expect(new Set(log.lines.map(({ level }) => level))).toEqual(new Set(['error']));
});

it('aged-records.D4 a name that is that of no group hides no other of its day, is said once and stays', async () => {
  const cell = new Buckets();
  const { records, log } = recordsOn(cell);
  const place = placeOf(2, 'g');
  await records.change(place, NOW, add('a'));
  const names = ['g', 'no name', ''];
  const { revision } = cell.of(KIND.bucket).get(place.day)!;
  cell.put(KIND.bucket, place.day, gzipSync(JSON.stringify(names)), revision);
  expect([await records.groups(place.day), await records.groups(place.day)]).toEqual([['g'], ['g']]);
  expect(await records.ofDay(place.day)).toEqual(['a']);
  expect(await records.change(placeOf(2, 'h'), NOW, add('b'))).toBe(true);
  expect((await records.ofDay(place.day)).sort()).toEqual(['a', 'b']);
  const stands = gunzipSync(cell.of(KIND.bucket).get(place.day)!.value).toString();
  expect(JSON.parse(stands)).toEqual(['', 'g', 'h', 'no name']);
  expect(log.lines.map(({ message }) => message)).toEqual([
    'malformed group name in a day of finished records: ignored',
  ]);
});

it('aged-records.D5 what leads to a record is written again once it is a day old, and not before', async () => {
  const cell = new Buckets();
  const { records } = recordsOn(cell);
  const place = placeOf(2, 'g');
  const entries = (): (number | undefined)[] =>
    ['days', place.day].map((key) => cell.of(KIND.bucket).get(key)?.revision);
  const changeAt = async (now: number): Promise<(number | undefined)[]> => {
    cell.now = now;
    await records.change(place, now, add('x'));
    return entries();
  };
  const first = await changeAt(NOW);
  expect(await changeAt(NOW + DAY_MS - 1)).toEqual(first);
  const later = await changeAt(NOW + DAY_MS);
  expect(later.every((revision, n) => revision! > first[n]!)).toBe(true);
});

it('aged-records.D6 takes no more days than it may have, and forgets those whose records are gone', async () => {
  const cell = new Buckets();
  cell.now = NOW;
  const { records, log } = recordsOn(cell);
  for (let n = 0; n < AGED_DAYS; n += 1)
    expect(await records.change(placeOf(2 + n, 'g'), NOW, add(`${n}`))).toBe(true);
  expect(await records.change(placeOf(5_000, 'g'), NOW, add('more'))).toBe(false);
  expect(log.lines.map(({ level }) => level)).toEqual(['warn']);
  // The clock of a process that is years ahead forgets nothing; that of the bus does.
  const ahead = NOW + 1_000 * DAY_MS;
  expect(await records.change(placeOf(5_000, 'g'), ahead, add('more'))).toBe(false);
  cell.now = ahead;
  expect(await records.change(placeOf(2, 'g'), ahead, add('again'))).toBe(true);
  expect(await records.change(placeOf(5_000, 'g'), ahead, add('more'))).toBe(true);
  expect((await records.days()).map(({ day }) => day)).toEqual([placeOf(5_000, '').day, placeOf(2, '').day]);
});

it('aged-records.D6 takes no more of a group and day than an entry holds', async () => {
  const cell = new Buckets();
  const { records } = recordsOn(cell);
  const random = seededRandom(1);
  const word = (): string => Array.from({ length: 1_000 }, () => random.next().toString(36)).join('');
  const place = placeOf(2, 'g');
  let taken = 0;
  while (await records.change(place, NOW, add(word()))) taken += 1;
  expect(taken).toBeGreaterThan(30);
  expect((await records.read(place.day, 'g')).items).toHaveLength(taken);
  expect(cell.of(KIND.bucket).get(`${place.day}.g`)!.value.length).toBeLessThan(AGED_ENTRY_BYTES);
});

it('names days as they are in UTC', () => {
  const last = Date.UTC(2026, 0, 2, 23, 59, 59, 999);
  expect([dayOf(last), dayOf(last + 1), beginOf('20260103')]).toEqual(['20260102', '20260103', last + 1]);
});
