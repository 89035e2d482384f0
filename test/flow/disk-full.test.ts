/**
 * The disk of the embedded bus fills up: noticed before, refused while it lasts, and everything goes on when there is
 * room, also where nats-server itself stood still because of it. A real disk of a few megabytes.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TcEvent, TcReply } from '../../contract/telecommand.ts';
import { call, readLog } from '../support/client.ts';
import { DEMO } from '../support/demo-cell.ts';
import { endAllMcs, type Mcs, startMcs } from '../support/mcs.ts';
import { mayMount, type SmallDisk, smallDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

/** Leases, heartbeats and takeovers on a busy machine. */
const PATIENTLY = { timeoutMs: 60_000 };
const MB = 2 ** 20;

interface Health {
  readonly state: string;
  readonly impaired?: readonly string[];
  readonly filling?: readonly { readonly stream: string; readonly reason: string }[];
}
type Answer = TcReply & { errors?: { code: string; message: string; help: string }[] };

describe.runIf(mayMount)('a disk without room', () => {
  let disk: SmallDisk;
  let mcs: Mcs;
  /** Identifiers that were answered with 202. */
  const acknowledged: string[] = [];

  beforeAll(async () => {
    disk = await smallDisk(128 * MB);
    mcs = await startMcs({
      args: ['serve', '--state', `${disk.path}/state`, '--mission', DEMO],
      env: { MCS_BUS_SILENCE_MS: '4000' },
      within: disk.within,
    });
  }, 120_000);
  afterAll(async () => {
    await endAllMcs();
    await disk.remove();
  });

  const send = async () => {
    const answer = await call<Answer>('POST', `${mcs.api}/v1/tc`, {
      target: 'sat1',
      telecommand: 'obc.ping',
    });
    if (answer.status === 202) acknowledged.push(answer.body.id);
    return answer;
  };
  const health = async () => (await call<Health>('GET', `${mcs.api}/healthz`)).body;
  const taken = () => until(async () => (await send()).status === 202, PATIENTLY);
  const statesOf = async (id: string): Promise<string[]> =>
    (await readLog<TcEvent>(`${mcs.api}/v1/tc/sat1/${id}/events`)).map(({ state }) => state);

  async function expectNothingLost(): Promise<void> {
    await taken();
    for (const id of acknowledged) {
      const states = await until(() => statesOf(id).catch(() => undefined), PATIENTLY);
      expect(new Set(states).size, `${id} ${states}`).toBe(states.length);
      expect(states[0]).toBe('PENDING');
    }
    await until(async () => (await health()).state === 'up', PATIENTLY);
    expect(mcs.child.exitCode, mcs.errors()).toBe(null);
    expect(mcs.errors()).not.toMatch(/cell crashed|role failed/);
  }

  it('is refused with 503 and what to do before the bus meets its end, and goes on when there is room', async () => {
    for (let n = 0; n < 3; n += 1) await taken();
    await disk.fill(mcs.child.pid!, 4 * MB);
    // A bus that has no time refuses as well, for another reason.
    const refused = await until(async () => {
      const answer = await send();
      return answer.status !== 202 && answer.body.errors?.[0]?.message.includes('disk') && answer;
    }, PATIENTLY);
    expect(refused.status).toBe(503);
    expect(refused.body.errors?.[0]).toMatchObject({
      code: 'api::unavailable',
      help: expect.stringContaining('Free space'),
    });
    const { impaired, filling } = await until(async () => {
      const now = await health();
      return now.state === 'impaired' && now.filling?.some(({ stream }) => stream === 'disk') && now;
    }, PATIENTLY);
    expect(impaired?.join()).toContain('disk');
    expect(filling?.find(({ stream }) => stream === 'disk')?.reason).toContain('of the disk');
    await disk.free(mcs.child.pid!);
    await expectNothingLost();
  }, 240_000);

  it('that a stranger fills in one moment stops nats-server, which is started again', async () => {
    const flood = Array.from({ length: 20 }, () => send().catch(() => undefined));
    await disk.fill(mcs.child.pid!, 0);
    await Promise.all(flood);
    await until(async () => (await send()).status === 503, PATIENTLY);
    await disk.free(mcs.child.pid!);
    await expectNothingLost();
  }, 240_000);
});
