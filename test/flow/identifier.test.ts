/** The client's identifier is durable (O4): one submission, however often and wherever it is sent. */

import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { TcEvent, TcReply } from '../../contract/telecommand.ts';
import { seededRandom } from '../../ports/seeded-random.ts';
import { realClock } from '../../supervision/clock.ts';
import { type ServiceProcess, startProcess } from '../../supervision/process.ts';
import { call, readLog } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { quiet } from '../support/nats.ts';
import { until } from '../support/until.ts';

/** The window of the stream in these tests: one that leaves time for two requests where the machine stands still. */
const WINDOW_MS = 5_000;
const overrides = { [streams.telecommands.name]: { dedupeMs: WINDOW_MS } };

let cell: DemoCell;
let second: ServiceProcess;
const more: ServiceProcess[] = [];

async function api(): Promise<ServiceProcess> {
  const bus = await cell.nats.connected({ overrides });
  const options = { bus, roles: ['api'] as const, clock: realClock, random: seededRandom(2), log: quiet };
  const service = await startProcess({ ...options, escalated: () => undefined });
  await service.ready;
  more.push(service);
  return service;
}

beforeAll(async () => {
  cell = await startDemoCell({ overrides });
  second = await api();
});
afterAll(async () => {
  await Promise.all(more.map((service) => service.stop()));
  await cell.stop();
});

const submit = (base: string | undefined, id: string) =>
  call<TcReply>('POST', `${base}/v1/tc`, { target: 'sat1', telecommand: 'camera.ping', id });

async function submissions(id: string): Promise<number> {
  let count = 0;
  const follower = await cell.bus.follow(
    streams.telecommands,
    subject.tcSubmit('sat1'),
    { from: 'start' },
    (message) => {
      if (JSON.parse(Buffer.from(message.data).toString()).id === id) count += 1;
    },
  );
  await follower.caughtUp;
  await follower.stop();
  return count;
}

async function history(base: string | undefined, id: string): Promise<string[]> {
  const followed = await readLog<TcEvent>(`${base}/v1/tc/sat1/${id}/events`);
  return followed.map((event) => event.state);
}

/** Telecommands on board when none is on its way any more: the count stands still for longer than the way up takes. */
async function quietArrivals(): Promise<number> {
  let count = await cell.received();
  let since = performance.now();
  return until(async () => {
    const now = await cell.received();
    if (now !== count) since = performance.now();
    count = now;
    return performance.now() - since > 500 && count;
  });
}

describe('the same client identifier', () => {
  it('MC-TC-022 MC-GEN-014 again at once and through another API process: duplicate, same history on both', async () => {
    const id = ulid();
    expect((await submit(cell.api, id)).body).toEqual({ id, duplicate: false });
    expect((await submit(cell.api, id)).body).toEqual({ id, duplicate: true });
    expect((await submit(second.api, id)).body).toEqual({ id, duplicate: true });
    const expected = ['PENDING', 'ENCODED', 'SENT', 'COMPLETE'];
    expect(await history(cell.api, id)).toEqual(expected);
    expect(await history(second.api, id)).toEqual(expected);
    expect(await submissions(id)).toBe(1);
  });

  it('MC-TC-022 from two API processes at the same time: one of them is the duplicate', async () => {
    for (let round = 0; round < 20; round += 1) {
      const id = ulid();
      const answers = await Promise.all([submit(cell.api, id), submit(second.api, id), submit(cell.api, id)]);
      expect(answers.map((answer) => answer.status)).toEqual([202, 202, 202]);
      expect(answers.filter((answer) => !answer.body.duplicate)).toHaveLength(1);
      expect(await submissions(id)).toBe(1);
    }
  });

  it('MC-TC-022 MC-TC-063 past the window of the stream and with another body: still one submission', async () => {
    // An identifier of two days ago: the window of the stream has long forgotten it.
    const id = ulid(Date.now() - 2 * 24 * 3_600_000);
    expect((await submit(cell.api, id)).body.duplicate).toBe(false);
    await history(cell.api, id);
    const other = ulid();
    await submit(cell.api, other);
    const forgotten = performance.now() + 2 * WINDOW_MS;
    await until(() => performance.now() > forgotten);
    const body = { target: 'sat1', telecommand: 'obc.ping', id };
    const again = await call<TcReply>('POST', `${cell.api}/v1/tc`, body);
    expect(again.body).toEqual({ id, duplicate: true });
    expect(await submissions(id)).toBe(1);
    expect(await history(second.api, id)).toEqual(['PENDING', 'ENCODED', 'SENT', 'COMPLETE']);
  });

  it('MC-TC-022 past the window in force, of an identifier that is younger than half of the declared one', async () => {
    const id = ulid();
    expect((await submit(cell.api, id)).body.duplicate).toBe(false);
    await history(cell.api, id);
    const forgotten = performance.now() + 2 * WINDOW_MS;
    await until(() => performance.now() > forgotten);
    expect((await submit(cell.api, id)).body).toEqual({ id, duplicate: true });
    expect(await submissions(id)).toBe(1);
  });

  it('MC-TC-022 submitted twice behind the back of the API: the lane begins it once', async () => {
    const id = ulid();
    const arrived = await quietArrivals();
    expect((await submit(cell.api, id)).status).toBe(202);
    await history(cell.api, id);
    const body = {
      id,
      target: 'sat1',
      component: 'camera',
      telecommand: 'ping',
      args: {},
      link: 'uhf',
      environment: 'bench',
    };
    await cell.bus.append(streams.telecommands, subject.tcSubmit('sat1'), Buffer.from(JSON.stringify(body)));
    const behind = ulid();
    await submit(cell.api, behind);
    await history(cell.api, behind);
    expect(await history(cell.api, id)).toEqual(['PENDING', 'ENCODED', 'SENT', 'COMPLETE']);
    // The one behind it is on board, so a second sending would be too.
    await until(async () => (await cell.received()) - arrived === 2);
  });

  it('MC-TC-022 after a restart of the API and of the bus', async () => {
    const id = ulid();
    expect((await submit(second.api, id)).body.duplicate).toBe(false);
    await history(second.api, id);
    await cell.nats.kill();
    await cell.nats.start();
    const third = await api();
    const answer = await until(async () => {
      const now = await submit(third.api, id);
      return now.status === 202 && now;
    });
    expect(answer.body).toEqual({ id, duplicate: true });
    expect(await submissions(id)).toBe(1);
  });
});
