/**
 * A file of stored telemetry on a real bus: from the memory of the simulated spacecraft over its link into the store,
 * through the driver of the link, to everybody who reads samples.
 */

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { NatsBus } from '../../bus/nats-bus.ts';
import { compileFolder } from '../../cli/mission-folder.ts';
import { decodeBatch, type ValueBatch } from '../../contract/batch.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { FILE_DECODE_AGAIN_MS } from '../../contract/limits/transfer.ts';
import { readStoredTransfer, type StoredTransfer } from '../../contract/transfer.ts';
import type { CurrentValue, CurrentValues } from '../../contract/value.ts';
import { load } from '../../mission/load.ts';
import type { Platform } from '../../mission/platform.ts';
import type { Clock } from '../../ports/clock.ts';
import { realClock } from '../../supervision/clock.ts';
import { call, follow } from '../support/client.ts';
import { DEMO, type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { until } from '../support/until.ts';

const PATIENTLY = { timeoutMs: 60_000 };
/** The half minute until a file is offered again takes three seconds here. */
const HASTE = 10;
const hasty: Clock = {
  now: () => realClock.now(),
  monotonic: () => realClock.monotonic(),
  clearTimeout: (handle) => realClock.clearTimeout(handle),
  setTimeout: (fire, delayMs) => {
    const isAgain = delayMs > FILE_DECODE_AGAIN_MS - 1_000 && delayMs <= FILE_DECODE_AGAIN_MS;
    return realClock.setTimeout(fire, isAgain ? delayMs / HASTE : delayMs);
  },
};

let folder: string;
let cell: DemoCell;
let platform: Platform;
const offers: number[] = [];

/** The spacecraft of the demo, on which only what its file says raises an alarm and moves a maximum. */
function missionFolder(): string {
  const made = mkdtempSync(join(tmpdir(), 'stored-telemetry-'));
  cpSync(DEMO, made, { recursive: true });
  const path = join(made, 'cubesat-6u.yaml');
  const text = readFileSync(path, 'utf8');
  const uptime = '      uptime: { type: u32, unit: s, description: Time since boot }\n';
  const more = `      minutes: { type: f64, unit: s, derived: uptime / 60 }
      longest: { type: f64, unit: s, derived: "max(uptime, 1 h)" }
`;
  const alarms = '    alarms:\n      old: { when: uptime > 1000 s, severity: warning }\n';
  writeFileSync(
    path,
    text.replace(uptime, uptime + more).replace('\n  battery:\n', `\n${alarms}\n  battery:\n`),
  );
  return made;
}

/** The same bus, on which the first offer of a file fails. */
function failingOnce(bus: NatsBus): NatsBus {
  const serve: NatsBus['serve'] = (served, answer, options) => {
    if (served !== subject.fileDecode('sat1')) return bus.serve(served, answer, options);
    const failing: typeof answer = async (message) => {
      offers.push(realClock.monotonic());
      if (offers.length > 1) return answer(message);
      return Buffer.from('{"outcome":"failed","reason":"out of memory"}');
    };
    return bus.serve(served, failing, options);
  };
  return Object.create(bus, { serve: { value: serve } }) as NatsBus;
}

beforeAll(async () => {
  folder = missionFolder();
  const compiled = await compileFolder(folder);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults, undefined, 1));
  platform = load(compiled.value.configuration, compiled.value.revision).targets.get('sat1')!.platform!;
  cell = await startDemoCell({ folder, clock: hasty, over: failingOnce, memberTtlMs: 20_000 });
}, 60_000);
afterAll(async () => {
  await cell.stop();
  rmSync(folder, { recursive: true });
});

async function stored(): Promise<StoredTransfer | undefined> {
  const entry = await cell.bus.bucket(buckets.transfers).get('sat1.1.1');
  return entry && readStoredTransfer('sat1.1.1', entry.value);
}

async function shown(measure: string): Promise<CurrentValue['sample']> {
  const { body } = await call<CurrentValues>('GET', `${cell.api}/v1/targets/sat1/values`);
  return body.values.find((each) => each.component === 'obc' && each.measure === measure)!.sample;
}

/** Every batch of values of the target, as an archive finds them. */
async function published(): Promise<{ batch: ValueBatch; delivery: string | undefined }[]> {
  const found: { batch: ValueBatch; delivery: string | undefined }[] = [];
  const follower = await cell.bus.follow(
    streams.values,
    subject.values('sat1'),
    { from: 'start' },
    ({ data, headers }) => {
      found.push({ batch: decodeBatch<ValueBatch>(data), delivery: headers[header.delivery] });
    },
  );
  await follower.caughtUp;
  await follower.stop();
  return found;
}

/** Values of a measure in batches. */
function valuesOf(batches: readonly ValueBatch[], key: string): number[] {
  const wanted = platform.ordinal(key)!;
  return batches.flatMap(({ blocks }) =>
    blocks.flatMap(({ ordinals, value }) =>
      [...value].filter((_, index) => ordinals[index % ordinals.length] === wanted),
    ),
  );
}

it('F-20 MC-XFER-028 MC-XFER-033 MC-XFER-035 MC-XFER-055 MC-XFER-056 MC-XFER-058 MC-XFER-059 MC-VAL-011 MC-VAL-016 MC-ALM-029 stored telemetry comes down, is decoded by a driver that fails once, and moves nothing of the present', async () => {
  const watched = follow<CurrentValue>(`${cell.api}/v1/targets/sat1/values/watch?measures=obc.uptime`);
  expect((await call('POST', `${cell.api}/v1/targets/sat1/files/refresh`)).status).toBe(202);
  await until(
    async () => {
      const asked = await call('POST', `${cell.api}/v1/transfers`, { target: 'sat1', file_id: '1' });
      return asked.status === 201;
    },
    { ...PATIENTLY, what: 'the transfer' },
  );
  const failed = await until(
    async () => {
      const record = await stored();
      return record?.reason === 'out of memory' && record;
    },
    { ...PATIENTLY, what: 'the failure' },
  );
  expect(failed.state).toBe('VERIFIED');
  await until(async () => (await stored())?.state === 'PROCESSED', { ...PATIENTLY, what: 'PROCESSED' });
  expect((await stored())?.reason).toBe('1800 samples');
  expect(offers).toHaveLength(2);
  expect(offers[1]! - offers[0]!).toBeGreaterThan((0.9 * FILE_DECODE_AGAIN_MS) / HASTE);

  await until(
    async () => {
      const dumped = (await published()).filter(({ delivery }) => delivery === 'deferred');
      return (
        valuesOf(
          dumped.map(({ batch }) => batch),
          'obc.uptime',
        ).length === 360
      );
    },
    { ...PATIENTLY, what: 'the deferred values' },
  );
  const all = await published();
  const dumped = all.filter(({ delivery }) => delivery === 'deferred').map(({ batch }) => batch);
  const live = all.filter(({ delivery }) => delivery !== 'deferred').map(({ batch }) => batch);
  expect(Math.max(...valuesOf(dumped, 'obc.uptime'))).toBe(3_590);
  // A pure measure is derived of each, and as deferred as they are; one that looks at time is not.
  expect(Math.max(...valuesOf(dumped, 'obc.minutes'))).toBeCloseTo(3_590 / 60);
  expect(dumped.every(({ deferred }) => deferred)).toBe(true);
  expect(valuesOf(dumped, 'obc.longest')).toEqual([]);
  // The present goes on as if nothing had come down.
  for (const measure of ['obc.uptime', 'obc.longest', 'obc.minutes'])
    expect(Math.max(...valuesOf(live, measure)), measure).toBeLessThan(1_000);
  for (const measure of ['uptime', 'longest', 'minutes'])
    expect(await shown(measure)).toMatchObject({ delivery: 'realtime' });
  expect((await shown('uptime')).value).toBeLessThan(1_000);
  const seen = watched.messages.map(({ sample }) => sample);
  expect(seen.length).toBeGreaterThan(3);
  expect(seen.every(({ value, delivery }) => Number(value) < 1_000 && delivery === 'realtime')).toBe(true);
  watched.close();
  const { body } = await call<{ alarms: { alarm: string }[] }>('GET', `${cell.api}/v1/alarms?target=sat1`);
  expect(body.alarms.filter(({ alarm }) => alarm === 'old')).toEqual([]);
}, 240_000);
