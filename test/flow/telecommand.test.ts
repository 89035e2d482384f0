/** One telecommand end to end on real parts: HTTP, bus, executor, driver, gateway, simulated spacecraft, telemetry. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { TcEvent, TcReply } from '../../contract/telecommand.ts';
import type { CurrentValues } from '../../contract/value.ts';
import { call, codes, follow, readLog } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { until } from '../support/until.ts';

let cell: DemoCell;
beforeAll(async () => {
  cell = await startDemoCell();
});
afterAll(() => cell.stop());

const tc = (body: object, headers: Record<string, string> = {}) =>
  call<TcReply>('POST', `${cell.api}/v1/tc`, { target: 'sat1', ...body }, headers);

async function history(id: string): Promise<TcEvent[]> {
  const followed = await readLog<TcEvent>(`${cell.api}/v1/tc/sat1/${id}/events`);
  return followed;
}

const states = (events: readonly TcEvent[]): string[] => events.map((event) => event.state);

async function outcome(body: object): Promise<TcEvent[]> {
  const answer = await tc(body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(202);
  return history(answer.body.id);
}

/** What verifies a telecommand reaches those who show values by a way of its own. */
const shows = (component: string, measure: string, wanted: unknown): Promise<unknown> =>
  until(async () => (await currentValue(component, measure)) === wanted, {
    what: `${component}.${measure} ${wanted}`,
  });

async function currentValue(component: string, measure: string): Promise<unknown> {
  const { body } = await call<CurrentValues>('GET', `${cell.api}/v1/targets/sat1/values`);
  return body.values?.find((each) => each.component === component && each.measure === measure)?.sample.value;
}

describe('a telecommand to the simulated spacecraft', () => {
  it('MC-TC-036 MC-TC-047 MC-TC-039 is observed as PENDING, ENCODED, SENT, VERIFIED', async () => {
    const events = await outcome({ telecommand: 'obc.ping' });
    expect(states(events)).toEqual(['PENDING', 'ENCODED', 'SENT', 'VERIFIED']);
    for (const event of events) {
      expect(event.tc).toBe(events[0]!.tc);
      expect(new Date(event.at).toISOString()).toBe(event.at);
    }
  });

  it('MC-TC-042 MC-TC-043 MC-TC-044 names telecommand and caller in PENDING', async () => {
    const answer = await tc(
      { telecommand: 'obc.set_mode', args: { mode: 'NOMINAL' } },
      { 'x-mcs-user': 'ada' },
    );
    const [pending] = await history(answer.body.id);
    expect(pending).toMatchObject({ by: 'ada', telecommand: { component: 'obc', telecommand: 'set_mode' } });
  });

  it('MC-TC-029 does what it says on board, verified by the condition of the catalogue', async () => {
    const { body } = await tc({ telecommand: 'obc.set_mode', args: { mode: 'NOMINAL' } });
    expect(states(await history(body.id)).at(-1)).toBe('VERIFIED');
    await shows('obc', 'mode', 'NOMINAL');
    const back = await tc({ telecommand: 'obc.set_mode', args: { mode: 'SAFE' } });
    expect(states(await history(back.body.id)).at(-1)).toBe('VERIFIED');
    await shows('obc', 'mode', 'SAFE');
  });

  it('MC-TC-038 ends COMPLETE when the catalogue declares no verification', async () => {
    expect(states(await outcome({ telecommand: 'camera.ping' }))).toEqual([
      'PENDING',
      'ENCODED',
      'SENT',
      'COMPLETE',
    ]);
  });

  it('MC-TC-038 MC-TC-040 is REJECTED with the failed precondition when a requirement does not hold', async () => {
    const set = await tc({ telecommand: 'obc.set_mode', args: { mode: 'NOMINAL' } });
    await history(set.body.id);
    await shows('obc', 'mode', 'NOMINAL');
    const events = await outcome({ telecommand: 'obc.reboot' });
    expect(states(events)).toEqual(['PENDING', 'REJECTED']);
    expect(events[1]!.detail).toContain('obc.mode == SAFE');
    expect(events[1]!.detail).toContain('NOMINAL');
  });

  it('MC-TC-038 MC-TC-040 is VERIFY_FAILED with the code of the report when the spacecraft refuses', async () => {
    await cell.fault('reject_all', true);
    const events = await outcome({ telecommand: 'obc.ping' });
    await cell.fault('reject_all', false);
    expect(states(events)).toEqual(['PENDING', 'ENCODED', 'SENT', 'VERIFY_FAILED']);
    expect(events[3]!.detail).toContain('code 2');
  });

  it('MC-TC-038 is VERIFY_TIMEOUT when the verification comes late', async () => {
    await cell.fault('no_reports', true);
    const events = await outcome({ telecommand: 'obc.ping' });
    await cell.fault('no_reports', false);
    expect(states(events)).toEqual(['PENDING', 'ENCODED', 'SENT', 'VERIFY_TIMEOUT']);
    expect(events[3]!.detail).toContain('within');
  });

  it('MC-TC-038 MC-TC-040 is SEND_FAILED with the error of the gateway when the gateway refuses', async () => {
    await cell.fault('uplink_dead', true);
    const events = await outcome({ telecommand: 'obc.ping' });
    await cell.fault('uplink_dead', false);
    expect(states(events)).toEqual(['PENDING', 'ENCODED', 'SEND_FAILED']);
    expect(events[2]!.detail).toBeTruthy();
  });

  it('MC-TC-037 leaves in the order of submission', async () => {
    const ids: string[] = [];
    const watch = follow<TcEvent>(`${cell.api}/v1/tc/watch?target=sat1`);
    await watch.opened;
    // At once, so that which of them is first is decided where they are stored, and by none of their answers.
    await Promise.all(Array.from({ length: 20 }, () => tc({ telecommand: 'camera.ping' })));
    await until(() => watch.messages.filter((event) => event.state === 'COMPLETE').length === 20);
    watch.close();
    const about = subject.tcSubmit('sat1');
    const follower = await cell.bus.follow(streams.telecommands, about, { from: 'start' }, ({ data }) => {
      ids.push((JSON.parse(Buffer.from(data).toString()) as { id: string }).id);
    });
    await follower.caughtUp;
    await follower.stop();
    const sent = watch.messages.filter((event) => event.state === 'SENT').map((event) => event.tc);
    expect(sent).toEqual(ids.slice(-20));
  });

  it('MC-TC-046 MC-TC-054 MC-TC-056 the watch carries the target and starts from now', async () => {
    await outcome({ telecommand: 'camera.ping' });
    const watch = follow<TcEvent>(`${cell.api}/v1/tc/watch?target=sat1`);
    await watch.opened;
    const { body } = await tc({ telecommand: 'camera.ping' });
    await until(() => watch.messages.some((event) => event.state === 'COMPLETE'));
    watch.close();
    expect(new Set(watch.messages.map((event) => event.tc))).toEqual(new Set([body.id]));
    expect(new Set(watch.messages.map((event) => event.target))).toEqual(new Set(['sat1']));
  });

  it('MC-TC-049 MC-TC-050 MC-TC-051 gives the same history before and after the end, and closes', async () => {
    const { body } = await tc({ telecommand: 'obc.ping' });
    const live = follow<TcEvent>(`${cell.api}/v1/tc/sat1/${body.id}/events`);
    expect((await live.closed).code).toBe(1000);
    expect(live.messages).toHaveLength(4);
    expect(await history(body.id)).toEqual(live.messages);
  });

  it('MC-TC-053 waits for a ULID never submitted', async () => {
    const id = '01J00000000000000000000001';
    const followed = follow<TcEvent>(`${cell.api}/v1/tc/sat1/${id}/events`);
    await followed.opened;
    expect(followed.messages).toEqual([]);
    await tc({ telecommand: 'camera.ping', id });
    expect((await followed.closed).code).toBe(1000);
    expect(states(followed.messages).at(-1)).toBe('COMPLETE');
  });

  it('MC-ENC-012 a driver without the verb answers 501 driver::no-verb', async () => {
    const answer = await call('POST', `${cell.api}/v1/encode`, {
      target: 'sat1',
      telecommand: 'obc.ping',
      driver: 'packets',
    });
    expect(answer.status).toBe(501);
    expect(codes(answer)).toEqual(['driver::no-verb']);
  });

  it('MC-ENC-008 MC-ENC-021 encode sends nothing, and what it encodes decodes without changing anything', async () => {
    const watch = follow<TcEvent>(`${cell.api}/v1/tc/watch`);
    await watch.opened;
    const before = await cell.received();
    const encoded = await call<{ frame: string; size: number }>('POST', `${cell.api}/v1/encode`, {
      target: 'sat1',
      telecommand: 'obc.set_watchdog',
      args: { period: '2 min' },
    });
    expect(encoded.status).toBe(200);
    expect(encoded.body).toMatchObject({ args: { period: 120 }, telecommand: 'obc.set_watchdog' });
    await outcome({ telecommand: 'camera.ping' });
    await until(async () => (await cell.received()) - before === 1);
    expect(
      watch.messages.every((event) => event.state !== 'PENDING' || event.telecommand?.telecommand === 'ping'),
    ).toBe(true);
    watch.close();
  });
});
