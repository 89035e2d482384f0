/**
 * assets.A1 to A3, A9 and bus/follow.F2, past.H3: streams and buckets follow their declaration, and readers follow the
 * streams.
 */

import type { StreamInfo } from 'nats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { standing } from '../../bus/asset.ts';
import { Assets } from '../../bus/assets.ts';
import { Markers, openBucket } from '../../bus/bucket.ts';
import { Connection } from '../../bus/connection.ts';
import { Cursors } from '../../bus/cursors.ts';
import { JetStream } from '../../bus/jetstream.ts';
import type { NatsBus } from '../../bus/nats-bus.ts';
import { Past } from '../../bus/past.ts';
import { type BucketDefinition, buckets, objectStores } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { BUS_REMOVAL_MS } from '../../contract/limits/bus.ts';
import { isToken } from '../../contract/token.ts';
import type { TestNats } from '../support/nats.ts';
import { quiet, startNats } from '../support/nats.ts';
import { partlyOther } from '../support/partly-other.ts';
import { startRelay } from '../support/relay.ts';
import { keptLog } from '../support/silent-log.ts';
import { until } from '../support/until.ts';

const STREAM = { name: 'T', subjects: ['mcs.t.*'], maxAgeMs: 3_600_000, dedupeMs: 120_000 };
/** Some fifty streams on the disk of a busy machine. */
const PATIENT = { deadlineMs: 20_000 };
const bytes = (text: string) => new TextEncoder().encode(text);
const text = (data: Uint8Array | undefined) => new TextDecoder().decode(data);

let nats: TestNats;
let bus: NatsBus;
let admin: JetStream;
let connection: Connection;
beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
  connection = new Connection({ url: nats.url, name: 'admin', credentials: nats.credentials, log: quiet });
  admin = new JetStream(connection);
});
afterAll(async () => {
  await connection.close();
  await nats.stop();
});

const config = async (stream: string) =>
  (await admin.read<StreamInfo>(`STREAM.INFO.${stream}`, undefined)).config;

const DAY_S = 86_400;
/** As other programs find them: name, subject, seconds kept, seconds for which ids are remembered. */
const PUBLISHED: readonly (readonly [string, string, number, number])[] = [
  ['TC_COMMANDS', 'mcs.tc.submit.*', 30 * DAY_S, DAY_S],
  ['TC_EVENTS', 'mcs.tc.evt.*.*', 30 * DAY_S, 600],
  ['TM_FRAMES', 'mcs.tm.frame.*', DAY_S, 120],
  ['TM', 'mcs.tm.decoded.*', DAY_S, 120],
  ['TM_VALUES', 'mcs.tm.value.*', DAY_S, 120],
  ['RUNS', 'mcs.run.evt.*', 90 * DAY_S, 600],
  ['RUN_SUBMISSIONS', 'mcs.run.submit', 30 * DAY_S, DAY_S],
  ['RUN_ANSWERS', 'mcs.run.approval.*', DAY_S, 120],
  ['ALARMS', 'mcs.alarm.evt.*.*.*.*', 90 * DAY_S, 600],
  ['FILE_CHUNKS', 'mcs.file.chunk.>', DAY_S, 120],
  ['EVENTS', 'mcs.event.*', 30 * DAY_S, 600],
  ['DEAD_LETTERS', 'mcs.dlq.*', 30 * DAY_S, 120],
];
const PUBLISHED_BUCKETS = [
  'actors',
  'alarms',
  'bench_events',
  'bench_reports',
  'bench_runs',
  'config',
  'connectors',
  'decodings',
  'directories',
  'drivers',
  'ir',
  'leader',
  'leases',
  'left_files',
  'members',
  'modes',
  'open_runs',
  'open_transfers',
  'pass_gateways',
  'pass_journals',
  'passes',
  'passes_over',
  'rule_refusals',
  'run_reports',
  'runs',
  'schedule_rules',
  'schedules',
  'schedules_over',
  'transfer_days',
  'transfers',
  'transfers_over',
  'units',
  'values',
];

describe('the assets of the contract', () => {
  it('MC-BUS-005 MC-BUS-006 MC-BUS-007 MC-BUS-004 MC-BUS-017 MC-LIM-008 bear the names that other programs know, with their subjects and times', async () => {
    await bus.ensureAssets(PATIENT);
    const { streams: listed } = await admin.read<{ streams: StreamInfo[] }>('STREAM.LIST', undefined);
    const found = listed.map(({ config: { name, subjects, max_age, duplicate_window } }) => [
      name,
      subjects?.join(),
      Number(max_age) / 1e9,
      Number(duplicate_window) / 1e9,
    ]);
    const ofStreams = found.filter(([name]) => !/^(KV|OBJ)_/.test(String(name)));
    expect(ofStreams.sort()).toEqual([...PUBLISHED].map((row) => [...row]).sort());
    const ofBuckets = found.flatMap(([name]) => /^KV_mcs_(.*)$/.exec(String(name))?.[1] ?? []);
    expect(ofBuckets.sort()).toEqual(PUBLISHED_BUCKETS);
  });

  it('MC-BUS-005 MC-BUS-006 MC-BUS-007 exist as declared after ensureAssets, on files, read from the leader', async () => {
    await bus.ensureAssets(PATIENT);
    for (const { name, subjects, maxAgeMs, dedupeMs } of Object.values(streams))
      expect(await config(name)).toMatchObject({
        subjects,
        max_age: maxAgeMs * 1e6,
        duplicate_window: dedupeMs * 1e6,
        storage: 'file',
        retention: 'limits',
        discard: 'old',
        num_replicas: 1,
      });
    for (const { name, history, ttlMs = 0 } of Object.values<BucketDefinition>(buckets)) {
      const stands = await config(`KV_${name}`);
      const kept = { max_msgs_per_subject: history, max_age: ttlMs * 1e6 };
      expect(stands).toMatchObject({ storage: 'file', ...kept });
      expect(stands.allow_direct ?? false).toBe(false);
    }
    for (const { name } of Object.values(objectStores))
      expect(await config(`OBJ_${name}`)).toMatchObject({ storage: 'file', allow_direct: true });
  });

  it('stay as they are when ensured again, by this process and by another', async () => {
    const infos: object[] = [];
    const log = { ...quiet, info: (fields: object) => infos.push(fields), child: () => log };
    const other = await nats.connected({ name: 'other', log });
    await Promise.all([bus.ensureAssets(PATIENT), other.ensureAssets(PATIENT)]);
    expect(infos.filter((fields) => 'difference' in fields)).toEqual([]);
  });

  it('are brought up to a changed declaration, and keep what they hold', async () => {
    await bus.append(STREAM, 'mcs.t.a', bytes('1'));
    const other = await nats.connected({ name: 'other' });
    const changed = { ...STREAM, subjects: ['mcs.t.*', 'mcs.u.*'], maxAgeMs: 7_200_000, maxBytes: 1_000_000 };
    expect(await other.append(changed, 'mcs.u.a', bytes('2'))).toEqual({ outcome: 'stored', seq: 2 });
    expect(await config('T')).toMatchObject({
      subjects: changed.subjects,
      max_age: 7_200_000 * 1e6,
      max_bytes: 1_000_000,
    });
    const wider = { name: 'mcs_wider', history: 1 };
    await bus.bucket(wider).put('k', bytes('x'), 0);
    await other.bucket({ ...wider, history: 5 }).get('k');
    expect(await config('KV_mcs_wider')).toMatchObject({ max_msgs_per_subject: 5 });
  });

  it('MC-BUS-021 take the retention and the window an installation states', async () => {
    const overrides = { OVER: { dedupeMs: 100, maxAgeMs: 60_000, maxBytes: 5_000 } };
    const other = await nats.connected({ name: 'other', overrides });
    const stream = { ...STREAM, name: 'OVER', subjects: ['mcs.over.*'] };
    await other.append(stream, 'mcs.over.a', bytes('x'), { id: 'once' });
    expect(await config('OVER')).toMatchObject({
      max_age: 60_000 * 1e6,
      max_bytes: 5_000,
      duplicate_window: 100e6,
    });
    expect([other.keptMs!(stream), other.dedupeMs!(stream), bus.keptMs!(stream)]).toEqual([
      60_000, 100, 3_600_000,
    ]);
    const again = await until(async () => {
      const outcome = await other.append(stream, 'mcs.over.a', bytes('x'), { id: 'once' });
      return outcome.outcome === 'stored' && outcome;
    });
    expect(again.seq).toBe(2);
  });

  it('forget the entries of a bucket with a time to live', async () => {
    const bucket = bus.bucket({ name: 'mcs_shortlived', history: 1, ttlMs: 200 });
    await bucket.put('k', bytes('x'), 0);
    await until(async () => (await bucket.get('k')) === undefined);
    expect(await bucket.put('k', bytes('y'), 0)).toMatchObject({ outcome: 'written' });
  });

  it('are refused for good when the server cannot have them', async () => {
    const other = await nats.connected({ name: 'other' });
    await bus.append({ ...STREAM, name: 'FIRST', subjects: ['mcs.first.*'] }, 'mcs.first.a', bytes('x'));
    await expect(
      other.append({ ...STREAM, name: 'SECOND', subjects: ['mcs.first.>'] }, 'mcs.first.a', bytes('x')),
    ).rejects.toThrow(/overlap/);
  });

  it('are made with one copy where the server is alone, and that is shown (assets.A5)', async () => {
    const other = await nats.connected({ name: 'other', replicas: 3 });
    const stream = { ...STREAM, name: 'COPIES', subjects: ['mcs.copies.*'] };
    expect(await other.append(stream, 'mcs.copies.a', bytes('x'))).toMatchObject({ outcome: 'stored' });
    other.replication.install({ replicas: 3, overrides: {} });
    await until(() => other.replication.short.length > 0);
    expect(other.replication.short).toContainEqual({ stream: 'TC_EVENTS', inPlace: 1 });
    expect(bus.replication).toMatchObject({ wanted: 1, short: [] });
    // It would go on bringing every stream to what it was given.
    await other.close();
  });

  it('MC-BUS-021 keep the retention of the mission when a process comes that does not know it yet (assets.A6)', async () => {
    const knowing = await nats.connected({ name: 'knowing' });
    const year = 365 * 86_400_000;
    knowing.replication.install({ replicas: 1, overrides: { ALARMS: { maxAgeMs: year } } });
    await knowing.ensureAssets(PATIENT);
    const ignorant = await nats.connected({ name: 'ignorant' });
    await ignorant.ensureAssets(PATIENT);
    expect((await config('ALARMS')).max_age).toBe(year * 1e6);
  });
});

describe('a stream that is recreated under its readers', () => {
  it('is written to and followed from its beginning', async () => {
    const stream = { ...STREAM, name: 'ANEW', subjects: ['mcs.anew.*'] };
    const seen: string[] = [];
    for (const one of ['1', '2', '3']) await bus.append(stream, 'mcs.anew.a', bytes(one));
    const follower = await bus.follow(stream, 'mcs.anew.a', { from: 'seq', seq: 3 }, (message) => {
      seen.push(`${message.seq} ${text(message.data)}`);
    });
    await follower.caughtUp;
    await admin.read('STREAM.DELETE.ANEW', undefined);
    expect(await bus.append(stream, 'mcs.anew.a', bytes('4'))).toEqual({ outcome: 'stored', seq: 1 });
    await until(() => seen.length === 2);
    expect(seen).toEqual(['3 3', '1 4']);
  });

  it('is followed from its beginning also when it has grown past the old position', async () => {
    const stream = { ...STREAM, name: 'GROWN', subjects: ['mcs.grown.*'] };
    const relay = await startRelay(Number(new URL(nats.url).port));
    const away = await nats.connected({ name: 'away', url: `nats://127.0.0.1:${relay.port}` });
    const seen: string[] = [];
    await bus.append(stream, 'mcs.grown.a', bytes('old'));
    const follower = await away.follow(stream, 'mcs.grown.a', { from: 'start' }, (message) => {
      seen.push(`${message.seq} ${text(message.data)}`);
    });
    await follower.caughtUp;
    relay.refusing = true;
    relay.cut();
    await admin.read('STREAM.DELETE.GROWN', undefined);
    for (const one of ['1', '2', '3']) await bus.append(stream, 'mcs.grown.a', bytes(one));
    relay.refusing = false;
    await until(() => seen.length >= 4);
    expect(seen).toEqual(['1 old', '1 1', '2 2', '3 3']);
    await away.close();
    await relay.stop();
  });

  it('is watched again, and what is gone is reported', async () => {
    const definition = { name: 'mcs_anew', history: 1 };
    const bucket = bus.bucket(definition);
    for (const key of ['a', 'b', 'c']) await bucket.put(key, bytes('old'), 0);
    const seen = new Map<string, string | undefined>();
    const watch = await bucket.watch('>', (key, entry) => seen.set(key, entry && text(entry.value)));
    await watch.ready;
    await admin.read('STREAM.DELETE.KV_mcs_anew', undefined);
    expect(await bucket.put('a', bytes('new'), 0)).toEqual({ outcome: 'written', revision: 1 });
    await until(() => seen.get('a') === 'new' && seen.get('b') === undefined);
    expect(Object.fromEntries(seen)).toEqual({ a: 'new', b: undefined, c: undefined });
  });
});

describe('a removed key', () => {
  it('leaves no marker behind', async () => {
    const bucket = bus.bucket({ name: 'mcs_markers', history: 1 });
    await bucket.put('a', bytes('1'), 0);
    await bucket.put('b', bytes('1'), 0);
    await bucket.remove('a', 1);
    await until(async () => {
      const info = await admin.read<StreamInfo>('STREAM.INFO.KV_mcs_markers', undefined);
      return info.state.messages === 1;
    });
    expect((await bucket.list('>')).map((entry) => entry.key)).toEqual(['b']);
  });

  it('that lives again before its marker is deleted keeps its new value', async () => {
    const bucket = bus.bucket({ name: 'mcs_again', history: 1 });
    const first = await bucket.put('a', bytes('1'), 0);
    await bucket.remove('a', first.outcome === 'written' ? first.revision : 0);
    await bucket.put('a', bytes('2'), 0);
    await bucket.put('gone', bytes('1'), 0);
    const gone = (await bucket.get('gone'))?.revision ?? 0;
    await bucket.remove('gone', gone);
    await until(async () => {
      const info = await admin.read<StreamInfo>('STREAM.INFO.KV_mcs_again', undefined);
      return info.state.messages === 1;
    });
    expect(text((await bucket.get('a'))?.value)).toBe('2');
  });

  it('can be made again over a marker that a crash left', async () => {
    const definition = { name: 'mcs_crashed', history: 1 };
    const bucket = bus.bucket(definition);
    await bucket.put('a', bytes('1'), 0);
    await admin.publish(
      '$KV.mcs_crashed.a',
      new Uint8Array(0),
      { 'KV-Operation': 'PURGE', 'Nats-Rollup': 'sub' },
      2_000,
    );
    expect(await bucket.get('a')).toBeUndefined();
    expect(await bucket.list('>')).toEqual([]);
    expect(await bucket.put('a', bytes('2'), 0)).toMatchObject({ outcome: 'written' });
  });

  it('can be made again when its marker is deleted between the refusal and the look at it', async () => {
    class PurgedBeforeTheLook extends JetStream {
      override async ask<Reply>(verb: string, body: object | undefined, timeoutMs: number): Promise<Reply> {
        if (verb === 'STREAM.MSG.GET.KV_mcs_overtaken')
          await super.ask(`STREAM.PURGE.KV_mcs_overtaken`, {}, timeoutMs);
        return super.ask<Reply>(verb, body, timeoutMs);
      }
    }
    const jetstream = new PurgedBeforeTheLook(connection);
    const tools = {
      jetstream,
      assets: new Assets(jetstream, { replicas: 1, overrides: {}, log: quiet }),
      cursors: new Cursors(jetstream, quiet),
      markers: new Markers(jetstream),
      past: new Past(jetstream),
      log: quiet,
    };
    const bucket = openBucket(tools, { name: 'mcs_overtaken', history: 1 });
    const made = await bucket.put('a', bytes('1'), 0);
    const marker = { 'KV-Operation': 'PURGE', 'Nats-Rollup': 'sub' };
    await admin.publish('$KV.mcs_overtaken.a', new Uint8Array(0), marker, 2_000);
    expect(made).toMatchObject({ outcome: 'written' });
    expect(await bucket.put('a', bytes('2'), 0)).toMatchObject({ outcome: 'written' });
  });
});

describe('asset.I1 a stream is known by its description', () => {
  const definition = { ...STREAM, name: 'KNOWN', subjects: ['mcs.known.*'] };
  const assetOf = () => new Assets(admin, { replicas: 1, overrides: {}, log: quiet }).stream(definition);
  const identity = async () => (await assetOf().look(5_000)).identity;

  it('drawn when it is made, and another one once it is made again', async () => {
    const first = await identity();
    expect(isToken(first)).toBe(true);
    expect((await config('KNOWN')).description).toBe(`mcs ${first}`);
    expect(await identity()).toBe(first);
    expect((await bus.levels.stream('KNOWN'))?.identity).toBe(first);
    await admin.ask('STREAM.DELETE.KNOWN', undefined, 5_000);
    expect(await identity()).not.toBe(first);
  });

  it('whatever time a copy was created at', async () => {
    const known = await identity();
    const info = await admin.read<StreamInfo>('STREAM.INFO.KNOWN', undefined);
    const elsewhere = { ...info, created: '2026-11-24T02:37:28.787665353Z' as never };
    expect(standing(elsewhere).identity).toBe(known);
  });

  it('written down where a stream of an earlier version has none, as the time it was known by', async () => {
    await admin.ask('STREAM.DELETE.KNOWN', undefined, 5_000);
    await admin.ask('STREAM.CREATE.KNOWN', { name: 'KNOWN', subjects: definition.subjects }, 5_000);
    const created = String((await admin.read<StreamInfo>('STREAM.INFO.KNOWN', undefined)).created);
    expect(await identity()).toBe(created);
    expect((await config('KNOWN')).description).toBe(`mcs ${created}`);
  });

  it('and by the time it was created, where somebody described it otherwise', async () => {
    await admin.ask('STREAM.DELETE.KNOWN', undefined, 5_000);
    const description = 'Ours. Ask ops before you change it.';
    await admin.ask(
      'STREAM.CREATE.KNOWN',
      { name: 'KNOWN', subjects: definition.subjects, description },
      5_000,
    );
    const created = String((await admin.read<StreamInfo>('STREAM.INFO.KNOWN', undefined)).created);
    expect(await identity()).toBe(created);
    expect((await config('KNOWN')).description).toBe(description);
  });
});

it('jetstream.J6 a stream that has its leader again is known before the question is over that met none', async () => {
  const stream = { ...STREAM, name: 'ELECTS', subjects: ['mcs.elects.*'] };
  await bus.append(stream, 'mcs.elects.a', bytes('x'));
  let asked = 0;
  const request: Connection['request'] = (subject, ...more) => {
    if (subject.includes('STREAM.INFO')) asked += 1;
    const isLost = subject.includes('STREAM.INFO') && asked <= 2;
    return isLost ? new Promise(() => undefined) : connection.request(subject, ...more);
  };
  const jetstream = new JetStream(partlyOther(connection, { request }));
  const assets = new Assets(jetstream, { replicas: 1, overrides: {}, log: quiet });
  // Three questions in a row, and not the time of one of them.
  expect(await assets.stream(stream).look(60_000)).toMatchObject({ stream: 'ELECTS', lastSeq: 1 });
  expect(asked).toBeGreaterThanOrEqual(3);
});

describe('stored-last.L3 a bucket or an object store that is gone under a process that only reads it', () => {
  const hash = 'a'.repeat(64);

  it('is made again, holds nothing, and is reported', async () => {
    const log = keptLog();
    const reader = await nats.connected({ log });
    const [bucket, objects] = [reader.bucket(buckets.passesOver), reader.objects(objectStores.uploads)];
    await bucket.put('days', bytes('1'), 0);
    expect([text((await bucket.get('days'))?.value), await objects.size(hash)]).toEqual(['1', undefined]);
    const names = [`KV_${buckets.passesOver.name}`, `OBJ_${objectStores.uploads.name}`];
    for (const name of names) await admin.read(`STREAM.DELETE.${name}`, undefined);
    expect([await bucket.get('days'), await objects.size(hash)]).toEqual([undefined, undefined]);
    for (const name of names)
      expect(log.said).toContainEqual(
        expect.objectContaining({ level: 'error', fields: expect.objectContaining({ stream: name }) }),
      );
    expect((await bucket.put('days', bytes('2'), 0)).outcome).toBe('written');
    expect(text((await bucket.get('days'))?.value)).toBe('2');
    await reader.close();
  });
});

describe('assets.A9 a stream that is gone under a process that knew it', () => {
  const definition = { ...STREAM, name: 'REMOVED', subjects: ['mcs.removed.*'] };
  const assets = () => new Assets(admin, { replicas: 1, overrides: {}, log: quiet }).stream(definition);
  const createdAt = async (): Promise<number> =>
    Date.parse((await admin.read<StreamInfo>('STREAM.INFO.REMOVED', undefined)).created as never);
  const remove = (): Promise<unknown> => admin.read('STREAM.DELETE.REMOVED', undefined);

  it('is made again once its files are removed, and not before', async () => {
    const asset = assets();
    const first = await asset.look(5_000);
    await remove();
    // By the one clock of this machine; from before the answer was there.
    const goneAt = Date.now();
    expect((await asset.look(10_000)).identity).not.toBe(first.identity);
    expect((await createdAt()) - goneAt).toBeGreaterThanOrEqual(BUS_REMOVAL_MS - 10);
    await remove();
  });

  it('is the one that another process has made by then', async () => {
    const [here, there] = [assets(), assets()];
    await here.look(5_000);
    await remove();
    const [made, found] = await Promise.all([there.look(10_000), here.look(10_000)]);
    expect(found.identity).toBe(made.identity);
    await remove();
  });
});
