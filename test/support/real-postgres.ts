/** A PostgreSQL server as Debian installs it, with a cluster of a test, in a folder of its own, on a free port of 127.0.0.1. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './free-port.ts';
import { until } from './until.ts';

export interface RealPostgres {
  /** With user and database; `password` for its user where one is asked for. */
  readonly url: string;
  readonly port: number;
  /** What a statement returns; tables are looked for in the schema. */
  query<Row extends object>(sql: string, values?: unknown[], schema?: string): Promise<Row[]>;
  /** kill -9 of the server; the cluster stays. */
  kill(): Promise<void>;
  /** The same cluster again, on the same port. */
  start(): Promise<void>;
  /** Ends it and removes the cluster. */
  stop(): Promise<void>;
}

/** Where Debian has the programs of a version. */
const VERSIONS = '/usr/lib/postgresql';

export function programs(): string | undefined {
  if (!existsSync(VERSIONS)) return undefined;
  const versions = readdirSync(VERSIONS).sort((one, other) => Number(other) - Number(one));
  return versions
    .map((version) => join(VERSIONS, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'initdb')));
}

/** Why it cannot be run here; undefined when it can. */
export function noPostgres(): string | undefined {
  return programs() === undefined ? 'PostgreSQL is not installed (Debian package postgresql)' : undefined;
}

/** The server does not run as root: then it runs as the user of the package. */
function account(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string): number =>
    Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout);
  return { uid: id('-u'), gid: id('-g') };
}

export async function startPostgres(settings: readonly string[] = []): Promise<RealPostgres> {
  const bin = programs()!;
  const user = account();
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  chmodSync(folder, 0o755);
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const environment = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' };
  const run = Object.assign({ env: environment, cwd: folder }, user);
  const made = spawnSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'mcs', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C'],
    Object.assign({ encoding: 'utf8' as const }, run),
  );
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`);
  const port = await freePort('tcp');
  const url = `postgres://mcs@127.0.0.1:${port}/postgres`;
  let child: ChildProcess | undefined;
  let said = '';

  const query = queriesOf(url);
  const begin = (): ChildProcess => {
    const stated = ['shared_buffers=16MB', 'max_connections=20', 'listen_addresses=127.0.0.1', ...settings];
    const args = ['-D', data, '-p', String(port), '-k', folder, ...stated.flatMap((each) => ['-c', each])];
    const options = Object.assign({ stdio: 'pipe' as const }, run);
    const begun = spawn(join(bin, 'postgres'), args, options);
    begun.stderr.on('data', (text: Buffer) => {
      said = (said + text.toString()).slice(-20_000);
    });
    return begun;
  };
  const answers = async (): Promise<boolean> => {
    // Behind a kill -9 the processes of the one before may be there for a moment, and it refuses to start.
    if (child === undefined || child.exitCode !== null) child = begin();
    return query('select 1').then(
      () => true,
      () => false,
    );
  };
  const start = async (): Promise<void> => {
    await until(answers, { timeoutMs: 30_000, what: 'PostgreSQL to answer' }).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${said}`);
    });
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ending = child;
    child = undefined;
    if (ending === undefined || ending.exitCode !== null) return;
    const ended = once(ending, 'exit');
    ending.kill(signal);
    await ended;
  };
  await start();
  return {
    url,
    port,
    query,
    start,
    kill: () => end('SIGKILL'),
    async stop() {
      await end('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A connection for each statement; tables are looked for in the schema. */
export function queriesOf(url: string): RealPostgres['query'] {
  return async <Row extends object>(sql: string, values?: unknown[], schema = 'mcs'): Promise<Row[]> => {
    const client = new pg.Client({ connectionString: url, options: `-c search_path=${schema}` });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Row>(sql, values)).rows;
    } finally {
      await client.end();
    }
  };
}
