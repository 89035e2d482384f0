/** bus/server.R1, R2, server-process.V1, bus/identity.I1: the embedded server lives exactly as long as it should. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { NatsBus } from '../../bus/nats-bus.ts';
import { openBus } from '../../bus/nats-bus.ts';
import type { EmbeddedServer } from '../../bus/server.ts';
import { startEmbeddedServer } from '../../bus/server.ts';
import { findServerBinary } from '../../bus/server-binary.ts';
import { serverVersion, takesSyncInterval } from '../../bus/server-version.ts';
import { freeze } from '../support/freeze.ts';
import { quiet } from '../support/nats.ts';
import { keptLog } from '../support/silent-log.ts';
import { until } from '../support/until.ts';

const STREAM = { name: 'T', subjects: ['mcs.t.*'], maxAgeMs: 3_600_000, dedupeMs: 120_000 };
const bytes = (text: string) => new TextEncoder().encode(text);

let stateDir: string;
const servers: EmbeddedServer[] = [];
const buses: NatsBus[] = [];
beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'mcs-server-'));
});
afterEach(async () => {
  await Promise.all(buses.splice(0).map((bus) => bus.close()));
  await Promise.all(servers.splice(0).map((server) => server.stop()));
  await rm(stateDir, { recursive: true, force: true });
});

async function start(port?: number): Promise<EmbeddedServer> {
  const options = port === undefined ? { stateDir, log: quiet } : { stateDir, log: quiet, port };
  const server = await startEmbeddedServer(options);
  servers.push(server);
  return server;
}

function open({ url, credentials }: Pick<EmbeddedServer, 'url' | 'credentials'>): NatsBus {
  const bus = openBus({ url, credentials, name: 'test', log: quiet });
  buses.push(bus);
  return bus;
}

function alive(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(pid, 0);
  } catch {
    return false;
  }
}

it('keeps messages, keys and credentials over a stop and a start', async () => {
  const first = await start();
  const port = Number(new URL(first.url).port);
  const pid = first.pid;
  expect(await open(first).append(STREAM, 'mcs.t.a', bytes('1'))).toEqual({ outcome: 'stored', seq: 1 });
  await first.stop();
  expect(alive(pid)).toBe(false);
  const second = await start(port);
  expect(second.url).toBe(first.url);
  expect(second.followerSigner).toEqual(first.followerSigner);
  const bus = open(first);
  expect(await bus.append(STREAM, 'mcs.t.a', bytes('2'), { deadlineMs: 10_000 })).toMatchObject({ seq: 2 });
});

it('writes its keys and credentials for its owner only', async () => {
  await start();
  for (const name of ['keys.json', 'service.creds', 'server.conf', 'owner.json'])
    expect((await stat(join(stateDir, name))).mode & 0o777).toBe(0o600);
});

it('lets another process in by the credentials file', async () => {
  const { url } = await start();
  const bus = openBus({
    url,
    name: 'cli',
    credentials: { kind: 'file', path: join(stateDir, 'service.creds') },
    log: quiet,
  });
  buses.push(bus);
  expect(await bus.append(STREAM, 'mcs.t.a', bytes('1'))).toMatchObject({ outcome: 'stored' });
});

it('writes its store to the disk every second where the server can, and does not ask it of one that cannot', async () => {
  const real = await findServerBinary();
  const config = join(stateDir, 'server.conf');
  await start();
  const can = takesSyncInterval(await serverVersion(real));
  expect((await readFile(config, 'utf8')).includes('sync_interval: 1s')).toBe(can);
  await servers.pop()!.stop();

  // The same server as a later one, which would start with what is written for it.
  const later = join(stateDir, 'nats-server');
  const without = join(stateDir, 'without.conf');
  const script = `#!/bin/sh
if [ "$1" = --version ]; then echo 'nats-server: v2.10.27'; exit; fi
grep -v sync_interval "$2" > ${without}; shift 2
exec ${real} -c ${without} "$@"
`;
  await writeFile(later, script, { mode: 0o755 });
  vi.stubEnv('NATS_SERVER', later);
  try {
    await start();
    expect(await readFile(config, 'utf8')).toMatch(/jetstream: \{[^}]*sync_interval: 1s\n\}/);
  } finally {
    vi.unstubAllEnvs();
  }
});

it.each([
  ['nats-server: v2.9.10', false],
  ['nats-server: v2.10.0', true],
  ['nats-server: v2.14.2-beta', true],
  ['nats-server: v3.0.1', true],
  ['nothing', false],
])('%s takes an interval: %s', async (text, takes) => {
  const program = join(stateDir, 'program');
  await writeFile(program, `#!/bin/sh\necho '${text}'\n`, { mode: 0o755 });
  expect(takesSyncInterval(await serverVersion(program))).toBe(takes);
  expect(takesSyncInterval(await serverVersion(join(stateDir, 'absent')))).toBe(false);
});

it('lets nobody in without credentials, and listens on the loopback interface only', async () => {
  const { url } = await start();
  const bus = openBus({ url, name: 'stranger', log: quiet });
  buses.push(bus);
  await expect(bus.append(STREAM, 'mcs.t.a', bytes('1'))).rejects.toMatchObject({ code: 'bus.unavailable' });
  expect(bus.connected).toBe(false);
  const socket = connect(Number(new URL(url).port), '127.0.0.2');
  await expect(once(socket, 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

it('comes back on the same port after a crash, with what was stored', async () => {
  const server = await start();
  const bus = open(server);
  await bus.append(STREAM, 'mcs.t.a', bytes('1'));
  const exits: (string | number | null)[] = [];
  server.onExit(({ code, signal }) => exits.push(signal ?? code));
  const crashed = server.pid ?? 0;
  process.kill(crashed, 'SIGKILL');
  await until(() => server.pid !== undefined && server.pid !== crashed);
  expect(exits).toHaveLength(1);
  expect(await bus.append(STREAM, 'mcs.t.a', bytes('2'), { deadlineMs: 10_000 })).toMatchObject({ seq: 2 });
});

it('refuses a state directory that a living server uses, and leaves that server alone', async () => {
  const server = await start();
  await expect(startEmbeddedServer({ stateDir, log: quiet })).rejects.toThrow(/in use by process \d+/);
  expect(alive(server.pid)).toBe(true);
  await expect(startEmbeddedServer({ stateDir, log: quiet })).rejects.toThrow(/in use/);
});

it('takes a state directory whose owner is gone, also when its pid lives again as another process', async () => {
  const owner = { pid: process.pid, started: '1' };
  await writeFile(join(stateDir, 'owner.json'), JSON.stringify({ owner, server: { pid: 1, started: '0' } }));
  expect(alive((await start()).pid)).toBe(true);
});

it('says what the server said when it does not start, and frees the directory', async () => {
  const port = Number(new URL((await start()).url).port);
  const elsewhere = await mkdtemp(join(tmpdir(), 'mcs-server-'));
  try {
    await expect(startEmbeddedServer({ stateDir: elsewhere, log: quiet, port })).rejects.toThrow(
      /exited at start:[\s\S]*address already in use/,
    );
    expect(await readdir(elsewhere)).not.toContain('owner.json');
  } finally {
    await rm(elsewhere, { recursive: true, force: true });
  }
});

it('refuses a damaged key file rather than making a new identity', async () => {
  await writeFile(join(stateDir, 'keys.json'), '{"operator":"');
  await expect(startEmbeddedServer({ stateDir, log: quiet })).rejects.toThrow(/keys\.json does not contain/);
  expect(await readFile(join(stateDir, 'keys.json'), 'utf8')).toBe('{"operator":"');
});

it('dies with its process also when that is killed, and the next one takes over', async () => {
  const child = spawn(process.execPath, ['--import', 'tsx', 'test/bus/orphan.fixture.ts', stateDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { pid } = JSON.parse(line) as { pid: number };
  expect(alive(pid)).toBe(true);
  await expect(startEmbeddedServer({ stateDir, log: quiet })).rejects.toThrow(/in use/);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const next = await start();
  expect(alive(pid)).toBe(false);
  expect(alive(next.pid)).toBe(true);
});

it('says how to get a server when none is found, and which name is wrong', async () => {
  await expect(findServerBinary({ NATS_SERVER: '/nowhere/nats-server' })).rejects.toThrow(
    /NATS_SERVER names \/nowhere/,
  );
  const own = join(stateDir, 'nats-server');
  await writeFile(own, '#!/bin/sh\n');
  await chmod(own, 0o755);
  expect(await findServerBinary({ PATH: stateDir })).toBe(own);
  expect(await findServerBinary({ NATS_SERVER: own, PATH: '' })).toBe(own);
});

it('is bound to collect its garbage in time, and serves its monitoring only when asked', async () => {
  const plain = await start();
  expect(plain.monitor).toBeUndefined();
  expect(await readFile(`/proc/${plain.pid}/environ`, 'utf8')).toMatch(/(^|\0)GOMEMLIMIT=/);
  await servers.pop()!.stop();
  const monitored = await startEmbeddedServer({ stateDir, log: quiet, monitored: true });
  servers.push(monitored);
  const { monitoring, profile } = monitored.monitor!;
  for (const address of [monitoring, profile]) expect(new URL(address).hostname).toBe('127.0.0.1');
  expect((await fetch(`${monitoring}/varz`)).status).toBe(200);
  expect((await fetch(`${profile}/debug/pprof/heap?debug=1`)).status).toBe(200);
});

it('bus/server.R3 one that stands still is killed and comes back, with what it had acknowledged', async () => {
  const log = keptLog();
  // Longer than a busy machine lets a server wait that does its work.
  const server = await startEmbeddedServer({ stateDir, log, silenceMs: 6_000 });
  servers.push(server);
  const bus = open(server);
  await bus.append(STREAM, 'mcs.t.a', bytes('1'));
  const pid = server.pid!;
  await freeze(pid);
  await until(() => server.pid !== undefined && server.pid !== pid, {
    timeoutMs: 60_000,
    what: 'another server',
  });
  expect(log.said.map(({ message }) => message)).toContain(
    'bus server stands still: it is killed and started again',
  );
  expect(await bus.append(STREAM, 'mcs.t.a', bytes('2'), { deadlineMs: 20_000 })).toMatchObject({ seq: 2 });
}, 90_000);
