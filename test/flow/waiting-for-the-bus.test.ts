/**
 * `mcs serve` whose bus is away, refuses it, or is left again: what it prints. A person reads stderr, and a supervisor
 * reads stdout and the exit code.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findServerBinary } from '../../bus/server-binary.ts';
import { DEMO } from '../support/demo-cell.ts';
import { endAllMcs, type Mcs, startMcs } from '../support/mcs.ts';
import { until } from '../support/until.ts';

const PASSWORD = 'sup3r-s3cret';
const SECONDS = { timeoutMs: 90_000 };

let folder: string;
let ends: (() => Promise<unknown>)[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcs-waiting-'));
  ends = [];
});
afterEach(async () => {
  await endAllMcs();
  await Promise.all(ends.map((end) => end()));
  await rm(folder, { recursive: true, force: true });
});

/** A nats-server that lets in the user `mcs` alone; resolves with its port. */
async function startGuarded(): Promise<number> {
  const file = join(folder, 'server.conf');
  const ports = join(folder, 'ports');
  await writeFile(
    file,
    `listen: "127.0.0.1:-1"\nports_file_dir: "${folder}"\njetstream { store_dir: "${ports}" }\nauthorization { user: mcs, password: "${PASSWORD}" }\n`,
  );
  const child = spawn(await findServerBinary(), ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  ends.push(() => {
    child.kill('SIGKILL');
    return once(child, 'exit');
  });
  const port = await until(
    () => /Listening for client connections on 127\.0\.0\.1:(\d+)/.exec(said)?.[1],
    SECONDS,
  );
  await until(() => said.includes('Server is ready'), SECONDS);
  return Number(port);
}

/** What closes each connection without a word; counts them. */
async function startNobody(): Promise<{ port: number; attempts(): number }> {
  let attempts = 0;
  const server = createServer((socket) => {
    attempts += 1;
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => new Promise((resolve) => server.close(resolve)));
  return { port: (server.address() as AddressInfo).port, attempts: () => attempts };
}

const serve = (...args: string[]): Promise<Mcs> =>
  startMcs({ args: ['serve', '--roles', 'api', '--port', '0', ...args], unready: true });

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');
const lastLine = (mcs: Mcs): string | undefined => lines(mcs.errors()).at(-1);

describe('mcs serve and its bus', { timeout: 240_000 }, () => {
  it('without a server: says once what is wrong, prints no ready line when it is ended, and last why it ended', async () => {
    const nobody = await startNobody();
    const mcs = await serve('--nats', `nats://mcs:${PASSWORD}@127.0.0.1:${nobody.port}`);
    await until(() => mcs.errors().includes('waiting for the bus') && nobody.attempts() > 15, SECONDS);
    const { code } = await mcs.kill('SIGTERM');
    expect(code).toBe(0);
    expect(mcs.output()).toBe('');
    const said = lines(mcs.errors());
    expect(said.length).toBeLessThanOrEqual(3);
    expect(mcs.errors()).not.toContain('    at ');
    expect(mcs.errors()).not.toContain(PASSWORD);
    expect(lastLine(mcs)).toBe('mcs: ended: SIGTERM');
  });

  it('refused credentials are not an absent server, and no output holds the password', async () => {
    const port = await startGuarded();
    const mcs = await serve('--nats', `nats://mcs:wrong-${PASSWORD}@127.0.0.1:${port}`);
    await until(() => mcs.errors().includes('refused the credentials'), SECONDS);
    await mcs.kill('SIGTERM');
    expect(mcs.errors()).not.toContain('nothing listens');
    expect(mcs.errors()).not.toContain(PASSWORD);
    const published = await startMcs({
      args: ['config', 'publish', DEMO, '--nats', `nats://mcs:wrong-${PASSWORD}@127.0.0.1:${port}`],
      unready: true,
    });
    expect((await published.exited).code).toBe(1);
    expect(lastLine(published)).toMatch(
      /no message bus at nats:\/\/127\.0\.0\.1:\d+: .*refused the credentials/,
    );
    expect(published.errors() + published.output()).not.toContain(PASSWORD);
  });

  it('the ready line names the bus without user and password', async () => {
    const port = await startGuarded();
    const mcs = await startMcs({
      args: [
        'serve',
        '--roles',
        'api',
        '--port',
        '0',
        '--mission',
        DEMO,
        '--nats',
        `nats://mcs:${PASSWORD}@127.0.0.1:${port}`,
      ],
    });
    expect(mcs.nats).toBe(`nats://127.0.0.1:${port}`);
    await mcs.kill('SIGTERM');
    expect(mcs.output() + mcs.errors()).not.toContain(PASSWORD);
  });

  it('a reader of stderr that goes away ends no process', async () => {
    const port = await startGuarded();
    const mcs = await serve('--mission', DEMO, '--nats', `nats://mcs:${PASSWORD}@127.0.0.1:${port}`);
    mcs.child.stderr!.destroy();
    const ready = await until(() => lines(mcs.output()).find((line) => line.startsWith('{')), SECONDS);
    const { api } = JSON.parse(ready) as { api: string };
    process.kill(mcs.child.pid!, 'SIGTERM');
    expect((await mcs.exited).code).toBe(0);
    expect(api).toMatch(/^http/);
  });
});
