/**
 * "Several processes" of `docs/operating.md`, run as it stands there: its commands, with folders and ports of the test
 * in place of those of the guide. Beside them its sentence that the others find the bus again.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { findServerBinary } from '../../bus/server-binary.ts';
import type { TcEvent, TcReply } from '../../contract/telecommand.ts';
import { call, readLog } from '../support/client.ts';
import { freePort } from '../support/free-port.ts';
import { endAllMcs, type Mcs, startMcs } from '../support/mcs.ts';
import { until } from '../support/until.ts';

const GUIDE = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');
const SECTION = GUIDE.slice(GUIDE.indexOf('## Several processes'), GUIDE.indexOf('## Watching'));
const BLOCKS = [...SECTION.matchAll(/```(\w*)\n(.*?)```/gs)].map(([, language, text]) => ({
  language,
  text: text!,
}));
const [EMBEDDED, OWN] = BLOCKS.filter(({ language }) => language === '').map(({ text }) => text);
const BUS_CONFIGURATION = BLOCKS.find(({ language }) => language === 'nats')?.text;

/** Four processes that start together on a busy machine, twice. */
const timeout = 240_000;

let folder: string;
let nats: ChildProcess | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'several-'));
});
afterEach(async () => {
  await endAllMcs();
  if (nats !== undefined && nats.exitCode === null) {
    const ended = once(nats, 'exit');
    nats.kill('SIGKILL');
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
});
afterAll(() => endAllMcs());

/** The text of the guide with what is of this machine. */
async function here(): Promise<(text: string) => string> {
  const places: readonly (readonly [string, string])[] = [
    ['192.168.1.5', '127.0.0.1'],
    ['4222', String(await freePort('tcp'))],
    ['8400', String(await freePort('tcp'))],
    ['/var/lib/mcs', join(folder, 'mcs')],
    ['/var/lib/nats', join(folder, 'nats')],
    ['my-mission', 'missions/demo'],
  ];
  return (text) => places.reduce((changed, [there, place]) => changed.replaceAll(there, place), text);
}

const commandsOf = (text: string): string[][] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.split(' '));

const env = { MCS_NATS_USER: 'mcs', MCS_NATS_PASSWORD: 'a-secret' };

async function readiness(api: string): Promise<number> {
  return fetch(`${api}/readyz`).then(
    ({ status }) => status,
    () => 0,
  );
}

/** A telecommand goes through every process but that of alarms and schedules. */
async function completes(api: string): Promise<void> {
  const body = { target: 'sat1', telecommand: 'obc.ping' };
  const answer = await until(
    async () => {
      const taken = await call<TcReply>('POST', `${api}/v1/tc`, body);
      return taken.status === 202 && taken;
    },
    { what: 'a telecommand to be taken', timeoutMs: 60_000 },
  );
  const events = await readLog<TcEvent>(`${api}/v1/tc/sat1/${answer.body.id}/events`);
  expect(events.at(-1)!.state).toBe('VERIFIED');
}

it('the processes with an embedded bus work together, and find it again after its process was killed', {
  timeout,
}, async () => {
  const [first, ...others] = commandsOf((await here())(EMBEDDED!));
  expect([first![0], others.length]).toEqual(['mcs', 3]);
  const bus = await startMcs({ args: first!.slice(1) });
  const processes = await Promise.all(others.map(([, ...args]) => startMcs({ args })));
  const { api } = processes.find((each) => each.api !== '')!;
  await until(async () => (await readiness(api)) === 200, { what: 'the API to be ready', timeoutMs: 60_000 });
  await completes(api);
  await bus.kill('SIGKILL');
  await until(async () => (await readiness(api)) === 503, {
    what: 'the bus to be missed',
    timeoutMs: 60_000,
  });
  const again: Mcs = await startMcs({ args: first!.slice(1) });
  expect(again.nats).toBe(bus.nats);
  await until(async () => (await readiness(api)) === 200, { what: 'it to be found', timeoutMs: 60_000 });
  await completes(api);
  for (const each of processes) expect(each.child.exitCode).toBeNull();
});

it('the processes with a nats-server of its own work together, with a password that no address shows', {
  timeout,
}, async () => {
  const placed = await here();
  const [server, ...services] = commandsOf(placed(OWN!));
  expect(server).toEqual(['nats-server', '-c', 'bus.conf']);
  writeFileSync(join(folder, 'bus.conf'), placed(BUS_CONFIGURATION!));
  nats = spawn(await findServerBinary(), server!.slice(1), {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: 'ignore',
  });
  const processes = await Promise.all(services.map(([, ...args]) => startMcs({ args, env })));
  const { api } = processes.find((each) => each.api !== '')!;
  await until(async () => (await readiness(api)) === 200, { what: 'the API to be ready', timeoutMs: 60_000 });
  await completes(api);
  for (const each of processes) expect(each.errors() + each.output()).not.toContain('a-secret');
});
