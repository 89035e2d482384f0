/** The connector to PostgreSQL and its server: a database put back from a copy, a password file, TLS. */

import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { connect as connectNats, jwtAuthenticator } from 'nats';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { NatsBus } from '../../bus/nats-bus.ts';
import { sourcesOf } from '../../connectors/postgres/source.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { noPostgres, type RealPostgres, startPostgres } from '../support/real-postgres.ts';
import { until } from '../support/until.ts';
import { type Connected, connect, MISSION, PLATFORM } from './postgres-world.ts';
import { batchOf, blockOf, HOUR, publishValues } from './world.ts';

const absent = noPostgres();
const SECRET = 'known-to-few';
let postgres: RealPostgres;
let nats: TestNats;
let bus: NatsBus;
let folder: string;
let schemas = 0;
const connected: Connected[] = [];

beforeAll(async () => {
  if (absent !== undefined) return;
  postgres = await startPostgres();
  folder = mkdtempSync(join(tmpdir(), 'mcs-postgres-'));
}, 60_000);
afterAll(async () => {
  await postgres?.stop();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  if (absent !== undefined) return;
  nats = await startNats();
  bus = await nats.connected();
  schemas += 1;
});
afterEach(async () => {
  for (const each of connected.splice(0)) await each.connector.stop();
  await nats?.stop();
});

const schema = (): string => `test${schemas}`;

function begin(url = postgres.url, more: Parameters<typeof connect>[2] = {}): Connected {
  const begun = connect(bus, { url, schema: schema() }, more);
  connected.push(begun);
  return begun;
}

async function end(which: Connected): Promise<void> {
  connected.splice(connected.indexOf(which), 1);
  await which.connector.stop();
}

async function publishNumbers(first: number, last: number): Promise<void> {
  for (let number = first; number <= last; number += 1) {
    const block = blockOf([2], [{ ground: HOUR + number, cells: [number] }]);
    await publishValues(bus, MISSION, 'sat1', batchOf(PLATFORM.digest, [block]));
  }
}

async function raiseAlarm(): Promise<void> {
  const named = { target: 'sat1', component: 'bat', alarm: 'low' };
  const at = new Date(HOUR).toISOString();
  const event = { ...named, state: 'ACTIVE_UNACK', previous: 'NORMAL', cause: 'condition', at, seq: 1 };
  await bus.append(streams.alarms, subject.alarmEvent(named), Buffer.from(JSON.stringify(event)));
}

const query = <Row extends object>(sql: string): Promise<Row[]> =>
  postgres.query<Row>(sql, undefined, schema());

const numbers = async (): Promise<number[]> =>
  (
    await query<{ number: number }>(`select number from samples where measure = 'power.u8' order by time`)
  ).map(({ number }) => number);

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, n) => first + n);

function program(name: string, args: readonly string[], input = ''): string {
  const version = readdirSync('/usr/lib/postgresql').sort((one, other) => Number(other) - Number(one))[0]!;
  return execFileSync(join('/usr/lib/postgresql', version, 'bin', name), args, {
    input,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/** A backup of what the connector has stored; what it returns puts that back. */
function backup(): () => Promise<void> {
  const copy = program('pg_dump', ['--schema', schema(), postgres.url]);
  return async () => {
    await query(`drop schema ${schema()} cascade`);
    program('psql', ['--quiet', '--set', 'ON_ERROR_STOP=1', postgres.url], copy);
  };
}

describe.skipIf(absent !== undefined)(
  `the server of the connector to PostgreSQL${absent === undefined ? '' : `: ${absent}`}`,
  () => {
    it('MC-CONN-003 a database that was put back from a copy gets what the stream still has, each once', async () => {
      await publishNumbers(1, 5);
      const first = begin();
      await first.stored(5);
      await end(first);
      const putBack = backup();
      await publishNumbers(6, 10);
      const second = begin();
      await second.stored(5);
      await end(second);
      await putBack();
      expect(await numbers()).toEqual(range(1, 5));
      await publishNumbers(11, 12);
      const third = begin();
      await third.stored(7);
      expect(await numbers()).toEqual(range(1, 12));
      expect(await query('select 1 from gaps')).toEqual([]);
    });

    it('MC-CONN-003 a database that was put back says what the stream has discarded since its copy', async () => {
      await publishNumbers(1, 5);
      const first = begin();
      await first.stored(5);
      await end(first);
      const putBack = backup();
      await publishNumbers(6, 10);
      const second = begin();
      await second.stored(5);
      await end(second);
      await putBack();
      const { jwt, seed } = nats.credentials;
      const authenticator = jwtAuthenticator(jwt, Buffer.from(seed));
      const client = await connectNats({ servers: nats.url, authenticator });
      await (await client.jetstreamManager()).streams.purge('TM_VALUES', { seq: 9 });
      await client.close();
      const third = begin();
      await third.stored(2);
      expect(await numbers()).toEqual([1, 2, 3, 4, 5, 9, 10]);
      expect(await query('select kind, first::int, last::int from gaps')).toEqual([
        { kind: 'discarded', first: 6, last: 8 },
      ]);
      expect(third.connector.status.lost.get('TM_VALUES')?.messages).toBe(3);
    });

    it('from now on: leaves out what stands in the streams, and decides that once', async () => {
      await publishNumbers(1, 4);
      const first = begin(postgres.url, { from: 'now' });
      await until(() => first.connector.status.positions.get('TM_VALUES') === 4);
      await end(first);
      // It ended before anything was stored: what came meanwhile is not left out.
      await publishNumbers(5, 7);
      await raiseAlarm();
      const second = begin(postgres.url, { from: 'now' });
      await second.stored(4);
      expect(await numbers()).toEqual([5, 6, 7]);
      expect(await query('select alarm from alarm_events')).toEqual([{ alarm: 'low' }]);
      expect(await query('select 1 from gaps')).toEqual([]);
    });

    it('stores the kinds of data that were asked for', async () => {
      await publishNumbers(1, 2);
      await raiseAlarm();
      const { stored, connector } = begin(postgres.url, { sources: sourcesOf(['alarms'], undefined) });
      await stored(1);
      expect([...connector.status.positions.keys()]).toEqual(['ALARMS']);
      expect(await query('select alarm from alarm_events')).toEqual([{ alarm: 'low' }]);
      expect(await numbers()).toEqual([]);
    });

    it('a server without room: says so, leaves nothing out, and goes on when there is some', async () => {
      await publishNumbers(1, 3);
      const { connector, stored } = begin();
      await stored(3);
      // The error that a full disk is, from the server, in the middle of a batch.
      await query(`create function full_disk() returns trigger language plpgsql as $$
        begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`);
      await query(
        `create trigger full_disk before insert on sample_rows for each row execute function full_disk()`,
      );
      await publishNumbers(4, 9);
      await until(() => connector.status.trouble?.kind === 'full');
      expect(connector.status.trouble?.message).toContain('the connector waits until it has');
      expect(await numbers()).toEqual(range(1, 3));
      await query('drop trigger full_disk on sample_rows');
      await stored(9);
      expect(await numbers()).toEqual(range(1, 9));
      expect(connector.status.trouble).toBeUndefined();
    });

    it('takes the password from the password file, says when it is wrong, and never repeats it', async () => {
      await allow('scram', 'host');
      const file = join(folder, 'pgpass');
      const give = (password: string): void =>
        writeFileSync(file, `127.0.0.1:${postgres.port}:postgres:scram:${password}\n`, { mode: 0o600 });
      give(`wrong-${SECRET}`);
      process.env['PGPASSFILE'] = file;
      try {
        await publishNumbers(1, 3);
        const { connector, stored, log } = begin(`postgres://scram@127.0.0.1:${postgres.port}/postgres`);
        await until(() => connector.status.trouble?.kind === 'refused');
        expect(connector.status.trouble?.message).toContain('check user, password and database');
        give(SECRET);
        await stored(3);
        expect(await numbers()).toEqual(range(1, 3));
        expect(JSON.stringify([log.said, connector.status])).not.toContain(SECRET);
      } finally {
        delete process.env['PGPASSFILE'];
      }
    });

    it('speaks TLS to a server whose certificate it trusts, and to no other one', async () => {
      const data = await serveTls();
      await allow('tls', 'hostssl');
      const url = `postgres://tls:${SECRET}@127.0.0.1:${postgres.port}/postgres?sslmode=verify-full`;
      await publishNumbers(1, 3);
      const stranger = begin(url);
      await until(() => stranger.connector.status.trouble !== undefined);
      expect(stranger.connector.status.trouble?.message).toMatch(/certificate/);
      await end(stranger);
      const plain = begin(`postgres://tls:${SECRET}@127.0.0.1:${postgres.port}/postgres`);
      await until(() => plain.connector.status.trouble?.kind === 'refused');
      await end(plain);
      const trusting = begin(`${url}&sslrootcert=${join(data, 'server.crt')}`);
      await trusting.stored(3);
      const [session] = await query<{ ssl: boolean }>(
        `select ssl from pg_stat_ssl join pg_stat_activity using (pid) where usename = 'tls'`,
      );
      expect(session).toEqual({ ssl: true });
      const said = JSON.stringify([stranger.log.said, plain.log.said, trusting.log.said]);
      expect(said).not.toContain(SECRET);
    });
  },
);

/** A user with a password, whom the server asks for it. */
async function allow(user: string, way: 'host' | 'hostssl'): Promise<void> {
  await postgres.query(`create role ${user} superuser login password '${SECRET}'`, undefined, 'public');
  const [{ hba_file: file }] = (await postgres.query<{ hba_file: string }>('show hba_file')) as [
    { hba_file: string },
  ];
  writeFileSync(
    file,
    `${way} all ${user} 127.0.0.1/32 scram-sha-256\nhost all mcs 127.0.0.1/32 trust\nlocal all mcs trust\n`,
  );
  await reload();
}

/** What was written takes effect: a connection that is made behind it has it. */
async function reload(): Promise<void> {
  const loadedAt = async (): Promise<string> =>
    (await postgres.query<{ at: string }>('select pg_conf_load_time()::text as at'))[0]!.at;
  const before = await loadedAt();
  await postgres.query('select pg_reload_conf()');
  await until(async () => (await loadedAt()) !== before, { what: 'the settings of the server' });
}

/** The server gets a certificate; where that is. */
async function serveTls(): Promise<string> {
  const [{ hba_file: file }] = (await postgres.query<{ hba_file: string }>('show hba_file')) as [
    { hba_file: string },
  ];
  const data = dirname(file);
  const [key, certificate] = [join(data, 'server.key'), join(data, 'server.crt')];
  const names = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const made = [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-keyout',
    key,
    '-out',
    certificate,
  ];
  execFileSync('openssl', [...made, ...names], { stdio: 'pipe' });
  const { uid, gid } = statSync(data);
  for (const each of [key, certificate]) chownSync(each, uid, gid);
  await postgres.query('alter system set ssl = on');
  await reload();
  return data;
}
