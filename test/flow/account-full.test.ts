/** An account that has no room: answers say what to do, nothing crashes, and everything goes on when there is room. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TcEvent, TcReply } from '../../contract/telecommand.ts';
import { call, readLog } from '../support/client.ts';
import { DEMO } from '../support/demo-cell.ts';
import { type LimitedNats, startLimitedNats } from '../support/limited-nats.ts';
import { endAllMcs, type Mcs, startMcs } from '../support/mcs.ts';
import { until } from '../support/until.ts';

/** Leases, heartbeats and takeovers on a busy machine. */
const PATIENTLY = { timeoutMs: 60_000 };
const PLENTY = 8 * 2 ** 30;

let nats: LimitedNats;
let mcs: Mcs;

beforeAll(async () => {
  nats = await startLimitedNats(PLENTY);
  mcs = await startMcs({ args: ['serve', '--nats', nats.url, '--mission', DEMO] });
}, 120_000);
afterAll(async () => {
  await endAllMcs();
  await nats.stop();
});

const send = () =>
  call<TcReply & { errors?: { code: string; message: string; help: string }[] }>('POST', `${mcs.api}/v1/tc`, {
    target: 'sat1',
    telecommand: 'obc.ping',
  });

async function accepted(): Promise<string> {
  const answer = await until(async () => {
    const now = await send();
    return now.status === 202 && now;
  }, PATIENTLY);
  return answer.body.id;
}

const statesOf = async (id: string): Promise<string[]> =>
  (await readLog<TcEvent>(`${mcs.api}/v1/tc/sat1/${id}/events`)).map(({ state }) => state);

it('answers 503 with what to do, no process ends, and lanes go on when there is room', async () => {
  for (let n = 0; n < 3; n += 1) expect((await statesOf(await accepted())).at(-1)).toBe('VERIFIED');
  // Open telecommands, while the room ends.
  const open = await Promise.all(Array.from({ length: 20 }, () => accepted()));
  await nats.limit(1024);
  const refused = await until(async () => {
    const now = await send();
    return now.status !== 202 && now.body.errors?.[0]?.help.includes('Raise') && now;
  }, PATIENTLY);
  expect(refused.status).toBe(503);
  expect(refused.body.errors?.[0]?.code).toBe('api::unavailable');
  expect((await call('GET', `${mcs.api}/healthz`)).status).not.toBe(0);

  await nats.limit(PLENTY);
  for (const id of [...open, await accepted()]) {
    const states = await statesOf(id);
    expect(new Set(states).size, `${id} ${states}`).toBe(states.length);
    expect(states[0]).toBe('PENDING');
  }
  for (let n = 0; n < 3; n += 1) expect((await statesOf(await accepted())).at(-1)).toBe('VERIFIED');
  expect(mcs.child.exitCode, mcs.errors()).toBe(null);
  expect(mcs.errors()).not.toContain('cell crashed');
  expect(mcs.errors()).not.toContain('role failed');
}, 240_000);
