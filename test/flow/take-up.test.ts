/** What the executor refuses at take-up, though the API let it pass: too old, held meanwhile. And who sent it. */

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buckets } from '../../contract/bus/buckets.ts';
import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { TcEvent, TcReply, TcSubmission } from '../../contract/telecommand.ts';
import { call, readLog } from '../support/client.ts';
import { DEMO, type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { until } from '../support/until.ts';

/** Longer than a busy machine stands still: only what waited for an executor is too old. */
const MAX_AGE_MS = 8_000;
let cell: DemoCell;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcs-mission-'));
  await cp(DEMO, folder, { recursive: true });
  const path = join(folder, 'config.yaml');
  const settings = await readFile(path, 'utf8');
  const impatient = settings.replace('max_age: 5 min', `max_age: ${MAX_AGE_MS / 1000} s`);
  expect(impatient).not.toBe(settings);
  await writeFile(path, impatient);
  cell = await startDemoCell({ folder, roles: ['api', 'drivers', 'gateways', 'telemetry'] });
});
afterAll(async () => {
  await cell.stop();
  await rm(folder, { recursive: true, force: true });
});

async function history(id: string): Promise<TcEvent[]> {
  const followed = await readLog<TcEvent>(`${cell.api}/v1/tc/sat1/${id}/events`);
  return followed;
}

/** Submits on the bus, as an API process does that has not yet seen what changed. */
async function submitOnBus(more: Partial<TcSubmission>): Promise<string> {
  const id = ulid();
  const submission = {
    id,
    target: 'sat1',
    component: 'camera',
    telecommand: 'ping',
    args: {},
    link: 'uhf',
    environment: 'bench',
    ...more,
  };
  const current = await cell.bus.bucket(buckets.config).get('current');
  const { revision } = JSON.parse(Buffer.from(current!.value).toString()) as { revision: string };
  await cell.bus.append(
    streams.telecommands,
    subject.tcSubmit('sat1'),
    Buffer.from(JSON.stringify(submission)),
    {
      id,
      headers: { [header.config]: revision },
    },
  );
  return id;
}

async function hold(holders: { run: string; mode: 'exclusive' | 'shared' }[]): Promise<void> {
  await cell.bus.bucket(buckets.leases).overwrite('sat1', Buffer.from(JSON.stringify({ holders })));
}

describe('take-up by the executor', () => {
  it('MC-TC-059 accepts a submission while no executor runs, and rejects it when it has become too old', async () => {
    const late = await call<TcReply>('POST', `${cell.api}/v1/tc`, {
      target: 'sat1',
      telecommand: 'camera.ping',
    });
    expect(late.status).toBe(202);
    const tooOld = performance.now() + MAX_AGE_MS + 200;
    await until(() => performance.now() > tooOld);
    const executor = await startDemoCell({ folder, roles: ['executor'], nats: cell.nats });
    const events = await history(late.body.id);
    expect(events.map((event) => event.state)).toEqual(['PENDING', 'REJECTED']);
    expect(events[1]!.detail).toMatch(/submitted \d+ s ago, at most 8 s is allowed/);
    const fresh = await call<TcReply>('POST', `${cell.api}/v1/tc`, {
      target: 'sat1',
      telecommand: 'camera.ping',
    });
    expect((await history(fresh.body.id)).at(-1)!.state).toBe('COMPLETE');
    await executor.service.stop();
  });

  it('MC-TC-062 rejects what a run has taken the target from meanwhile, naming the holder', async () => {
    const run = ulid();
    await hold([{ run, mode: 'exclusive' }]);
    const executor = await startDemoCell({ folder, roles: ['executor'], nats: cell.nats });
    const events = await history(await submitOnBus({}));
    expect(events.map((event) => event.state)).toEqual(['PENDING', 'REJECTED']);
    expect(events[1]!.detail).toContain(run);

    await hold([{ run, mode: 'shared' }]);
    const allowed = await until(async () => {
      const last = (await history(await submitOnBus({}))).at(-1)?.state;
      return last === 'COMPLETE' && last;
    });
    expect(allowed).toBe('COMPLETE');
    const changing = await history(
      await submitOnBus({ component: 'obc', telecommand: 'set_watchdog', args: { period: 60 } }),
    );
    expect(changing.at(-1)!.state).toBe('REJECTED');
    await hold([]);
    await executor.service.stop();
  });

  it('MC-TC-048 carries run and step of a telecommand sent by a run, which its own hold does not stop', async () => {
    const run = ulid();
    await hold([{ run, mode: 'exclusive' }]);
    const executor = await startDemoCell({ folder, roles: ['executor'], nats: cell.nats });
    const events = await history(await submitOnBus({ run, step: 'prepare/#1' }));
    expect(events.map((event) => event.state)).toEqual(['PENDING', 'ENCODED', 'SENT', 'COMPLETE']);
    for (const event of events) expect(event).toMatchObject({ run, step: 'prepare/#1' });
    await hold([]);
    await executor.service.stop();
  });
});
