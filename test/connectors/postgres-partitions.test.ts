/** Days of samples in PostgreSQL while operators detach them and users read them: a real bus and a real server. */

import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { NatsBus } from '../../bus/nats-bus.ts';
import { Partitions } from '../../connectors/postgres/partitions.ts';
import { Session } from '../../connectors/postgres/session.ts';
import { POSTGRES_DROP_MS } from '../../contract/limits/postgres.ts';
import type { Clock } from '../../ports/clock.ts';
import { realClock } from '../../supervision/clock.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { noPostgres, type RealPostgres, startPostgres } from '../support/real-postgres.ts';
import { keptLog } from '../support/silent-log.ts';
import { until } from '../support/until.ts';
import { type Connected, connect, MISSION, PLATFORM } from './postgres-world.ts';
import { batchOf, blockOf, publishValues } from './world.ts';

const absent = noPostgres();
const DAY_MS = 86_400_000;
/** Noon, so that the days stay the same while a test runs. */
const NOON = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2;
let postgres: RealPostgres;
let nats: TestNats;
let bus: NatsBus;
let schemas = 0;
let aheadMs = 0;
const connected: Connected[] = [];
const clients: pg.Client[] = [];

/** The day stands still, timers are those of the machine, and monotonic time can be moved on. */
const clock: Clock = Object.assign({}, realClock, {
  now: () => NOON,
  monotonic: () => realClock.monotonic() + aheadMs,
});

beforeAll(async () => {
  if (absent === undefined) postgres = await startPostgres();
}, 60_000);

afterAll(async () => {
  await postgres?.stop();
});

beforeEach(async () => {
  if (absent !== undefined) return;
  nats = await startNats();
  bus = await nats.connected();
  schemas += 1;
  aheadMs = 0;
});

afterEach(async () => {
  for (const client of clients.splice(0)) await client.end();
  for (const each of connected.splice(0)) await each.connector.stop();
  await nats?.stop();
});

const schema = (): string => `days${schemas}`;

function begin(more: Parameters<typeof connect>[2] = {}): Connected {
  const begun = connect(bus, { url: postgres.url, schema: schema() }, Object.assign({ clock }, more));
  connected.push(begun);
  return begun;
}

async function end(which: Connected): Promise<void> {
  connected.splice(connected.indexOf(which), 1);
  await which.connector.stop();
}

const query = <Row extends object>(sql: string): Promise<Row[]> =>
  postgres.query<Row>(sql, undefined, schema());

/** A transaction that somebody has begun and not ended. */
async function transaction(...statements: readonly string[]): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: postgres.url,
    options: `-c search_path=${schema()} -c application_name=somebody`,
  });
  client.on('error', () => undefined);
  await client.connect();
  clients.push(client);
  for (const statement of ['begin', ...statements]) await client.query(statement);
  return client;
}

/** A sample of that number at noon of the day so many days ago. */
async function publish(number: number, daysAgo = 0): Promise<void> {
  const row = { ground: NOON, onboard: NOON - daysAgo * DAY_MS, cells: [number] };
  await publishValues(bus, MISSION, 'sat1', batchOf(PLATFORM.digest, [blockOf([2], [row])]));
}

const nameOf = (daysAgo: number): string =>
  `sample_rows_${new Date(NOON - daysAgo * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '')}`;

const numbersIn = async (table: string): Promise<number[]> =>
  (await query<{ number: number }>(`select number from ${table} order by number`)).map(
    ({ number }) => number,
  );

const exists = async (table: string): Promise<boolean> =>
  (await query<{ oid: string | null }>(`select to_regclass('${table}') as oid`))[0]!.oid !== null;

const detach = (daysAgo: number): string => `alter table sample_rows detach partition ${nameOf(daysAgo)}`;

describe.skipIf(absent !== undefined)(
  `days of samples in PostgreSQL${absent === undefined ? '' : `: ${absent}`}`,
  () => {
    it('partitions.P3 a day that was detached while the connector runs is kept, and the others are dropped', async () => {
      for (const daysAgo of [5, 4]) await publish(daysAgo, daysAgo);
      const all = begin();
      await all.stored(2);
      await end(all);
      const few = begin({ keepDays: 3 });
      await until(() => few.connector.status.phase === 'writing');
      await query(detach(5));
      await publish(0);
      await few.stored(1);
      // The older day is looked at first.
      await until(async () => !(await exists(nameOf(4))));
      expect(await numbersIn(nameOf(5))).toEqual([5]);
      expect(await numbersIn('samples')).toEqual([0]);
    });

    it('partitions.P3 a day that is being detached when it is to be dropped is kept', async () => {
      await publish(5, 5);
      const all = begin();
      await all.stored(1);
      await end(all);
      const session = await Session.open({ url: postgres.url, schema: schema(), clock });
      try {
        const partitions = await Partitions.open(session, clock, 3, keptLog());
        const operator = await transaction(detach(5));
        const dropping = partitions.drop(3);
        await until(
          async () =>
            (
              await query(
                `select 1 from pg_stat_activity where application_name like 'mcs%' and wait_event_type = 'Lock'`,
              )
            ).length > 0,
        );
        await operator.query('commit');
        expect(await dropping).toEqual([]);
        expect(await numbersIn(nameOf(5))).toEqual([5]);
      } finally {
        await session.end();
      }
    });

    it('partitions.P3 late samples of a detached day are stored apart from it, also behind a restart', async () => {
      await publish(1, 2);
      const first = begin();
      await first.stored(1);
      await query(detach(2));
      await publish(2, 2);
      await first.stored(2);
      await end(first);
      await publish(3, 2);
      const second = begin();
      await second.stored(1);
      expect(await numbersIn(nameOf(2))).toEqual([1]);
      expect(await numbersIn('sample_rows_other')).toEqual([2, 3]);
      expect(await numbersIn('samples')).toEqual([2, 3]);
      expect(second.log.said).toEqual([]);
    });

    it('partitions.P4 while a transaction that has read samples is open a day is not dropped, and rows are stored', async () => {
      await publish(5, 5);
      const all = begin();
      await all.stored(1);
      await end(all);
      const reader = await transaction('select count(*) from samples');
      const few = begin({ keepDays: 3 });
      await publish(1);
      await few.stored(1);
      await publish(2);
      await few.stored(2);
      expect(await exists(nameOf(5))).toBe(true);
      expect(few.log.said).toMatchObject([{ level: 'warn', fields: { later: [nameOf(5)] } }]);
      expect(few.connector.status.failures).toBe(0);
      await reader.query('commit');
      aheadMs += POSTGRES_DROP_MS;
      await publish(3);
      await few.stored(3);
      await until(async () => !(await exists(nameOf(5))));
      expect(await numbersIn('samples')).toEqual([1, 2, 3]);
    });

    it('partitions.P4, P2 a day that cannot be attached for a reader has its rows elsewhere until it can', async () => {
      const { connector, stored, log } = begin();
      await publish(1);
      await stored(1);
      const reader = await transaction('select count(*) from samples');
      await publish(2, 7);
      await stored(2);
      await publish(3, 7);
      await publish(4, 8);
      await stored(4);
      expect(await numbersIn('sample_rows_other')).toEqual([2, 3, 4]);
      expect(log.said).toMatchObject([{ level: 'warn', fields: { days: [nameOf(7)] } }]);
      await reader.query('commit');
      aheadMs += POSTGRES_DROP_MS;
      await publish(5);
      await stored(5);
      expect(await numbersIn('sample_rows_other')).toEqual([]);
      expect([await numbersIn(nameOf(7)), await numbersIn(nameOf(8))]).toEqual([[2, 3], [4]]);
      expect(await numbersIn('samples')).toEqual([1, 2, 3, 4, 5]);
      expect(connector.status.failures).toBe(0);
    });
  },
);
