/** kill -9 of nats-server under load: nothing acknowledged is lost, requests fail fast, followers live again. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MEMBER_TTL_MS } from '../../contract/limits/membership.ts';
import type { TcEvent, TcReply } from '../../contract/telecommand.ts';
import { isFinalTcState } from '../../contract/telecommand-state.ts';
import type { CurrentValue } from '../../contract/value.ts';
import { call, codes, type Followed, follow, readLog } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { ownTime } from '../support/own-time.ts';
import { until } from '../support/until.ts';

let cell: DemoCell;
beforeAll(async () => {
  // Shorter than the outage: what the cell owns is given up meanwhile, and taken again.
  cell = await startDemoCell({ memberTtlMs: MEMBER_TTL_MS });
});
afterAll(() => cell.stop());

async function watched(): Promise<Followed<CurrentValue>> {
  const values = follow<CurrentValue>(`${cell.api}/v1/targets/sat1/values/watch?measures=obc.uptime`);
  await values.opened;
  return values;
}

describe('the bus killed and started again under load', () => {
  it('MC-GEN-017 answers 503 quickly meanwhile, loses nothing acknowledged, and lives again', async () => {
    let values = await watched();
    const acknowledged: string[] = [];
    const refusals: { code: string; ms: number }[] = [];
    let loading = true;
    const load = (async () => {
      while (loading) {
        const spent = ownTime();
        const answer = await call<TcReply>('POST', `${cell.api}/v1/tc`, {
          target: 'sat1',
          telecommand: 'camera.ping',
        });
        const ms = spent();
        if (answer.status === 202) acknowledged.push(answer.body.id);
        else refusals.push({ code: codes(answer)[0]!, ms });
      }
    })();
    await until(() => acknowledged.length > 20 && values.messages.length > 1);

    await cell.nats.kill();
    await until(() => refusals.length > 5);
    const [read] = await Promise.all([call('GET', `${cell.api}/v1/targets/sat1/values`)]);
    expect([200, 503]).toContain(read.status);
    await cell.nats.start();
    const sinceBack = ownTime();
    // Where the outage is long enough the watch is closed, now or when its end arrives; otherwise it continues.
    let received = values.messages.length;
    await until(
      async () => {
        // The one that is settled already comes first.
        const ended = await Promise.race([values.closed, Promise.resolve(undefined)]);
        const again = ended === undefined ? undefined : await watched().catch(() => undefined);
        // The first message of a watch is what was there before.
        if (again !== undefined) [values, received] = [again, 1];
        return values.messages.length > received;
      },
      { timeoutMs: 30_000, what: 'new values' },
    );
    const liveAgainMs = sinceBack();
    const soFar = acknowledged.length;
    await until(() => acknowledged.length > soFar + 20);
    loading = false;
    await load;
    values.close();

    expect(new Set(refusals.map((refusal) => refusal.code))).toEqual(new Set(['api::unavailable']));
    expect(Math.max(...refusals.map((refusal) => refusal.ms))).toBeLessThan(3_500);
    // One second, and the cadence of the measure itself.
    expect(liveAgainMs).toBeLessThan(2_500);

    for (const id of acknowledged) {
      const followed = await readLog<TcEvent>(`${cell.api}/v1/tc/sat1/${id}/events`);
      const states = followed.map((event) => event.state);
      expect(new Set(states).size, `${id} ${states}`).toBe(states.length);
      expect(isFinalTcState(states.at(-1)!), `${id} ${states}`).toBe(true);
    }
  }, 240_000);
});
