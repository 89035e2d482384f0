/** Buckets: from minutes and from samples the same, whatever order the samples came in. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Archive } from '../../archive/archive.ts';
import type { ValueMessage } from '../../archive/gathering.ts';
import { workHere } from '../../archive/workshop.ts';
import type { BucketColumn, HistoryQuery } from '../../contract/history.ts';
import { seededRandom } from '../../ports/seeded-random.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { FragileDisk } from './fragile-disk.ts';
import { blockOf, HOUR, MEASURES, messageOf, PLATFORM, samplesOf } from './values.ts';

const KEYS = ['power.f64', 'power.u8', 'power.flag', 'power.mode', 'battery[1].voltage'];
const ORDINALS = KEYS.map((key) => MEASURES.findIndex((measure) => measure.key === key));
const MINUTE = 60_000;

/** Three hours of samples, 20 s apart, some late by up to an hour, some deferred, some unknown. */
function streamOf(seed: number): ValueMessage[] {
  const drawn = seededRandom(seed);
  const random = (): number => drawn.next();
  return Array.from({ length: 60 }, (_, n) => {
    const storedMs = HOUR + n * 3 * MINUTE;
    const rows = Array.from({ length: 9 }, (_, row) => {
      const late = random() < 0.1 ? random() * 3_600_000 : 0;
      const unknown = random() < 0.1 ? Number.NaN : random();
      const cells = [
        unknown * 100 - 50,
        Math.floor(random() * 256),
        Math.floor(random() * 2),
        Math.floor(random() * 3),
        Math.floor(random() * 9_000),
      ];
      return { ground: storedMs + row * 20_000 - late, cells };
    });
    return messageOf(n + 1, [blockOf(ORDINALS, rows)], { storedMs, deferred: random() < 0.2 });
  });
}

/** What the buckets of one measure are, from the samples as they were given. */
function expectedOf(
  messages: readonly ValueMessage[],
  key: string,
  query: HistoryQuery,
  grid: { start: number; width: number },
  count: number,
) {
  const samples = messages
    .flatMap((message) => samplesOf(message))
    .filter(
      (sample) =>
        sample.key === key &&
        (query.delivery === 'all' || sample.deferred === (query.delivery === 'deferred')),
    )
    .sort((one, other) => one.time - other.time || one.position - other.position);
  return Array.from({ length: count }, (_, bucket) => {
    const from = grid.start + bucket * grid.width;
    const own = samples.filter(({ time }) => time >= from && time < from + grid.width);
    const numbers = own.flatMap(({ value }) =>
      value === null || typeof value === 'string' ? [] : [Number(value)],
    );
    const last = own.at(-1)?.value ?? null;
    return {
      n: own.length,
      min: Math.min(...numbers),
      max: Math.max(...numbers),
      mean: numbers.reduce((sum, number) => sum + number, 0) / numbers.length,
      first: own[0]?.time,
      last: own.at(-1)?.time,
      value: typeof last === 'boolean' ? Number(last) : last,
    };
  });
}

function bucketsOf(column: BucketColumn, bucket: number) {
  const known = (number: number): number | undefined => (Number.isNaN(number) ? undefined : number);
  return {
    n: column.n[bucket],
    min: known(column.min[bucket]!) ?? Number.POSITIVE_INFINITY,
    max: known(column.max[bucket]!) ?? Number.NEGATIVE_INFINITY,
    first: known(column.first[bucket]!),
    last: known(column.last[bucket]!),
    value: column.value[bucket],
  };
}

async function expectEqual(
  archive: Archive,
  messages: readonly ValueMessage[],
  query: HistoryQuery,
  points: number,
): Promise<void> {
  const answer = await archive.buckets(query, points);
  expect(answer).toMatchObject({ gaps: [], damaged: [], thinned: false });
  query.measures.forEach((key, n) => {
    const column = answer.measures[n]!;
    const expected = expectedOf(messages, key, query, answer, column.n.length);
    expected.forEach(({ mean, ...rest }, bucket) => {
      expect(bucketsOf(column, bucket)).toEqual(rest);
      if (Number.isNaN(mean)) expect(column.mean[bucket]).toBeNaN();
      else expect(column.mean[bucket]).toBeCloseTo(mean, 9);
    });
  });
}

describe('buckets', () => {
  it('of minutes and of samples are those of what was given, at every level of compaction', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0 }),
        fc.constantFrom('all', 'realtime', 'deferred'),
        fc.integer({ min: 1, max: 120 }),
        fc.integer({ min: -90, max: 200 }),
        async (seed, delivery, points, beginMinute) => {
          const messages = streamOf(seed);
          const clock = new ManualClock(HOUR);
          const archive = await Archive.open(workHere('', new FragileDisk()), { stream: 'S1', clock });
          const from = HOUR + beginMinute * MINUTE + (seed % 1_000);
          const query = { target: 'sat1', measures: KEYS, from, to: from + 4 * 3_600_000, delivery } as const;
          for (const message of messages) {
            await archive.append(message, PLATFORM);
            if (message.position % 7 === 0) await archive.flush();
          }
          await expectEqual(archive, messages, query, points);
          // Hours are compacted; the last one stays in parts, and some messages in memory.
          expect(await archive.maintain()).toMatch(/one hour/);
          await expectEqual(archive, messages, query, points);
          while ((await archive.maintain()) !== undefined);
          await expectEqual(archive, messages, query, points);
          await archive.flush();
          await archive.skip(61, HOUR + 48 * 3_600_000);
          while ((await archive.flush()) && (await archive.maintain()) !== undefined);
          expect(archive.contents.segments).toBe(2);
          await expectEqual(archive, messages, query, points);
        },
      ),
      { numRuns: 4 },
    );
  });

  it('stand where they stood when the time moves, and never are more than were asked for, but one', async () => {
    const archive = await Archive.open(workHere('', new FragileDisk()), {
      stream: 'S1',
      clock: new ManualClock(HOUR),
    });
    const query = {
      target: 'sat1',
      measures: ['power.u8'],
      from: HOUR + 17,
      to: HOUR + 3_600_017,
      delivery: 'all',
    } as const;
    const { start, width, measures } = await archive.buckets(query, 1_000);
    expect(start % width).toBe(0);
    expect(width).toBe(3_600);
    expect(measures[0]!.n.length).toBeLessThanOrEqual(1_001);
    expect(start).toBeLessThanOrEqual(query.from);
    expect(start + width * measures[0]!.n.length).toBeGreaterThanOrEqual(query.to);
  });
});
