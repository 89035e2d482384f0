/** A store that is put back from a copy under living processes: positions are used again, and everything goes on. */

import { cp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { TcEvent, TcReply } from '../../contract/telecommand.ts';
import { isFinalTcState } from '../../contract/telecommand-state.ts';
import { markIn } from '../../messaging/mark-entry.ts';
import type { Bus } from '../../ports/bus.ts';
import { call, readLog } from '../support/client.ts';
import { createGatewayHand, DEMO } from '../support/demo-cell.ts';
import { endAllMcs, type Mcs, STEADY, startMcs } from '../support/mcs.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { until } from '../support/until.ts';

/** Leases, heartbeats and takeovers on a busy machine. */
const PATIENTLY = { timeoutMs: 60_000 };

let nats: TestNats;
let front: Mcs;
let executor: Mcs;

const serve = (roles: string): Promise<Mcs> =>
  startMcs({
    args: [
      'serve',
      '--roles',
      roles,
      '--nats',
      nats.url,
      '--credentials',
      nats.credentialsFile,
      '--mission',
      DEMO,
    ],
    // What they own they keep while the server is away.
    env: STEADY,
  });

beforeAll(async () => {
  nats = await startNats();
  [front, executor] = await Promise.all([
    serve('api,telemetry,drivers,alarms,reconciler,gateways'),
    serve('executor'),
  ]);
}, 120_000);
afterAll(async () => {
  await endAllMcs();
  await nats.stop();
});

const send = async (): Promise<string> => {
  const body = { target: 'sat1', telecommand: 'obc.set_watchdog', args: { period: '30 s' } };
  const answer = await until(async () => {
    const now = await call<TcReply>('POST', `${front.api}/v1/tc`, body);
    return now.status === 202 && now;
  }, PATIENTLY);
  return answer.body.id;
};

const statesOf = async (id: string): Promise<string[]> =>
  (await readLog<TcEvent>(`${front.api}/v1/tc/sat1/${id}/events`)).map(({ state }) => state);

/** Whether the low-water mark of the lane knows the last event of these. */
async function isMarked(bus: Bus, ids: readonly string[]): Promise<boolean> {
  const lasts = await Promise.all(
    ids.map((id) => bus.last(streams.telecommandEvents, subject.tcEvent('sat1', id))),
  );
  const last = Math.max(...lasts.map((event) => event?.seq ?? 0));
  const entry = await bus.bucket(buckets.members).get('checkpoint.lane.sat1');
  const known = entry && markIn(entry.value)?.known;
  return known?.some(({ stream, seq }) => stream === streams.telecommandEvents && seq === last) === true;
}

async function verifiedOne(): Promise<void> {
  const id = await send();
  expect((await statesOf(id)).at(-1)).toMatch(/^(VERIFIED|COMPLETE)$/);
}

it('lanes, telemetry and gateways go on, also after a restart, and nothing is sent twice', async () => {
  const store = join(nats.stateDir, 'store');
  const kept = join(nats.stateDir, 'kept');
  for (let n = 0; n < 5; n += 1) await verifiedOne();
  await nats.kill();
  await cp(store, kept, { recursive: true });
  await nats.start();
  const lost: string[] = [];
  for (let n = 0; n < 8; n += 1) {
    const id = await send();
    lost.push(id);
    expect(isFinalTcState((await statesOf(id)).at(-1) ?? '')).toBe(true);
  }

  await nats.kill();
  await rm(store, { recursive: true });
  await rename(kept, store);
  await nats.start();
  const since: string[] = [];
  for (let n = 0; n < 3; n += 1) since.push(await send());
  for (const id of since)
    expect((await statesOf(id)).at(-1), executor.errors()).toMatch(/^(VERIFIED|COMPLETE)$/);

  // Killed before its low-water mark is written again, its heir ends what is younger as it ends what was lost: nobody
  // knows.
  const bus = await nats.connected();
  await until(() => isMarked(bus, since), PATIENTLY);
  await executor.kill();
  executor = await serve('executor');
  await verifiedOne();

  const received = await createGatewayHand(bus).receivedByRequest();
  for (const [request, times] of Object.entries(received)) expect(times, request).toBe(1);
  expect([front, executor].map(({ child }) => child.exitCode)).toEqual([null, null]);
}, 400_000);
