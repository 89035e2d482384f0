/** Streams made for a rate, on a bus with room for them and without; what others have stated stays. */

import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StreamInfo } from 'nats';
import { afterEach, describe, expect, it } from 'vitest';
import { Connection } from '../../bus/connection.ts';
import { JetStream } from '../../bus/jetstream.ts';
import { type NatsBus, openBus } from '../../bus/nats-bus.ts';
import { storeBytes } from '../../bus/store-size.ts';
import { sizeOf, streams } from '../../contract/bus/streams.ts';
import { installationOf } from '../../supervision/installation.ts';
import { type LimitedNats, startLimitedNats } from '../support/limited-nats.ts';
import { quiet } from '../support/nats.ts';
import { keptLog } from '../support/silent-log.ts';
import { until } from '../support/until.ts';

const GB = 10 ** 9;
const SIZED = [streams.frames, streams.decoded, streams.values, streams.fileChunks];
const wanted = SIZED.map((definition) => sizeOf(definition)!);

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function limited(bytes: number): Promise<LimitedNats> {
  const nats = await startLimitedNats(bytes);
  ends.push(() => nats.stop());
  return nats;
}

async function open(nats: LimitedNats, log = quiet): Promise<NatsBus> {
  const bus = openBus({ url: nats.url, name: 'test', log });
  ends.push(() => bus.close());
  await until(() => bus.connected);
  return bus;
}

async function sizes(nats: LimitedNats): Promise<number[]> {
  const connection = new Connection({ url: nats.url, name: 'admin', log: quiet });
  const admin = new JetStream(connection);
  try {
    const infos = await Promise.all(
      SIZED.map(({ name }) => admin.read<StreamInfo>(`STREAM.INFO.${name}`, undefined)),
    );
    return infos.map(({ config }) => config.max_bytes);
  } finally {
    await connection.close();
  }
}

const installation = (overrides = {}) => ({ replicas: 1, overrides });

describe('streams made for a rate', () => {
  it('keep a day of 10,000 samples a second where there is room', async () => {
    expect(sizeOf(streams.values)).toBe(200_000 * 86_400);
  });

  it('on a bus with less than 3 GB are made smaller alike, and say what they keep for how long (assets.A7)', async () => {
    const nats = await limited(2 * GB);
    const log = keptLog();
    const bus = await open(nats, log);
    bus.replication.install(installation());
    await bus.ensureAssets({ deadlineMs: 20_000 });
    const stand = await sizes(nats);
    expect(stand.reduce((sum, bytes) => sum + bytes)).toBeLessThanOrEqual(2 * GB);
    expect(stand.reduce((sum, bytes) => sum + bytes)).toBeGreaterThan(GB / 2);
    const shares = stand.map((bytes, index) => bytes / wanted[index]!);
    for (const share of shares) expect(share).toBeCloseTo(shares[0]!, 4);
    await bus.append(streams.values, 'mcs.tm.value.sat1', Buffer.from('x'));
    const said = log.said.filter(({ message }) =>
      message.startsWith('stream is smaller than it is meant to be'),
    );
    expect(said.map(({ fields }) => (fields as { stream: string }).stream).sort()).toEqual(
      SIZED.map(({ name }) => name).sort(),
    );
    expect(said[0]!.fields).toMatchObject({ keeps_s: expect.any(Number), wanted_s: 86_400 });
  });

  it('stay as they are when another process comes, and grow when there is room', async () => {
    const nats = await limited(2 * GB);
    const first = await open(nats);
    first.replication.install(installation());
    await first.ensureAssets({ deadlineMs: 20_000 });
    const stand = await sizes(nats);
    const second = await open(nats);
    second.replication.install(installation());
    await second.ensureAssets({ deadlineMs: 20_000 });
    expect(await sizes(nats)).toEqual(stand);
    await nats.limit(15 * GB);
    const smaller = { [streams.values.name]: { maxBytes: GB } };
    second.replication.install(installation(smaller));
    await second.ensureAssets({ deadlineMs: 20_000 });
    const [, , values] = await sizes(nats);
    expect(values).toBe(GB);
  });

  it('what one configuration stated is not put back by a process that knows none yet (assets.A6)', async () => {
    const nats = await limited(8 * GB);
    const first = await open(nats);
    const stated = {
      [streams.values.name]: { maxAgeMs: 3_600_000, maxBytes: 50_000_000 },
      [streams.runs.name]: { maxAgeMs: 365 * 86_400_000 },
      [streams.frames.name]: { bytesPerS: 1_000 },
    };
    first.replication.install(installation(stated));
    await first.ensureAssets({ deadlineMs: 20_000 });
    const before = await sizes(nats);
    expect([before[0], before[2]]).toEqual([86_400_000, 50_000_000]);
    const second = await open(nats);
    await second.ensureAssets({ deadlineMs: 20_000 });
    expect(await sizes(nats)).toEqual(before);
  });
});

describe('what the settings of a mission say of streams', () => {
  it('buckets that logs of runs name are kept as long as they are', () => {
    const settings = { replicas: 3, alarmRetentionMs: 5, streams: { RUNS: { maxAgeMs: 365 * 86_400_000 } } };
    const { ttls, overrides, replicas } = installationOf(settings as never);
    expect(replicas).toBe(3);
    expect(overrides).toMatchObject({ ALARMS: { maxAgeMs: 5 }, RUNS: { maxAgeMs: 365 * 86_400_000 } });
    expect(ttls).toEqual({
      mcs_runs: 365 * 86_400_000,
      mcs_run_reports: 365 * 86_400_000,
      mcs_ir: 395 * 86_400_000,
      mcs_uploads: 395 * 86_400_000,
    });
  });
});

describe('what the embedded server may store', () => {
  it('is chosen once, and kept whatever becomes of the disk (store-size.E1)', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mcs-size-'));
    ends.push(() => rm(folder, { recursive: true }));
    const first = await storeBytes(folder);
    expect(first).toBeGreaterThan(0);
    await writeFile(join(folder, 'store-bytes'), '123456\n');
    expect(await storeBytes(folder)).toBe(123_456);
    await writeFile(join(folder, 'store-bytes'), 'much\n');
    await expect(storeBytes(folder)).rejects.toThrow('must hold a number of bytes');
  });

  it('of a store that was there before is what it was (store-size.E2)', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mcs-size-'));
    ends.push(() => rm(folder, { recursive: true }));
    await mkdir(join(folder, 'store'));
    expect(await storeBytes(folder)).toBe(64 * 2 ** 30);
    expect(await readFile(join(folder, 'store-bytes'), 'utf8')).toBe('68719476736\n');
  });
});
