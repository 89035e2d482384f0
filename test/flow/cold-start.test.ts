/**
 * `mcs` as users start it: cold, without a configuration, in several processes, stopped by SIGTERM. Each role is a
 * process of its own here; what they share is the bus.
 */

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { CatalogueView } from '../../contract/catalogue.ts';
import type { TcEvent, TcReply } from '../../contract/telecommand.ts';
import { isUlid } from '../../contract/token.ts';
import { call, codes, readLog } from '../support/client.ts';
import { DEMO } from '../support/demo-cell.ts';
import { endAllMcs, type Mcs, STEADY, startMcs } from '../support/mcs.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { freePort } from '../support/radio.ts';
import { until } from '../support/until.ts';

/** Processes of their own start slowly on a busy machine. */
const PATIENTLY = { timeoutMs: 60_000 };

let nats: TestNats;
beforeEach(async () => {
  nats = await startNats();
});
afterEach(async () => {
  await endAllMcs();
  await nats.stop();
});
afterAll(() => endAllMcs());

const joined = (): string[] => ['--nats', nats.url, '--credentials', nats.credentialsFile];
const serve = (roles: string, ...more: string[]): Promise<Mcs> =>
  startMcs({ args: ['serve', '--roles', roles, ...joined(), ...more], env: STEADY });

async function run(...args: string[]): Promise<{ code: number | null; errors: string }> {
  const mcs = await startMcs({ args, unready: true });
  const { code } = await mcs.exited;
  return { code, errors: mcs.errors() };
}

async function states(api: string, id: string): Promise<string[]> {
  const followed = await readLog<TcEvent>(`${api}/v1/tc/sat1/${id}/events`);
  return followed.map((event) => event.state);
}

const ping = (api: string) =>
  call<TcReply>('POST', `${api}/v1/tc`, { target: 'sat1', telecommand: 'obc.ping' });

describe('mcs serve', { timeout: 240_000 }, () => {
  it('MC-GEN-018 MC-GEN-009 works with every role in a process of its own, reached over the bus only', async () => {
    const [api] = await Promise.all([serve('api'), serve('executor'), serve('telemetry,drivers')]);
    await serve('gateways', '--mission', DEMO);
    // Each process takes the configuration up at its own time, and a driver that is not there yet is not there.
    const wanted = { target: 'sat1', telecommand: 'obc.ping' };
    await until(async () => (await call('POST', `${api.api}/v1/encode`, wanted)).status === 200, {
      ...PATIENTLY,
      what: 'the driver',
    });
    const answer = await until(async () => {
      const now = await ping(api.api);
      return now.status === 202 && now;
    }, PATIENTLY);
    expect(isUlid(answer.body.id)).toBe(true);
    expect(await states(api.api, answer.body.id)).toEqual(['PENDING', 'ENCODED', 'SENT', 'VERIFIED']);
  });

  it('MC-GEN-016 MC-GEN-015 MC-GEN-024 MC-TC-027 answers 503 until a configuration is published, and takes each up without a restart', async () => {
    const all = await serve('api,executor,telemetry,drivers,gateways');
    const refused = await ping(all.api);
    expect(refused.status).toBe(503);
    expect(codes(refused)).toEqual(['api::no-configuration']);
    expect((await call('GET', `${all.api}/healthz`)).status).toBe(200);

    expect(await run('config', 'publish', DEMO, ...joined())).toMatchObject({ code: 0 });
    const first = await until(async () => {
      const now = await ping(all.api);
      return now.status === 202 && now.body.id;
    }, PATIENTLY);
    expect((await states(all.api, first)).at(-1)).toBe('VERIFIED');

    const folder = await mkdtemp(join(tmpdir(), 'mcs-mission-'));
    await cp(DEMO, folder, { recursive: true });
    const platform = join(folder, 'cubesat-6u.yaml');
    const text = await readFile(platform, 'utf8');
    await writeFile(platform, text.replace(/^version: .*$/m, 'version: 9.9.9'));
    const topology = join(folder, 'topology.yaml');
    const targets = await readFile(topology, 'utf8');
    await writeFile(topology, targets.replace(/cubesat-6u@[\w.]+/g, 'cubesat-6u@9.9.9'));
    const library = join(folder, 'ops.yaml');
    const procedures = await readFile(library, 'utf8');
    await writeFile(library, procedures.replace(/cubesat-6u@[\w.]+/g, 'cubesat-6u@9.9.9'));
    expect(await run('config', 'publish', folder, ...joined())).toMatchObject({ code: 0 });
    await until(async () => {
      const { body } = await call<CatalogueView>('GET', `${all.api}/v1/targets/sat1/catalogue`);
      return body.platform === 'cubesat-6u@9.9.9';
    }, PATIENTLY);
    const second = (await ping(all.api)).body.id;
    expect((await states(all.api, second)).at(-1)).toBe('VERIFIED');
    await rm(folder, { recursive: true, force: true });

    // Each carries the revision it was resolved with.
    const revisions = new Map<string, string | undefined>();
    const bus = await nats.connected();
    const follower = await bus.follow(
      streams.telecommands,
      subject.tcSubmit('sat1'),
      { from: 'start' },
      (message) => {
        const { id } = JSON.parse(Buffer.from(message.data).toString()) as { id: string };
        revisions.set(id, message.headers[header.config]);
      },
    );
    await follower.caughtUp;
    await follower.stop();
    expect(revisions.get(first)).toMatch(/^[0-9a-f]{64}$/);
    expect(revisions.get(second)).toMatch(/^[0-9a-f]{64}$/);
    expect(revisions.get(second)).not.toBe(revisions.get(first));
  });

  it('does not publish a folder that does not compile, and says every error of it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mcs-mission-'));
    await writeFile(
      join(folder, 'a.yaml'),
      'platform: x\nversion: 1.0.0\ncomponents: { a: { measures: { m: { type: u9 } } } }\n',
    );
    await writeFile(
      join(folder, 'b.yaml'),
      'topology: t\nenvironments: { bench: {} }\ntargets: { s: { platform: y } }\n',
    );
    const { code, errors } = await run('config', 'publish', folder, ...joined());
    expect(code).toBe(1);
    expect(errors).toMatch(/a\.yaml:3:\d+/);
    expect(errors).toMatch(/b\.yaml:3:\d+/);
    await rm(folder, { recursive: true, force: true });
  });

  it('listens before the bus answers, saying so, and is ready when it does', async () => {
    await nats.kill();
    const port = String(await freePort('tcp'));
    const early = await startMcs({
      args: ['serve', '--port', port, ...joined(), '--mission', DEMO],
      unready: true,
    });
    const api = `http://127.0.0.1:${port}`;
    const answer = await until(() => ping(api).catch(() => undefined), PATIENTLY);
    expect(answer.status).toBe(503);
    expect(['api::unavailable', 'api::no-configuration']).toContain(codes(answer)[0]);
    await nats.start();
    await until(async () => (await ping(api)).status === 202, PATIENTLY);
    expect((await early.kill('SIGTERM')).code).toBe(0);
  });

  it('drains and exits 0 on SIGTERM, its embedded bus with it, and finds its state again', async () => {
    const state = await mkdtemp(join(tmpdir(), 'mcs-state-'));
    const first = await startMcs({ args: ['serve', '--mission', DEMO, '--state', state], launched: true });
    const { body } = await ping(first.api);
    const before = await states(first.api, body.id);
    expect(await first.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    // Without --mission: the configuration is on the bus.
    const second = await startMcs({ args: ['serve', '--state', state] });
    expect(await states(second.api, body.id)).toEqual(before);
    expect((await ping(second.api)).status).toBe(202);
    expect((await second.kill('SIGTERM')).code).toBe(0);
    await rm(state, { recursive: true, force: true });
  });

  it('refuses options it cannot mean, with what it can', async () => {
    expect(await run('serve', '--roles', 'api,pilot')).toMatchObject({
      code: 2,
      errors: expect.stringContaining('unknown role pilot'),
    });
    expect(await run('serve', '--port', 'http')).toMatchObject({
      code: 2,
      errors: expect.stringContaining('--port'),
    });
    expect(await run('launch')).toMatchObject({ code: 2, errors: expect.stringContaining('launch') });
    expect(await run('serve', '--mission', '/nowhere')).toMatchObject({
      code: 1,
      errors: expect.stringContaining('/nowhere'),
    });
  });
});
