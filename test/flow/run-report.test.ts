/**
 * The report of a run that the bus has forgotten: its log, its entry in the list and its stored report go by retention,
 * as nats-server does it, and a front end and an archive that are processes of their own still answer.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type JetStreamManager, jwtAuthenticator, type NatsConnection, nanos } from 'nats';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { LaunchReply } from '../../contract/run.ts';
import type { RunReport } from '../../contract/run-report.ts';
import { call, type ErrorBody } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { endAllMcs, type Mcs, STEADY, startMcs } from '../support/mcs.ts';
import { until } from '../support/until.ts';

const PATIENTLY = { timeoutMs: 90_000 };
/** Where a run is known by. */
const FORGETFUL = [streams.runs.name, `KV_${buckets.runs.name}`, `KV_${buckets.runReports.name}`];
/** The least a server takes is a tenth of it. */
const RETENTION_MS = 1_000;

let folder: string;
let cell: DemoCell;
let service: Mcs;
let connection: NatsConnection;
let manager: JetStreamManager;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mcs-run-report-'));
  cell = await startDemoCell({
    roles: ['executor', 'drivers', 'gateways', 'telemetry'],
    memberTtlMs: 20_000,
  });
  const { credentials, url } = cell.nats;
  const authenticator = jwtAuthenticator(credentials.jwt, Buffer.from(credentials.seed));
  connection = await connect({ servers: url, authenticator });
  manager = await connection.jetstreamManager();
  service = await startService();
}, 150_000);
afterAll(async () => {
  await connection.close();
  await endAllMcs();
  await cell.stop();
  rmSync(folder, { recursive: true, force: true });
});

function startService(): Promise<Mcs> {
  const place = ['--state', folder, '--nats', cell.nats.url, '--credentials', cell.nats.credentialsFile];
  return startMcs({
    args: ['serve', '--roles', 'api,archive', '--port', '0', ...place],
    env: { MCS_INSTANCE: 'reports', MCS_ARCHIVE_OPEN_MS: '500', ...STEADY },
    readyWithinMs: 120_000,
  });
}

async function reported(run: string): Promise<RunReport | undefined> {
  const { status, body } = await call<RunReport & ErrorBody>('GET', `${service.api}/v1/runs/${run}/report`);
  return status === 200 ? body : undefined;
}

/** As a person asks for it, who tries again where it says so. */
function printed(run: string, ...options: string[]): Promise<string> {
  const args = ['run', 'report', run, ...options, '--api', service.api];
  return until(async () => {
    const mcs = await startMcs({ args, unready: true });
    const { code } = await mcs.exited;
    if (mcs.errors().includes('Try again in a moment')) return undefined;
    expect([code, mcs.errors()]).toEqual([0, '']);
    return mcs.output();
  }, PATIENTLY);
}

async function isForgotten(run: string): Promise<boolean> {
  const gone = await Promise.all([
    cell.bus.last(streams.runs, subject.runEvents(run)),
    cell.bus.bucket(buckets.runs).get(run),
    cell.bus.bucket(buckets.runReports).get(run),
  ]);
  return gone.every((left) => left === undefined);
}

it('MC-STM-031 is answered after the bus has discarded the run, the same as before, and by a front end that never knew it', async () => {
  const launch = { run: 'health_check', targets: { sat: 'sat1' }, environment: 'bench' };
  const started = await call<LaunchReply>('POST', `${service.api}/v1/runs`, launch, { 'x-mcs-user': 'ada' });
  expect(started.status, JSON.stringify(started.body)).toBe(202);
  const { run } = started.body;
  const before = await until(async () => {
    const report = await reported(run);
    return report?.ended === undefined ? undefined : report;
  }, PATIENTLY);
  expect(before).toMatchObject({
    run,
    ended: { ok: true },
    started: { procedure: 'health_check', by: 'ada' },
  });
  // The whole log is with the archive before it goes.
  await until(async () => {
    const found = await call<{ events?: unknown[] }>(
      'GET',
      `${service.api}/v1/events?kinds=run&run=${run}&limit=1000`,
    );
    return found.body.events?.length === before.events;
  }, PATIENTLY);

  await until(async () => (await cell.bus.bucket(buckets.runReports).get(run)) !== undefined, PATIENTLY);
  for (const name of FORGETFUL) {
    const { config } = await manager.streams.info(name);
    await manager.streams.update(name, {
      ...config,
      max_age: nanos(RETENTION_MS),
      duplicate_window: nanos(RETENTION_MS),
    });
  }
  await until(() => isForgotten(run), PATIENTLY);
  // This front end still has the run in its list, and none of its log.
  expect(await until(() => reported(run), PATIENTLY)).toEqual(before);

  await service.kill('SIGKILL');
  service = await startService();
  expect(await until(() => reported(run), PATIENTLY)).toEqual(before);
  expect(JSON.parse(await printed(run, '--json'))).toEqual(before);
  expect(await printed(run)).toContain(
    `${run}\n  state        passed\n  procedure    health_check of ops@1.0.0\n`,
  );
}, 240_000);
