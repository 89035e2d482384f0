/**
 * A cell over three nats-servers, as the guide says it is set up: `nats: { replicas: 3 }` in the mission, processes of
 * the service, one of the servers killed with -9. It takes long because elections of JetStream do.
 */

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'nats';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBus } from '../../bus/nats-bus.ts';
import type { TcEvent, TcReply } from '../../contract/telecommand.ts';
import { call, readLog } from '../support/client.ts';
import { startCluster, type TestCluster } from '../support/cluster.ts';
import { DEMO } from '../support/demo-cell.ts';
import { endAllMcs, type Mcs, startMcs } from '../support/mcs.ts';
import { quiet } from '../support/nats.ts';
import { until } from '../support/until.ts';

/** Elections of this server take 4 to 9 s, on a loaded machine longer. */
const PATIENTLY = { timeoutMs: 90_000 };

interface Health {
  readonly replicas?: { readonly wanted: number; readonly short: readonly unknown[] };
}

let cluster: TestCluster;
let mission: string;
let mcs: Mcs;

beforeAll(async () => {
  cluster = await startCluster();
  // As an installation that began with one server left them.
  await ensuredOnce();
  mission = await mkdtemp(join(tmpdir(), 'mcs-three-'));
  await cp(DEMO, mission, { recursive: true });
  await replaceIn('config.yaml', 'replicas: 1', 'replicas: 3');
  // Samples wait for the election as well: a window as long as one would time out.
  await replaceIn('cubesat-6u.yaml', 'counter changes, within: 10 s', 'counter changes, within: 90 s');
  mcs = await startMcs({
    args: ['serve', '--mission', mission, '--nats', cluster.url, '--port', '0'],
    // As the guide says for a cluster: longer than an election, which would take everything from the process.
    env: { MCS_MEMBER_TTL_MS: '15000' },
    readyWithinMs: 180_000,
  });
}, 400_000);
afterAll(async () => {
  await endAllMcs();
  await cluster.stop();
  await rm(mission, { recursive: true, force: true });
}, 60_000);

async function replaceIn(file: string, text: string, other: string): Promise<void> {
  const path = join(mission, file);
  const before = await readFile(path, 'utf8');
  expect(before).toContain(text);
  await writeFile(path, before.replace(text, other));
}

/** Everything as a process makes it that wants one copy. */
async function ensuredOnce(): Promise<void> {
  const bus = openBus({ url: cluster.url, name: 'earlier', log: quiet });
  await bus.ensureAssets({ deadlineMs: PATIENTLY.timeoutMs });
  await bus.close();
}

/** How many copies the servers are to hold of each stream, once one of them leads and says so. */
function copies(): Promise<number[]> {
  return until(async () => {
    const connection = await connect({ servers: cluster.url.split(',') }).catch(() => undefined);
    try {
      const found = await (await connection?.jetstreamManager())?.streams.list().next();
      return found?.map(({ config }) => config.num_replicas);
    } catch {
      return undefined;
    } finally {
      await connection?.close();
    }
  }, PATIENTLY);
}

const health = async (): Promise<Health['replicas']> =>
  (await call<Health>('GET', `${mcs.api}/healthz`)).body.replicas;

/** Sends a telecommand, tried again while the service says that it cannot take one; its states. */
async function ping(): Promise<string[]> {
  const { id } = await until(async () => {
    const { status, body } = await call<TcReply>('POST', `${mcs.api}/v1/tc`, {
      target: 'sat1',
      telecommand: 'obc.ping',
    });
    return status === 202 && body;
  }, PATIENTLY);
  const log = await until(
    () => readLog<TcEvent>(`${mcs.api}/v1/tc/sat1/${id}/events`).catch(() => undefined),
    PATIENTLY,
  );
  return log.map(({ state }) => state);
}

it('MC-BUS-021 adds copies to what has one, and keeps three of everything; with one server of three lost, telecommands are sent and verified', async () => {
  await until(async () => {
    const replicas = await health();
    return replicas?.wanted === 3 && replicas.short.length === 0;
  }, PATIENTLY);
  expect(new Set(await copies())).toEqual(new Set([3]));
  await ensuredOnce();
  expect(new Set(await copies()), 'never lowered').toEqual(new Set([3]));
  expect(await ping()).toEqual(['PENDING', 'ENCODED', 'SENT', 'VERIFIED']);
  await cluster.kill(0);
  for (let sent = 0; sent < 5; sent += 1) expect((await ping()).at(-1)).toBe('VERIFIED');
  await until(async () => ((await health())?.short.length ?? 0) > 0, PATIENTLY);
  const metrics = await (await fetch(`${mcs.api}/metrics`)).text();
  expect(Number(/^mcs_bus_streams_short(?:\{.*\})? (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThan(0);
  cluster.start(0);
  await until(async () => (await health())?.short.length === 0, PATIENTLY);
}, 900_000);
