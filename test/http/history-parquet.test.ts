/** The past as Parquet over HTTP, read by another engine; whole, and joined from pages. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JoinedTables } from '../../archive/joined-tables.ts';
import { type HistoryWorld, HOUR, startHistoryWorld } from './history-world.ts';

const S = 1_000;
const PARQUET = 'application/vnd.apache.parquet';
const VOLTAGES = [7.25, -0, 0, Number.POSITIVE_INFINITY, Number.NaN, 5e-324, 0.1, 1 / 3];

let world: HistoryWorld;
let folder: string;
let connection: Awaited<ReturnType<DuckDBInstance['connect']>>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mcs-history-parquet-'));
  connection = await (await DuckDBInstance.create()).connect();
  world = await startHistoryWorld();
  for (let n = 0; n < 400; n += 1) {
    const time = HOUR + n * S + 0.25;
    await world.take([
      { key: 'battery[1].voltage', value: VOLTAGES[n % VOLTAGES.length]!, time },
      { key: 'obc.mode', value: 1 + (n % 2), time },
    ]);
  }
});
afterAll(async () => {
  await world.stop();
  connection.closeSync();
  rmSync(folder, { recursive: true, force: true });
});

const pathOf = (query: Record<string, string>): string =>
  `${world.url}/v1/targets/sat1/values/history?${new URLSearchParams({
    measures: 'battery[1].voltage,obc.mode',
    from: new Date(HOUR).toISOString(),
    to: new Date(HOUR + 500 * S).toISOString(),
    ...query,
  })}`;

async function parquet(query: Record<string, string>) {
  const answer = await fetch(pathOf(query), { headers: { accept: PARQUET } });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, PARQUET]);
  return { bytes: new Uint8Array(await answer.arrayBuffer()), next: answer.headers.get('x-mcs-next') };
}

async function rows(bytes: Uint8Array, what: string): Promise<Record<string, unknown>[]> {
  const file = join(folder, 'table.parquet');
  writeFileSync(file, bytes);
  return (await connection.runAndReadAll(what.replace('TABLE', `read_parquet('${file}')`))).getRowObjects();
}

const bitsOf = (number: unknown): bigint => new BigUint64Array(Float64Array.of(number as number).buffer)[0]!;

describe('samples as Parquet', () => {
  const everything = 'select * from TABLE order by measure, time_ms';

  it('have the values bit for bit, labels, and times exactly', async () => {
    const table = await rows((await parquet({})).bytes, everything);
    expect(table).toHaveLength(800);
    const voltages = table.slice(0, 400);
    expect(voltages.map(({ number }) => bitsOf(number))).toEqual(
      voltages.map((_, n) => bitsOf(VOLTAGES[n % VOLTAGES.length])),
    );
    expect(table.slice(400).map(({ text }) => text)).toEqual(
      Array.from({ length: 400 }, (_, n) => (n % 2 === 0 ? 'SAFE' : 'NOMINAL')),
    );
    expect(voltages.map(({ time_ms }) => time_ms)).toEqual(voltages.map((_, n) => HOUR + n * S + 0.25));
    expect(table[0]).toMatchObject({
      target: 'sat1',
      measure: 'battery[1].voltage',
      position: 1n,
      link: 'uhf',
    });
  });

  it('say of themselves what was asked and what is missing', async () => {
    const file = join(folder, 'about.parquet');
    writeFileSync(file, (await parquet({})).bytes);
    const read = `select decode(key) as key, decode(value) as value from parquet_kv_metadata('${file}')`;
    const about = Object.fromEntries(
      (await connection.runAndReadAll(read)).getRowObjects().map(({ key, value }) => [key, value]),
    );
    expect(about).toMatchObject({ 'mcs.delivery': 'realtime', 'mcs.gaps': '[]', 'mcs.thinned': 'false' });
    expect(JSON.parse(about['mcs.measures'] as string)[0]).toMatchObject({
      name: 'battery[1].voltage',
      unit: 'V',
    });
  });

  it('joined-tables.J1 are the same joined from pages', async () => {
    const joined = new JoinedTables();
    const parts: Uint8Array[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { bytes, next } = await parquet({ limit: '170', ...(cursor !== '' && { cursor }) });
      parts.push(joined.add(bytes));
      cursor = next;
    }
    parts.push(joined.end());
    expect([parts.length, joined.rows]).toEqual([6, 800]);
    const whole = await rows((await parquet({})).bytes, everything);
    expect(await rows(Buffer.concat(parts), everything)).toEqual(whole);
  });

  it('joined-tables.J1 of other columns are not joined, and nothing at all is a table too', async () => {
    const joined = new JoinedTables();
    const empty = { measures: 'obc.counter' };
    const parts = [joined.add((await parquet(empty)).bytes), joined.end()];
    expect(await rows(Buffer.concat(parts), 'select count(*) as n from TABLE')).toEqual([{ n: 0n }]);
    const buckets = (await parquet({ points: '10' })).bytes;
    expect(() => joined.add(buckets)).toThrow('columns have changed');
  });
});

describe('buckets as Parquet', () => {
  it('have a row each', async () => {
    const { bytes } = await parquet({ points: '4', measures: 'obc.mode,battery[1].voltage' });
    const table = await rows(
      bytes,
      'select measure, sum(n) as n, max(last_text) as last from TABLE group by 1 order by 1',
    );
    expect(table.map(({ measure, n, last }) => [measure, Number(n), last])).toEqual([
      ['battery[1].voltage', 400, null],
      ['obc.mode', 400, 'NOMINAL'],
    ]);
  });
});
