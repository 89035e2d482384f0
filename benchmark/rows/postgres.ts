/**
 * The connector to PostgreSQL: values that stand in the stream until all of them are stored, beside a bare COPY of the
 * same rows into the same table with the same indexes. The server runs here; its processor time is not counted.
 */

import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { NatsBus } from '../../bus/nats-bus.ts';
import { PostgresConnector } from '../../connectors/postgres/connector.ts';
import { copyStatement } from '../../connectors/postgres/schema.ts';
import { sourcesOf } from '../../connectors/postgres/source.ts';
import { encodeBatch } from '../../contract/batch.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { Mission } from '../../mission/mission.ts';
import type { Platform } from '../../mission/platform.ts';
import { realClock } from '../../supervision/clock.ts';
import { TestMissions } from '../../test/support/missions.ts';
import { noPostgres, type RealPostgres, startPostgres } from '../../test/support/real-postgres.ts';
import { until } from '../../test/support/until.ts';
import { madeSet, type SampleSet } from '../archive-set.ts';
import { startGround } from '../ground.ts';
import { compare, type Result, type Row, type Settings, type Turn } from '../row.ts';
import { silentLog } from '../silent-log.ts';

export const postgresRow: Row = {
  name: 'postgres',
  run: async (settings) => (noPostgres() === undefined ? [await measured(settings)] : []),
};

/** The set as a mission knows it. */
function missionOf({ platform }: SampleSet): Mission {
  const measures = platform.measures.map(({ key, type, unit, labels, calibrated }) => ({
    key,
    definition: {
      type,
      unit,
      enumeration:
        labels &&
        Object.assign(
          { names: labels.map(([label]) => label) },
          { numberOf: (label: string) => new Map(labels).get(label) },
        ),
      calibrate: calibrated ? (raw: number) => raw : undefined,
    },
  }));
  const known = { digest: platform.digest, measures } as unknown as Platform;
  return { revision: 'r1', platforms: new Map([[platform.digest, known]]) } as unknown as Mission;
}

async function measured(settings: Settings): Promise<Result> {
  const set = madeSet({ measures: settings.quick ? 100 : 1_000, packets: 10, hz: 10, seconds: 60 });
  const ground = await startGround();
  const { bus } = ground;
  const postgres = await startPostgres(['shared_buffers=256MB', 'max_wal_size=4GB']);
  try {
    for (const { batch } of set.messages)
      await bus.append(streams.values, subject.values(set.target), encodeBatch(batch));
    const bench = new Bench(set, bus, postgres);
    await bench.connectorTurn();
    const bytes = await bench.bytesOfARow();
    const prepared = await bench.read();
    const contenders = [
      { name: 'connector', turn: () => bench.connectorTurn() },
      { name: 'bare COPY', turn: () => bench.copyTurn(prepared) },
    ];
    const note = `${set.samples} samples of ${set.platform.measures.length} measures; ${bytes.table} bytes each in the table, ${bytes.indexes} in indexes`;
    return await compare({ row: 'postgres', unit: 'rows/s', note, contenders }, settings);
  } finally {
    await postgres.stop();
    await ground.end();
  }
}

class Bench {
  readonly #set: SampleSet;
  readonly #bus: NatsBus;
  readonly #postgres: RealPostgres;
  #schemas = 0;

  constructor(set: SampleSet, bus: NatsBus, postgres: RealPostgres) {
    this.#set = set;
    this.#bus = bus;
    this.#postgres = postgres;
  }

  get #schema(): string {
    return `bench${this.#schemas}`;
  }

  /** Into tables of its own, from the beginning of the stream until all is stored. */
  async connectorTurn(): Promise<Turn> {
    await this.#drop();
    this.#schemas += 1;
    return timed(this.#set.samples, async () => {
      const connector = this.#connector();
      await until(() => connector.status.rows >= this.#set.samples, { timeoutMs: 600_000 });
      await connector.stop();
    });
  }

  #connector(): PostgresConnector {
    const bus = this.#bus;
    return new PostgresConnector({
      bus,
      missions: new TestMissions(missionOf(this.#set)),
      clock: realClock,
      log: silentLog,
      database: { url: this.#postgres.url, schema: this.#schema },
      sources: sourcesOf(['values'], undefined),
      keepDays: undefined,
    });
  }

  /** The rows as the server gives them. */
  read(): Promise<readonly Buffer[]> {
    return this.#connected(async (client) => {
      const pieces: Buffer[] = [];
      const stream = client.query(
        copyTo(
          'copy (select time, ground_time, number, raw, measure, context, exact, text from sample_rows) to stdout (format binary)',
        ),
      );
      for await (const piece of stream) pieces.push(piece as Buffer);
      return pieces;
    });
  }

  /** The same rows again into the same table, emptied. */
  async copyTurn(pieces: readonly Buffer[]): Promise<Turn> {
    return this.#connected(async (client) => {
      await client.query('truncate sample_rows');
      return timed(this.#set.samples, async () => {
        await client.query('begin');
        const stream = client.query(copyFrom(copyStatement(this.#schema, 'sample_rows')));
        for (const piece of pieces)
          if (!stream.write(piece)) await new Promise((resolve) => stream.once('drain', resolve));
        await new Promise((resolve) => stream.end(resolve));
        await client.query('commit');
      });
    });
  }

  async bytesOfARow(): Promise<{ readonly table: string; readonly indexes: string }> {
    const [sizes] = await this.#postgres.query<{ table: string; indexes: string }>(
      `select sum(pg_table_size(inhrelid)) as table, sum(pg_indexes_size(inhrelid)) as indexes
       from pg_inherits where inhparent = 'sample_rows'::regclass`,
      undefined,
      this.#schema,
    );
    const each = (bytes: string): string => (Number(bytes) / this.#set.samples).toFixed(1);
    return { table: each(sizes!.table), indexes: each(sizes!.indexes) };
  }

  async #drop(): Promise<void> {
    await this.#postgres.query(`drop schema if exists ${this.#schema} cascade`);
  }

  async #connected<Value>(work: (client: pg.Client) => Promise<Value>): Promise<Value> {
    const options = `-c search_path=${this.#schema}`;
    const client = new pg.Client({ connectionString: this.#postgres.url, options });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }
}

async function timed(rows: number, work: () => Promise<void>): Promise<Turn> {
  const [began, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { rate: rows / ((performance.now() - began) / 1_000), cpuUs: (user + system) / rows };
}
