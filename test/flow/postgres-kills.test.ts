/**
 * The connector to PostgreSQL killed again and again while values come in, and the servers of the database and of the
 * bus once: what is stored is what was sent, row by row. Decision 48. Each life of the connector is a process of its
 * own.
 */

import { createHash } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NatsBus } from '../../bus/nats-bus.ts';
import { compileFolder } from '../../cli/mission-folder.ts';
import { encodeBatch } from '../../contract/batch.ts';
import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { everyOutage, retryWhileBusIsAway } from '../../messaging/while-bus-is-away.ts';
import { load } from '../../mission/load.ts';
import type { Mission } from '../../mission/mission.ts';
import { realClock } from '../../supervision/clock.ts';
import { publishConfiguration } from '../../supervision/configuration.ts';
import { batchOf, blockOf, demoPlatform } from '../connectors/world.ts';
import { endAllMcs, type Mcs, startMcs } from '../support/mcs.ts';
import { DEMO_FOLDER } from '../support/missions.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { noPostgres, type RealPostgres, startPostgres } from '../support/real-postgres.ts';
import { until } from '../support/until.ts';

/** `npm run postgres-kills` takes ten, as CI does not. */
const KILLS = Number(process.env['POSTGRES_KILLS'] ?? 4);
const ROWS = 20;
const PUBLISH_MS = 20;
const PATIENTLY = { timeoutMs: 60_000 };
const KEYS = ['camera.exposure', 'obc.counter', 'obc.mode'];
const PASSWORD = 'secret-word';

const absent = noPostgres();
let postgres: RealPostgres;
let nats: TestNats;
let bus: NatsBus;
let mission: Mission;
let watching: pg.Client;

beforeAll(async () => {
  if (absent !== undefined) return;
  [postgres, nats] = await Promise.all([startPostgres(), startNats()]);
  bus = await nats.connected();
  const compiled = await compileFolder(DEMO_FOLDER);
  if (!compiled.ok) throw new Error('the demo mission does not compile');
  await publishConfiguration(bus, compiled.value);
  mission = load(compiled.value.configuration, compiled.value.revision);
}, 60_000);

afterAll(async () => {
  await endAllMcs();
  await watching?.end().catch(() => undefined);
  await postgres?.stop();
  await nats?.stop();
});

/** The connector as anybody runs it. */
function startConnector(): Promise<Mcs> {
  const database = postgres.url.replace('mcs@', `mcs:${PASSWORD}@`);
  return startMcs({
    args: ['connector', 'postgres', '--nats', nats.url],
    env: { MCS_DATABASE: database, MCS_NATS_CREDENTIALS: nats.credentialsFile },
  });
}

/** Sends rows of three measures again and again; what was sent, in the order of the digest. */
class Sender {
  readonly digest = createHash('sha256');
  rows = 0;
  messages = 0;
  #sending: Promise<void> = Promise.resolve();
  #failed: unknown;
  readonly #timer: NodeJS.Timeout;
  readonly #first = Date.now();

  constructor() {
    const platform = demoPlatform(mission);
    const ordinals = KEYS.map((key) => platform.ordinal(key) ?? Number.NaN);
    expect(ordinals).not.toContain(Number.NaN);
    this.#timer = setInterval(() => {
      this.#sending = this.#sending
        .then(() => this.#send(platform.digest, ordinals))
        .catch((error: unknown) => {
          this.#failed = error;
        });
    }, PUBLISH_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sending;
    if (this.#failed !== undefined) throw this.#failed;
  }

  async #send(digest: string, ordinals: readonly number[]): Promise<void> {
    const rows = Array.from({ length: ROWS }, (_, row) => {
      const n = this.messages * ROWS + row;
      return { ground: this.#first + n, cells: [n / 7, n % 65_536, n % 3] };
    });
    // Sent again while the bus is away, and stored once: the bus knows each by its number.
    const data = encodeBatch(batchOf(digest, [blockOf(ordinals, rows)]));
    const headers = { [header.config]: mission.revision };
    const options = { id: `b${this.messages}`, headers };
    const { signal } = new AbortController();
    await retryWhileBusIsAway({ clock: realClock, signal, waitsFor: everyOutage }, () =>
      bus.append(streams.values, subject.values('sat1'), data, options),
    );
    this.messages += 1;
    for (const { ground, cells } of rows)
      for (const [column, key] of KEYS.entries()) this.digest.update(`${ground} ${key} ${cells[column]}\n`);
    this.rows += ROWS * KEYS.length;
  }
}

async function stored(): Promise<{ readonly rows: number; readonly digest: string }> {
  const rows = await postgres.query<{ at: string; measure: string; number: number }>(
    `select (extract(epoch from time) * 1000)::bigint as at, measure, number
     from samples order by time, measure collate "C"`,
  );
  const digest = createHash('sha256');
  for (const { at, measure, number } of rows) digest.update(`${at} ${measure} ${number}\n`);
  return { rows: rows.length, digest: digest.digest('hex') };
}

/** In the middle of a transaction of the connector; or anywhere, where it takes long to meet one. */
async function insideTransaction(): Promise<void> {
  await until(
    async () => {
      const { rows } = await watching.query(
        `select 1 from pg_stat_activity where application_name like 'mcs connector%' and xact_start is not null
         and (query like 'copy%' or query like 'update positions%' or query = 'commit') and state <> 'idle'`,
      );
      return rows.length > 0;
    },
    { ...PATIENTLY, what: 'a transaction of the connector' },
  );
}

async function position(): Promise<number> {
  const found = await postgres
    .query<{ position: string }>(`select position from positions where stream = 'TM_VALUES'`)
    .catch(() => []);
  return Number(found[0]?.position ?? 0);
}

describe.skipIf(absent !== undefined)(`kills${absent === undefined ? '' : `: ${absent}`}`, () => {
  it('connector killed again and again, database and bus once: rows equal, by count and digest', async () => {
    watching = new pg.Client({ connectionString: postgres.url });
    watching.on('error', () => undefined);
    await watching.connect();
    const sender = new Sender();
    let said = '';
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = await position();
      const connector = await startConnector();
      if (kill % 2 === 0) await insideTransaction();
      else await until(async () => (await position()) > before, { ...PATIENTLY, what: 'a commit' });
      await connector.kill();
      said += connector.errors() + connector.output();
    }
    const connector = await startConnector();
    await insideTransaction();
    await postgres.kill();
    await until(() => connector.errors().includes('the connector waits for it'), PATIENTLY);
    await postgres.start();
    const before = await position();
    await until(async () => (await position()) > before, { ...PATIENTLY, what: 'rows again' });
    await nats.kill();
    await nats.start();
    await until(() => bus.connected);
    await sender.stop();
    const last = (await bus.last(streams.values, 'mcs.tm.value.sat1'))!.seq;
    await until(async () => (await position()) === last, { ...PATIENTLY, what: 'everything stored' });
    expect(await stored()).toEqual({ rows: sender.rows, digest: sender.digest.digest('hex') });
    expect(await postgres.query('select 1 from gaps')).toEqual([]);
    const { code } = await connector.kill('SIGTERM');
    expect(code).toBe(0);
    said += connector.errors() + connector.output();
    expect(said).not.toContain(PASSWORD);
  }, 400_000);
});
