/**
 * `NATS_SERVER=… npm run sync-interval -- [--seconds N] [--folder DIR]`: what it costs that nats-server writes to the
 * disk more often. A server of its own for each interval (2.10 or later has the setting), a stream on the disk of the
 * folder, messages as large as an event of a telecommand, acknowledged one after the other and 64 at once. Writes a
 * second depend on the disk and on what else the machine does; processor time for a write is the server's.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connect, type JetStreamClient, type NatsConnection } from 'nats';
import { findServerBinary } from '../../bus/server-binary.ts';
import { optionsOf } from '../../tools/command-line.ts';
import { cpuUsOf } from '../processor.ts';

const INTERVALS = ['always', '1s', '10s', '30s', '2m'] as const;
const PUBLISHERS = [1, 64] as const;
const BODY = Buffer.alloc(300, 'x');
const READY_MS = 30_000;

interface Measured {
  readonly perSecond: number;
  /** Of the server, for a write. */
  readonly cpuUs: number;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

async function connected(port: number): Promise<NatsConnection> {
  const end = performance.now() + READY_MS;
  for (;;) {
    try {
      return await connect({ servers: `127.0.0.1:${port}` });
    } catch (error) {
      if (performance.now() > end) throw error;
      await pause(50);
    }
  }
}

async function publish(
  jetstream: JetStreamClient,
  pid: number,
  publishers: number,
  ms: number,
): Promise<Measured> {
  const [begun, before] = [performance.now(), await cpuUsOf(pid)];
  let count = 0;
  const one = async (): Promise<void> => {
    while (performance.now() - begun < ms) {
      await jetstream.publish('sync.s', BODY);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: publishers }, one));
  const spentMs = performance.now() - begun;
  return { perSecond: (1_000 * count) / spentMs, cpuUs: ((await cpuUsOf(pid)) - before) / count };
}

async function measure(interval: string, ms: number, folder: string): Promise<readonly Measured[]> {
  const dir = await mkdtemp(join(folder, 'mcs-sync-'));
  const port = await freePort();
  const config = join(dir, 'server.conf');
  const store = `jetstream: { store_dir: "${join(dir, 'store')}", sync_interval: ${interval} }`;
  await writeFile(config, `listen: "127.0.0.1:${port}"\n${store}\n`);
  const server = spawn(await findServerBinary(), ['-c', config], { stdio: 'ignore' });
  const ended = once(server, 'exit');
  try {
    const connection = await Promise.race([connected(port), ended.then(() => undefined)]);
    if (connection === undefined)
      throw new Error('nats-server does not take `sync_interval`: 2.10 or later is needed');
    const manager = await connection.jetstreamManager();
    await manager.streams.add({ name: 'SYNC', subjects: ['sync.>'] });
    const rows: Measured[] = [];
    for (const publishers of PUBLISHERS)
      rows.push(await publish(connection.jetstream(), server.pid!, publishers, ms));
    await connection.close();
    return rows;
  } finally {
    server.kill('SIGKILL');
    await ended;
    await rm(dir, { recursive: true, force: true });
  }
}

const values = optionsOf(import.meta.url, {
  seconds: { type: 'string', default: '10' },
  folder: { type: 'string', default: tmpdir() },
});
console.log(
  '| `sync_interval` | one publisher: writes/s, processor time each | 64: writes/s, processor time each |\n|---|---|---|',
);
for (const interval of INTERVALS) {
  const rows = await measure(interval, Number(values.seconds) * 1_000, values.folder);
  const cells = rows.map(({ perSecond, cpuUs }) => `${perSecond.toFixed(0)}, ${cpuUs.toFixed(0)} µs`);
  console.log(`| ${interval} | ${cells.join(' | ')} |`);
}
