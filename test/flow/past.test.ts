/**
 * The past, from a simulated spacecraft over a real bus into a real archive and out over HTTP, while the process of the
 * archive is killed: every sample that is on the stream is in the answer, once.
 */

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compileFolder } from '../../cli/mission-folder.ts';
import { decodeBatch, type ValueBatch } from '../../contract/batch.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { ConnectorsView } from '../../contract/connector.ts';
import type { HistoryBuckets, HistorySamples } from '../../contract/history-view.ts';
import { load } from '../../mission/load.ts';
import { call, type ErrorBody } from '../support/client.ts';
import { DEMO, type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { type Mcs, STEADY, startMcs } from '../support/mcs.ts';
import { until } from '../support/until.ts';

const PATIENTLY = { timeoutMs: 90_000 };
const KILLS = Number(process.env.PAST_KILLS ?? 1);
const BEGAN = Date.now() - 60_000;

let folder: string;
let cell: DemoCell;
/** What the stream has of one measure: its times, and its values. */
const sent: { readonly time: number; readonly value: number }[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mcs-past-'));
  cell = await startDemoCell({
    roles: ['api', 'drivers', 'gateways', 'telemetry'],
    memberTtlMs: 20_000,
  });
  const compiled = await compileFolder(DEMO);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults));
  const mission = load(compiled.value.configuration, compiled.value.revision);
  const uptime = mission.targets.get('sat1')!.platform!.ordinal('obc.uptime')!;
  await cell.bus.follow(streams.values, subject.values('sat1'), { from: 'start' }, ({ data }) => {
    const { blocks } = decodeBatch(data) as ValueBatch;
    for (const { ordinals, onboard, ground, value } of blocks) {
      const column = ordinals.indexOf(uptime);
      if (column < 0) continue;
      ground.forEach((at, row) => {
        const time = Number.isNaN(onboard[row]) ? at : onboard[row]!;
        sent.push({ time, value: value[row * ordinals.length + column]! });
      });
    }
  });
}, 90_000);
afterAll(async () => {
  await cell.stop();
  rmSync(folder, { recursive: true, force: true });
});

function startArchive(): Promise<Mcs> {
  const place = ['--state', folder, '--nats', cell.nats.url, '--credentials', cell.nats.credentialsFile];
  return startMcs({
    args: ['serve', '--roles', 'archive', ...place],
    env: { MCS_INSTANCE: 'past', MCS_ARCHIVE_OPEN_MS: '1000', ...STEADY },
    readyWithinMs: 120_000,
  });
}

const path = (query: Record<string, string>): string =>
  `${cell.api}/v1/targets/sat1/values/history?${new URLSearchParams({
    measures: 'obc.uptime',
    from: new Date(BEGAN).toISOString(),
    to: new Date(Date.now() + 60_000).toISOString(),
    ...query,
  })}`;

/** Everything that is answered, page by page; undefined while no archive answers in time. */
async function answered(): Promise<{ time: number; value: unknown }[] | undefined> {
  const found: { time: number; value: unknown }[] = [];
  let cursor: string | undefined;
  do {
    const { status, body } = await call<HistoryBuckets & HistorySamples & ErrorBody>(
      'GET',
      path({ limit: '7', ...(cursor !== undefined && { cursor }) }),
    );
    if (status !== 200) return undefined;
    const page = body;
    for (const { sample } of page.samples) found.push({ time: Date.parse(sample.time), value: sample.value });
    cursor = page.next;
  } while (cursor !== undefined);
  return found;
}

const segments = (): number =>
  readdirSync(folder, { recursive: true }).filter((name) => /\d+-\d+[^/]*$/.test(String(name))).length;

it('has every sample once, whatever became of the process of the archive', async () => {
  const nobody = await call<HistoryBuckets & HistorySamples & ErrorBody>('GET', path({ points: '10' }));
  expect([nobody.status, nobody.body.errors[0]!.code]).toEqual([503, 'archive::none']);

  let archive = await startArchive();
  for (let life = 0; life < KILLS; life += 1) {
    const [before, had] = [segments(), sent.length];
    await until(() => segments() > before && sent.length > had + 2, PATIENTLY);
    await archive.kill('SIGKILL');
    // Sent while nobody archives.
    const away = sent.length;
    await until(() => sent.length > away + 2, PATIENTLY);
    archive = await startArchive();
  }

  const known = [...sent];
  const whole = (found: readonly unknown[] | undefined): boolean => (found?.length ?? 0) >= known.length;
  const found = (await until(async () => {
    const all = await answered();
    return whole(all) ? all : undefined;
  }, PATIENTLY))!;
  const expected = known.map(({ time, value }) => ({ time: Math.floor(time), value }));
  expect(found.slice(0, known.length)).toEqual(expected);

  const buckets = await until(async () => {
    const { status, body } = await call<HistoryBuckets & ErrorBody>('GET', path({ points: '30' }));
    return status === 200 && body;
  }, PATIENTLY);
  const counted = buckets.measures[0]!.buckets.reduce((sum, { n }) => sum + n, 0);
  expect(counted).toBeGreaterThanOrEqual(known.length);
  expect([buckets.gaps, buckets.damaged, buckets.thinned]).toEqual([[], [], false]);
  expect(buckets.archive).toMatchObject({ pending: expect.any(Number) });

  // It is a connector like others, and nothing is at risk.
  const connector = await until(async () => {
    const { body } = await call<ConnectorsView>('GET', `${cell.api}/v1/connectors`);
    return body.connectors?.find(({ instance }) => instance?.alive === true);
  }, PATIENTLY);
  const lags = [
    { kind: 'values', stream: 'TM_VALUES', consumer: 'archive-values', at_risk: false },
    { kind: 'events', stream: 'EVENTS', consumer: 'archive-events', at_risk: false },
  ];
  expect(connector).toMatchObject({ data: ['values', 'events'], lags });

  // What came a moment ago is there before it is in a segment.
  const newest = sent.length;
  await until(() => sent.length > newest, PATIENTLY);
  const last = sent[newest]!;
  await until(async () => (await answered())?.some(({ time }) => time === Math.floor(last.time)), PATIENTLY);
  await archive.kill('SIGTERM');
}, 240_000);
