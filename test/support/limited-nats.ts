/** A nats-server with an account whose storage is limited, and whose limit can be moved while it runs. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findServerBinary } from '../../bus/server-binary.ts';
import { until } from './until.ts';

export interface LimitedNats {
  readonly url: string;
  /** The account may store so many bytes from now on. */
  limit(bytes: number): Promise<void>;
  /** It hangs: its connections stay, and nothing is answered. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

const PLENTY = 8 * 2 ** 30;

export async function startLimitedNats(bytes = PLENTY, { maxPayload = '8MB' } = {}): Promise<LimitedNats> {
  const folder = await mkdtemp(join(tmpdir(), 'mcs-limited-'));
  const file = join(folder, 'server.conf');
  let port = -1;
  const configure = (most: number): Promise<void> =>
    writeFile(
      file,
      `listen: "127.0.0.1:${port}"
max_payload: ${maxPayload}
jetstream { store_dir: "${join(folder, 'store')}", max_mem: 256MB, max_file: 16GB }
accounts { MCS { users: [{user: mcs, password: mcs}], jetstream: { max_mem: 128MB, max_file: ${most} } } }
`,
    );
  await configure(bytes);
  const settings = ['-c', file, '-l', join(folder, 'log'), '--ports_file_dir', folder];
  const server = spawn(await findServerBinary(), settings, { stdio: 'ignore' });
  port = await until(() => portIn(folder), { what: 'the port of the server' });
  await configure(bytes);
  return {
    url: `nats://mcs:mcs@127.0.0.1:${port}`,
    limit: async (most) => {
      const log = join(folder, 'log');
      const reloads = async () => (await readFile(log, 'utf8')).split('Reloaded server configuration').length;
      const before = await reloads();
      await configure(most);
      server.kill('SIGHUP');
      await until(async () => (await reloads()) > before, { what: 'the new limit' });
    },
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
    stop: async () => {
      server.kill('SIGKILL');
      await once(server, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function portIn(folder: string): Promise<number | undefined> {
  const name = (await readdir(folder)).find((each) => each.endsWith('.ports'));
  if (name === undefined) return undefined;
  try {
    const { nats } = JSON.parse(await readFile(join(folder, name), 'utf8')) as { nats: string[] };
    return Number(new URL(nats[0]!).port);
  } catch {
    return undefined;
  }
}
