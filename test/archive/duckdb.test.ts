/** Files of the archive read by another engine: values equal bit for bit. */

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Archive } from '../../archive/archive.ts';
import { workHere } from '../../archive/workshop.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { blockOf, type Cell, HOUR, MEASURES, messageOf, PLATFORM } from './values.ts';

const KEYS = MEASURES.map(({ key }) => key);
const ROWS = 40;

/** What no naive reader or writer keeps. */
const DOUBLES = [Number.NaN, -0, 0, 5e-324, -1.7976931348623157e308, Number.POSITIVE_INFINITY, 0.1, 1 / 3];
const SIGNED = [2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n, -1n, 0n, 42n];
const UNSIGNED = [2n ** 64n - 1n, 2n ** 63n, 2n ** 53n + 1n, 0n, 1n];
const TEXTS = ['', 'ä€𝄞', 'it\'s; "quoted"', 'NULL', 'a\nb'];
const BYTES = ['', '00', 'ff00ff', 'deadbeef'];

const at = <Value>(list: readonly Value[], n: number): Value => list[n % list.length]!;
/** An integer as a batch has it: a number where a double holds it. */
const cellOf = (big: bigint): Cell => (Number.isSafeInteger(Number(big)) ? Number(big) : big);

function cells(n: number): Cell[] {
  return [
    at(DOUBLES, n),
    Math.fround(n / 7),
    n % 256,
    4_000_000_000 + n,
    cellOf(at(SIGNED, n)),
    cellOf(at(UNSIGNED, n)),
    n % 2,
    at(TEXTS, n),
    at(BYTES, n),
    n % 8,
    7_000 + n,
    n % 3 === 0 ? Number.NaN : 8_000 + n,
  ];
}

const row = (n: number) => ({
  ground: HOUR + n * 1_000 + 0.25,
  onboard: HOUR + n * 1_000 - 2 ** -12,
  cells: cells(n),
});

let folder: string;
let connection: Awaited<ReturnType<DuckDBInstance['connect']>>;

async function rows(kind: string, columns: string, where = 'true'): Promise<Record<string, unknown>[]> {
  const files = `${folder}/S1/*/${kind}-*.parquet`;
  const read = `read_parquet('${files}', union_by_name=true)`;
  const result = await connection.runAndReadAll(
    `select ${columns} from ${read} where ${where} order by position, time`,
  );
  return result.getRowObjects();
}

const bitsOf = (number: number): bigint => new BigUint64Array(Float64Array.of(number).buffer)[0]!;

async function wroteUntil(level: 'part' | 'hour' | 'day'): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), 'mcs-archive-'));
  const clock = new ManualClock(HOUR);
  const archive = await Archive.open(workHere(folder), { stream: 'S1', clock });
  const ordinals = KEYS.map((_, n) => n);
  for (let n = 0; n < ROWS; n += 10) {
    const block = blockOf(
      ordinals,
      [...Array(10).keys()].map((m) => row(n + m)),
    );
    await archive.append(messageOf(n + 1, [block]), PLATFORM);
    for (let skipped = n + 2; skipped <= n + 10; skipped += 1) await archive.skip(skipped, HOUR + skipped);
    await archive.flush();
  }
  await archive.skip(ROWS + 1, HOUR + 48 * 3_600_000);
  await archive.flush();
  if (level !== 'part') await archive.maintain();
  if (level === 'day') await archive.maintain();
  await archive.close();
}

describe.each(['part', 'hour', 'day'] as const)('a segment of level %s in DuckDB', (level) => {
  beforeAll(async () => {
    await wroteUntil(level);
    connection = await (await DuckDBInstance.create()).connect();
  });
  afterAll(() => {
    connection.closeSync();
    rmSync(folder, { recursive: true, force: true });
  });

  it('has doubles bit for bit, NaN and -0 included', async () => {
    const read = await rows('values', '"power.f64" as d, "power.f32" as f');
    expect(read.map(({ d }) => bitsOf(d as number))).toEqual(
      [...Array(ROWS).keys()].map((n) => bitsOf(at(DOUBLES, n))),
    );
    expect(read.map(({ f }) => f)).toEqual([...Array(ROWS).keys()].map((n) => Math.fround(n / 7)));
  });

  it('has integers of 64 bits whole', async () => {
    const read = await rows(
      'values',
      '"power.i64" as i, "power.u64" as u, "power.u32" as w, "power.u8" as b',
    );
    expect(read).toEqual(
      [...Array(ROWS).keys()].map((n) => ({
        i: at(SIGNED, n),
        u: at(UNSIGNED, n),
        w: 4_000_000_000 + n,
        b: n % 256,
      })),
    );
  });

  it('has booleans, texts, bytes and labels as such', async () => {
    const read = await rows(
      'values',
      '"power.flag" as f, "power.name" as t, hex("power.blob") as b, "power.mode" as m',
    );
    const label = (n: number): string | null => ({ 0: 'SAFE', 1: 'NOMINAL', 7: 'BOOT' })[n] ?? null;
    expect(read).toEqual(
      [...Array(ROWS).keys()].map((n) => ({
        f: n % 2 === 1,
        t: at(TEXTS, n),
        b: at(BYTES, n).toUpperCase(),
        m: label(n % 8),
      })),
    );
  });

  it('has raw values where they say more, and null where nothing is known', async () => {
    const columns =
      '"battery[1].voltage" as v, "battery[1].voltage.raw" as r, "battery[2].voltage.raw" as s, "power.mode.raw" as m';
    const read = await rows('values', columns);
    expect(read).toEqual(
      [...Array(ROWS).keys()].map((n) => ({
        v: (7_000 + n) * 0.001,
        r: 7_000 + n,
        s: n % 3 === 0 ? null : 8_000 + n,
        m: n % 8,
      })),
    );
  });

  it('has times as timestamps, target and link as columns, and everybody is in it once', async () => {
    const read = await rows('values', 'target, link, epoch_ns(time) as t, epoch_ns(ground_time) as g');
    expect(read).toHaveLength(ROWS);
    read.forEach((each, n) => {
      expect(each).toMatchObject({
        target: 'sat1',
        link: 'uhf',
        g: BigInt(HOUR + n * 1_000) * 1_000_000n + 250_000n,
      });
      // DuckDB has times with a zone in whole microseconds: the file has 244 ns before the second.
      expect(each['t']).toBe(BigInt(HOUR + n * 1_000) * 1_000_000n - 1_000n);
    });
  });

  it.runIf(level !== 'part')('has minutes beside them', async () => {
    const files = `${folder}/S1/*/minutes-*.parquet`;
    const result = await connection.runAndReadAll(
      `select n, "power.u8.min" as least, "power.u8.max" as most, "power.u8.mean" as mean, "power.mode.last" as mode from read_parquet('${files}') order by minute`,
    );
    // The first sample is a little before the hour.
    expect(result.getRowObjects()).toEqual([
      { n: 1n, least: 0, most: 0, mean: 0, mode: 'SAFE' },
      { n: 39n, least: 1, most: 39, mean: 20, mode: 'BOOT' },
    ]);
  });
});

it('a file says in its metadata what it has: the platform, how it was delivered, its measures and the stream', async () => {
  folder = mkdtempSync(join(tmpdir(), 'mcs-archive-'));
  const clock = new ManualClock(HOUR);
  const archive = await Archive.open(workHere(folder), { stream: 'S1', clock });
  const ordinals = KEYS.map((_, n) => n);
  const block = blockOf(
    ordinals,
    [...Array(ROWS).keys()].map((n) => row(n)),
  );
  for (const [n, deferred] of [false, true].entries())
    await archive.append(messageOf(n + 1, [block], { deferred }), PLATFORM);
  await archive.close();
  connection = await (await DuckDBInstance.create()).connect();
  const read = await connection.runAndReadAll(
    `select decode(key) as key, decode(value) as value from parquet_kv_metadata('${folder}/S1/*/values-*.parquet')`,
  );
  const said = (name: string): unknown[] => {
    const values = read.getRowObjects().filter(({ key }) => key === name);
    return [...new Set(values.map(({ value }) => value))].sort();
  };
  expect(said('mcs.delivery')).toEqual(['deferred', 'realtime']);
  expect(said('mcs.platform')).toEqual([PLATFORM.digest]);
  expect(said('mcs.stream')).toEqual(['S1']);
  const [measures] = said('mcs.measures');
  expect(JSON.parse(measures as string)).toContainEqual({
    key: 'battery[1].voltage',
    type: 'u16',
    unit: 'V',
  });
  connection.closeSync();
  rmSync(folder, { recursive: true, force: true });
});

describe('the folder', () => {
  it('has one directory of the level, named by its positions', async () => {
    await wroteUntil('day');
    expect(readdirSync(`${folder}/S1`).sort()).toEqual(['1-40.day', '41-41']);
    rmSync(folder, { recursive: true, force: true });
  });
});
