/**
 * The connector to PostgreSQL while the disk of the database is full, a real one of some megabytes: it says so wherever
 * it is asked, stores nothing twice and leaves nothing out, and goes on by itself when there is room. Once the tables
 * have no room, and once the log of the server has none either, which ends the server. Each process is one of its own.
 */

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NatsBus } from '../../bus/nats-bus.ts';
import { compileFolder } from '../../cli/mission-folder.ts';
import { streams } from '../../contract/bus/streams.ts';
import type { ConnectorsView } from '../../contract/connector.ts';
import { load } from '../../mission/load.ts';
import type { Mission } from '../../mission/mission.ts';
import { publishConfiguration } from '../../supervision/configuration.ts';
import { batchOf, blockOf, demoPlatform, publishValues } from '../connectors/world.ts';
import { call } from '../support/client.ts';
import { endAllMcs, type Mcs, startMcs } from '../support/mcs.ts';
import { DEMO_FOLDER } from '../support/missions.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { noPostgres } from '../support/real-postgres.ts';
import { mayMount } from '../support/small-disk.ts';
import { type SmallPostgres, startSmallPostgres } from '../support/small-postgres.ts';
import { until } from '../support/until.ts';

const PATIENTLY = { timeoutMs: 60_000 };
const MB = 2 ** 20;
/** Of which the empty cluster takes 25. */
const DISK_BYTES = 64 * MB;
const ROWS = 2_000;
const KEYS = ['camera.exposure', 'obc.counter', 'obc.mode'];
const FIRST = Date.UTC(2026, 0, 2, 3);

const absent =
  noPostgres() ?? (mayMount ? undefined : 'no disk can be mounted here (user namespaces are not allowed)');

const FORMS = [
  ['its tables have no room', 'beside'],
  ['nothing of it has room, and it ends again and again', 'inside'],
]
  // `npm run postgres-disk-full` takes both, as CI does not.
  .slice(0, process.env['POSTGRES_DISK_FULL'] === 'each' ? 2 : 1) as [string, 'beside' | 'inside'][];

let nats: TestNats;
let bus: NatsBus;
let mission: Mission;
let service: Mcs;

beforeAll(async () => {
  if (absent !== undefined) return;
  nats = await startNats();
  bus = await nats.connected();
  const compiled = await compileFolder(DEMO_FOLDER);
  if (!compiled.ok) throw new Error('the demo mission does not compile');
  await publishConfiguration(bus, compiled.value);
  mission = load(compiled.value.configuration, compiled.value.revision);
  const place = ['--nats', nats.url, '--credentials', nats.credentialsFile];
  service = await startMcs({ args: ['serve', '--roles', 'api', '--port', '0', ...place] });
}, 90_000);

afterAll(async () => {
  await endAllMcs();
  await nats?.stop();
});

const digest = createHash('sha256');
let sent = 0;

/** A message of values; what was sent is in the digest, in the order of time. */
async function send(): Promise<void> {
  const platform = demoPlatform(mission);
  const ordinals = KEYS.map((key) => platform.ordinal(key)!);
  const rows = Array.from({ length: ROWS }, (_, row) => {
    const n = sent + row;
    return { ground: FIRST + n, cells: [n / 7, n % 65_536, n % 3] };
  });
  await publishValues(bus, mission, 'sat1', batchOf(platform.digest, [blockOf(ordinals, rows)]));
  for (const { ground, cells } of rows)
    for (const [column, key] of KEYS.entries()) digest.update(`${ground} ${key} ${cells[column]}\n`);
  sent += ROWS;
}

/** Its log wants another segment, and there is no room for it. */
async function endTheServer({ query }: SmallPostgres): Promise<void> {
  const write = `select pg_logical_emit_message(true, 'x', repeat('x', 200000))`;
  await until(
    () =>
      query(write).then(
        () => false,
        () => true,
      ),
    PATIENTLY,
  );
}

const lastSent = async (): Promise<number> => (await bus.last(streams.values, 'mcs.tm.value.sat1'))!.seq;

describe.skipIf(absent !== undefined).each(FORMS)(
  `a database whose disk is full${absent === undefined ? '' : `: ${absent}`}: %s`,
  (_, wal) => {
    it('is said in the view, in health, metrics and log; nothing is lost, and it goes on when there is room', async () => {
      const name = `full-${wal}`;
      const postgres = await startSmallPostgres(DISK_BYTES, wal);
      const connector = await startMcs({
        args: ['connector', 'postgres', '--name', name, '--metrics-port', '0'],
        env: {
          MCS_DATABASE: postgres.url,
          MCS_NATS: nats.url,
          MCS_NATS_CREDENTIALS: nats.credentialsFile,
          MCS_LOG_LEVEL: 'info',
        },
      });
      const { metrics: url } = JSON.parse(connector.output()) as { metrics: string };
      const position = async (): Promise<number> => {
        const found = await postgres
          .query<{ position: string }>(`select position from positions where stream = 'TM_VALUES'`)
          .catch(() => []);
        return Number(found[0]?.position ?? 0);
      };
      const shown = async () => {
        const { body } = await call<ConnectorsView>('GET', `${service.api}/v1/connectors`);
        return body.connectors?.find((each) => each.name === name)?.instance?.health;
      };
      const metrics = async (): Promise<string> => (await fetch(`${url}/metrics`)).text();
      const failed = async (): Promise<number> =>
        Number(/^mcs_postgres_failures(?:\{.*\})? (\d+)$/m.exec(await metrics())?.[1]);
      const health = async (): Promise<string> => (await fetch(`${url}/healthz`)).text();
      try {
        await send();
        await until(async () => (await position()) === (await lastSent()), PATIENTLY);

        await postgres.fill(0);
        // Until a table, or the log of the server, wants more than it has.
        await until(async () => {
          await send();
          return connector.errors().includes('has no room');
        }, PATIENTLY);
        // A database that has no time is not reached, and that is said before.
        const reason =
          wal === 'beside' ? /the database has no room: .*No space left/ : /has no room|is not reached/;
        await until(async () => {
          const said = await shown();
          return said?.state === 'degraded' && reason.test(said.reason ?? '');
        }, PATIENTLY);
        if (wal === 'inside') await endTheServer(postgres);
        // Between one attempt and the next it has a session, and still stores nothing.
        const failures = await failed();
        const seen = new Set<string>();
        await until(async () => {
          seen.add(await health());
          expect(await metrics()).toMatch(/^mcs_postgres_writing(\{.*\})? 0$/m);
          return (await failed()) >= failures + 2;
        }, PATIENTLY);
        expect([...seen].filter((text) => !text.includes('"connector postgres":"restarting"'))).toEqual([]);
        const standing = await position();
        for (let n = 0; n < 3; n += 1) await send();
        expect(await lastSent()).toBeGreaterThan(standing);

        await postgres.free();
        await until(async () => (await position()) === (await lastSent()), PATIENTLY);
        await until(async () => (await shown())?.state === 'ok', PATIENTLY);
        expect(await metrics()).toMatch(/^mcs_postgres_writing(\{.*\})? 1$/m);
        expect(connector.errors()).toContain('the database takes rows again');
        const stored = createHash('sha256');
        const rows = await postgres.query<{ at: string; measure: string; number: number }>(
          `select (extract(epoch from time) * 1000)::bigint as at, measure, number
         from samples order by time, measure collate "C"`,
        );
        for (const { at, measure, number } of rows) stored.update(`${at} ${measure} ${number}\n`);
        expect([rows.length, stored.digest('hex')]).toEqual([
          sent * KEYS.length,
          digest.copy().digest('hex'),
        ]);
        expect(await postgres.query('select 1 from gaps')).toEqual([]);
      } catch (error) {
        throw new Error(`${String(error)}\n${connector.errors()}`);
      } finally {
        await connector.kill('SIGTERM');
        await postgres.stop();
      }
    }, 240_000);
  },
);
