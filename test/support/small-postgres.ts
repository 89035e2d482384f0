/**
 * A PostgreSQL server whose cluster is on a disk of some megabytes. What ends by itself is begun again, as a service
 * manager does.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { programs, queriesOf, type RealPostgres } from './real-postgres.ts';
import { smallDisk } from './small-disk.ts';
import { until } from './until.ts';

export interface SmallPostgres extends Pick<RealPostgres, 'url' | 'query'> {
  /** Takes all of the disk that is free but so many bytes. */
  fill(but: number): Promise<void>;
  /** Gives it back. */
  free(): Promise<void>;
  stop(): Promise<void>;
}

/** The server refuses to run as root, whom it would be on a disk that was mounted without being root. */
const NOBODY = ['unshare', '--user', '--map-user=1000'];
const SERVE = `
"$1/initdb" -D "$2/data" -X "$3/wal" -U mcs --auth=trust --no-sync --wal-segsize=1 --encoding=UTF8 --locale=C || exit 1
trap 'kill -INT $server; wait $server; exit 0' INT TERM
while :; do
  "$1/postgres" -D "$2/data" -p "$4" -k "$2" -c listen_addresses=127.0.0.1 -c shared_buffers=16MB -c max_connections=20 \\
    -c min_wal_size=2MB -c max_wal_size=4MB -c autovacuum=off &
  server=$!
  wait $server
  sleep 0.2
done`;

/** `wal: 'beside'`: the log of the server has room when its tables have none. */
export async function startSmallPostgres(bytes: number, wal: 'inside' | 'beside'): Promise<SmallPostgres> {
  const disk = await smallDisk(bytes);
  const beside = await mkdtemp(join(tmpdir(), 'postgres-wal-'));
  await chmod(beside, 0o777);
  const port = await freePort('tcp');
  const url = `postgres://mcs@127.0.0.1:${port}/postgres`;
  const place = [programs()!, disk.path, wal === 'beside' ? beside : disk.path, String(port)];
  const [command, ...args] = [...disk.within, ...NOBODY, 'sh', '-c', SERVE, 'serve', ...place];
  const child = spawn(command!, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, LC_ALL: 'C' },
  });
  let said = '';
  for (const output of [child.stdout, child.stderr])
    output.on('data', (text: Buffer) => {
      said = (said + text.toString()).slice(-20_000);
    });
  const query = queriesOf(url);
  const answers = (): Promise<boolean> =>
    query('select 1').then(
      () => true,
      () => false,
    );
  await until(answers, { timeoutMs: 60_000, what: 'PostgreSQL to answer' }).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${said}`);
  });
  const pid = child.pid!;
  return {
    url,
    query,
    fill: (but) => disk.fill(pid, but),
    free: () => disk.free(pid),
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      await disk.remove();
      await rm(beside, { recursive: true, force: true });
    },
  };
}
