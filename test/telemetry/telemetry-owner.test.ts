import { beforeEach, describe, expect, it } from 'vitest';
import { type DecodedBatch, decodeBatch, encodeBatch, type ValueBatch } from '../../contract/batch.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { CATALOGUE_WAIT_MS, VALUE_APPENDS, VALUES_CHECKPOINT_MS } from '../../contract/limits/value.ts';
import type { Platform } from '../../mission/platform.ts';
import type { StreamMessage } from '../../ports/bus.ts';
import { HeapClock } from '../../supervision/clock.ts';
import { decodeCheckpoint, encodeCheckpoint } from '../../telemetry/checkpoint.ts';
import { CurrentValues } from '../../telemetry/current-values.ts';
import { createTelemetryOwner, type TelemetryOwnerOptions } from '../../telemetry/telemetry-owner.ts';
import { type KeptLog, keptLog } from '../support/silent-log.ts';
import { until } from '../support/until.ts';
import { FakeBus } from './fake-bus.ts';
import { blockOf, Missions, missionOf, platformOf } from './platform.ts';

const platform = platformOf({
  'eps.vbat': { type: 'u16', unit: 'V', calibrate: (raw) => raw / 1000 },
  'obc.counter': { type: 'u32' },
});

let bus: FakeBus;
let clock: HeapClock;
let log: KeptLog;
let missions: Missions;

beforeEach(() => {
  bus = new FakeBus();
  clock = new HeapClock(Date.parse('2026-03-01T12:00:00Z'));
  log = keptLog();
  missions = new Missions(missionOf('r1', { sat1: platform }));
});

function ownerOf(options: Partial<TelemetryOwnerOptions> = {}) {
  return createTelemetryOwner({ bus, missions, target: 'sat1', epoch: 1, log, clock, ...options });
}

function decodedMessage(
  seq: number,
  options: Partial<DecodedBatch> & { of?: Platform; deferred?: boolean } = {},
) {
  const { of = platform, deferred, ...batch } = options;
  const blocks = [blockOf(of, [{ ground: clock.now() + seq, raw: { 'obc.counter': seq } }])];
  const headers: Record<string, string> = deferred ? { 'Mcs-Delivery': 'deferred' } : {};
  const data = encodeBatch({ platform: of.digest, link: 'uhf', blocks, reports: [], ...batch });
  return {
    subject: subject.decoded('sat1'),
    data,
    headers,
    seq,
    at: clock.now(),
    pending: 0,
  } satisfies StreamMessage;
}

const published = () => bus.messages(streams.values);
const sources = () => published().map((message) => Number(message.headers['Mcs-Source']));
const stored = (count: number) =>
  until(() => published().length === count, { what: `${count} value batches` });
const checkpoint = async () => {
  const entry = bus.bucket(buckets.values).entries.get('sat1');
  return entry && (await decodeCheckpoint(entry.value));
};

describe('the owner of a target', () => {
  it('publishes each decoded batch calibrated, under an id and with its source, epoch and delivery', async () => {
    const owner = ownerOf({ epoch: 7 });
    expect(await owner.start()).toEqual({ from: 'start' });
    const blocks = [blockOf(platform, [{ ground: 5, raw: { 'eps.vbat': 7400 } }])];
    owner.handle(decodedMessage(3, { blocks, deferred: true }));
    await stored(1);
    const [message] = published();
    expect(message).toMatchObject({
      subject: 'mcs.tm.value.sat1',
      headers: {
        id: 'sat1-3',
        'Mcs-Source': '3',
        'Mcs-Epoch': '7',
        'Mcs-Delivery': 'deferred',
        'Mcs-Config': 'r1',
      },
    });
    const batch = decodeBatch<ValueBatch>(message!.data);
    expect(batch).toMatchObject({ platform: platform.digest, link: 'uhf', deferred: true });
    expect([...batch.blocks[0]!.value]).toEqual([7.4]);
    await owner.stop();
  });

  it('ordered-append.Q2 publishes in order and each once through lost appends and lost answers', async () => {
    const owner = ownerOf();
    await owner.start();
    const failures = new Map([
      ['sat1-2', ['before', 'after']],
      ['sat1-4', ['after']],
    ]);
    bus.fate = (id) => failures.get(id)?.shift() as 'before' | 'after' | undefined;
    // The first is stored alone, so that the loss of the second meets nothing on its way.
    for (let seq = 1; seq <= 2; seq += 1) void owner.handle(decodedMessage(seq));
    await until(() => failures.get('sat1-2')!.length === 1);
    for (let seq = 3; seq <= 6; seq += 1) void owner.handle(decodedMessage(seq));
    await until(() => {
      clock.advance(1_000);
      return published().length === 6;
    });
    expect(sources()).toEqual([1, 2, 3, 4, 5, 6]);
    await owner.stop();
  });

  it('ordered-append.Q6 telemetry-owner.O8 marks what is stored behind a newer sample that has passed it, and nothing else of it', async () => {
    const owner = ownerOf();
    await owner.start();
    const losses = ['before'] as 'before'[];
    bus.fate = (id) => (id === 'sat1-1' ? losses.shift() : undefined);
    const older = blockOf(platform, [{ ground: 5, raw: { 'eps.vbat': 7400, 'obc.counter': 1 } }]);
    const newer = blockOf(platform, [{ ground: 6, raw: { 'eps.vbat': 7500 } }]);
    void owner.handle(decodedMessage(1, { blocks: [older] }));
    void owner.handle(decodedMessage(2, { blocks: [newer] }));
    await until(() => {
      clock.advance(1_000);
      return published().length === 2;
    });
    expect(sources()).toEqual([2, 1]);
    const batches = published().map(({ data }) => decodeBatch<ValueBatch>(data));
    const [first, last] = batches.map(({ blocks }) => blocks[0]!);
    expect(first!.superseded).toBeUndefined();
    const marked = [...last!.superseded!].map((index) => platform.measures[last!.ordinals[index]!]!.key);
    expect(marked).toEqual(['eps.vbat']);
    const shown = new CurrentValues(platform);
    for (const batch of batches) shown.apply(batch);
    const values = ['eps.vbat', 'obc.counter'].map((key) => shown.sample(platform.ordinal(key)!)?.value);
    expect(values).toEqual([7.5, 1]);
    await owner.stop();
  });

  it('ordered-append.Q1 sends nothing new after a loss of the connection while something sent before is open', async () => {
    const owner = ownerOf();
    await owner.start();
    let open = (): void => {};
    bus.gate = new Promise((resolve) => {
      open = resolve;
    });
    void owner.handle(decodedMessage(1));
    bus.connect(false);
    bus.connect(true);
    void owner.handle(decodedMessage(2));
    expect(bus.attempts).toEqual(['sat1-1']);
    let losses = 1;
    bus.fate = () => (losses-- > 0 ? 'before' : undefined);
    bus.gate = undefined;
    open();
    await until(() => {
      clock.advance(1_000);
      return published().length === 2;
    });
    expect(bus.attempts).toEqual(['sat1-1', 'sat1-1', 'sat1-2']);
    expect(sources()).toEqual([1, 2]);
    await owner.stop();
  });

  it('bounds what is under way: it asks to wait when the window is full', async () => {
    const owner = ownerOf();
    await owner.start();
    bus.connect(false);
    for (let seq = 1; seq < VALUE_APPENDS; seq += 1)
      expect(owner.handle(decodedMessage(seq))).toBeUndefined();
    let room = false;
    const waiting = Promise.resolve(owner.handle(decodedMessage(VALUE_APPENDS))).then(() => {
      room = true;
    });
    await Promise.resolve();
    expect(room).toBe(false);
    bus.connect(true);
    await until(() => {
      clock.advance(1_000);
      return room;
    });
    await waiting;
    expect(sources()[0]).toBe(1);
    await owner.stop();
  });

  it('leaves out an append that can never succeed and goes on', async () => {
    const owner = ownerOf();
    await owner.start();
    bus.fate = (id) => (id === 'sat1-1' ? 'defect' : undefined);
    owner.handle(decodedMessage(1));
    owner.handle(decodedMessage(2));
    await stored(1);
    expect(sources()).toEqual([2]);
    expect(log.said.map(({ message }) => message)).toEqual(['append refused, left out']);
    await owner.stop();
  });

  it('telemetry-owner.O4 leaves out a message that is no batch, or does not fit its catalogue, and goes on', async () => {
    const owner = ownerOf();
    await owner.start();
    owner.handle({ ...decodedMessage(1), data: new Uint8Array([0xc1, 1, 2]) });
    const short = { ...blockOf(platform, [{ ground: 1, raw: { 'eps.vbat': 1 } }]), raw: new Float64Array(0) };
    owner.handle(decodedMessage(2, { blocks: [short] }));
    const foreign = {
      ...blockOf(platform, [{ ground: 1, raw: { 'eps.vbat': 1 } }]),
      ordinals: new Uint32Array([99]),
    };
    owner.handle(decodedMessage(3, { blocks: [foreign] }));
    owner.handle(decodedMessage(4));
    await stored(1);
    expect(sources()).toEqual([4]);
    expect(owner.counts).toEqual({ published: 1, skipped: 3 });
    await owner.stop();
  });
});

describe('the checkpoint of a target', () => {
  it('is written at most once a second, with the positions it covers, and at the end', async () => {
    const owner = ownerOf();
    await owner.start();
    const bucket = bus.bucket(buckets.values);
    const times: number[] = [];
    bucket.written = () => times.push(clock.now());
    owner.handle(decodedMessage(1));
    await stored(1);
    clock.advance(0);
    await until(() => bucket.writes === 1);
    for (let seq = 2; seq <= 5; seq += 1) owner.handle(decodedMessage(seq));
    await stored(5);
    await until(() => {
      clock.advance(10);
      return bucket.writes === 2;
    });
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(VALUES_CHECKPOINT_MS);
    expect(times[1]! - times[0]!).toBeLessThan(10 * VALUES_CHECKPOINT_MS);
    expect((await checkpoint())!.positions).toEqual({ decoded: 5, values: 5 });
    owner.handle(decodedMessage(6));
    await stored(6);
    await owner.stop();
    expect((await checkpoint())!.positions).toEqual({ decoded: 6, values: 6 });
    expect(bucket.writes).toBe(3);
  });

  it('telemetry-owner.O2 covers nothing that is still on its way', async () => {
    const owner = ownerOf();
    await owner.start();
    owner.handle(decodedMessage(1));
    await stored(1);
    bus.connect(false);
    void owner.handle(decodedMessage(2));
    bus.connect(true);
    bus.fate = () => 'before';
    await owner.stop();
    const columns = (await checkpoint())!;
    expect(columns.positions.decoded).toBe(1);
    expect(columns.columns.value[platform.ordinal('obc.counter')!]).toBe(1);
  });

  it('telemetry-owner.O1 lets the next owner go on behind it without publishing anything twice', async () => {
    const first = ownerOf();
    await first.start();
    for (let seq = 1; seq <= 3; seq += 1) first.handle(decodedMessage(seq));
    await stored(3);
    clock.advance(0);
    await until(() => bus.bucket(buckets.values).writes === 1);
    for (let seq = 4; seq <= 5; seq += 1) first.handle(decodedMessage(seq));
    await stored(5);
    // The first owner dies here, its last checkpoint covering less than it published, and ids are forgotten.
    for (const message of published()) delete (message.headers as Record<string, string>)['id'];

    const second = ownerOf({ epoch: 2 });
    const from = await second.start();
    const covered = (await checkpoint())!.positions.decoded;
    expect(from).toEqual({ from: 'seq', seq: covered + 1 });
    for (let seq = covered + 1; seq <= 7; seq += 1) void second.handle(decodedMessage(seq));
    await stored(7);
    expect(sources()).toEqual([1, 2, 3, 4, 5, 6, 7]);
    await second.stop();
    expect((await checkpoint())!.positions).toEqual({ decoded: 7, values: 7 });
    expect((await checkpoint())!.epoch).toBe(2);
  });

  it('telemetry-owner.O1 publishes again under the same ids while they are remembered, and so fills a gap', async () => {
    bus.now = () => clock.now();
    const first = ownerOf();
    await first.start();
    bus.fate = (id) => (id === 'sat1-2' ? 'defect' : undefined);
    for (let seq = 1; seq <= 3; seq += 1) first.handle(decodedMessage(seq));
    await stored(2);
    bus.fate = () => undefined;
    const second = ownerOf({ epoch: 2 });
    await second.start();
    for (let seq = 1; seq <= 3; seq += 1) second.handle(decodedMessage(seq));
    await stored(3);
    expect(sources()).toEqual([1, 3, 2]);
    await second.stop();
    expect((await checkpoint())!.positions.decoded).toBe(3);
  });

  it('telemetry-owner.O1 covers what an earlier owner published, once it has been read again', async () => {
    const first = ownerOf();
    await first.start();
    first.handle(decodedMessage(1));
    first.handle(decodedMessage(2));
    await stored(2);
    const second = ownerOf({ epoch: 2 });
    expect(await second.start()).toEqual({ from: 'start' });
    second.handle(decodedMessage(1));
    second.handle(decodedMessage(2));
    await second.stop();
    expect((await checkpoint())!.positions).toEqual({ decoded: 2, values: 2 });
    expect(published()).toHaveLength(2);
  });

  it('checkpoint-writer.W1 ends an owner whose target a later one has', async () => {
    let lost = 0;
    const first = ownerOf({ lost: () => (lost += 1) });
    await first.start();
    const second = ownerOf({ epoch: 2 });
    await second.start();
    second.handle(decodedMessage(1));
    await stored(1);
    await second.stop();
    first.handle(decodedMessage(2));
    await stored(2);
    clock.advance(0);
    await until(() => lost === 1);
    first.handle(decodedMessage(3));
    await first.stop();
    expect(sources()).toEqual([1, 2]);
    expect((await checkpoint())!.epoch).toBe(2);
  });

  it('checkpoint-writer.W1 knows its own write again when only the answer was lost, and writes on', async () => {
    const owner = ownerOf({ lost: () => expect.unreachable('not lost') });
    await owner.start();
    bus.bucket(buckets.values).loseAnswer = true;
    owner.handle(decodedMessage(1));
    await stored(1);
    clock.advance(0);
    await until(() => bus.bucket(buckets.values).writes === 1);
    owner.handle(decodedMessage(2));
    await stored(2);
    await until(async () => {
      clock.advance(VALUES_CHECKPOINT_MS);
      return (await checkpoint())!.positions.decoded === 2;
    });
    await owner.stop();
  });

  it('checkpoint.P1 of another version, or broken, is none: the stream is read from its start', async () => {
    const bucket = bus.bucket(buckets.values);
    await bucket.overwrite('sat1', new Uint8Array([1, 2, 3]));
    const owner = ownerOf();
    expect(await owner.start()).toEqual({ from: 'start' });
    owner.handle(decodedMessage(1));
    await stored(1);
    await owner.stop();
    expect((await checkpoint())!.positions.decoded).toBe(1);
    const columns = (await checkpoint())!.columns;
    const other = await encodeCheckpoint({
      version: 2,
      epoch: 1,
      positions: { decoded: 1, values: 1 },
      columns,
    } as never);
    expect(await decodeCheckpoint(other)).toBeUndefined();
  });
});

describe('a batch of another catalogue', () => {
  const later = platformOf({ 'aaa.first': { type: 'u8' }, 'obc.counter': { type: 'u32' } });
  const ordinals = (index: number) => [
    ...decodeBatch<ValueBatch>(published()[index]!.data).blocks[0]!.ordinals,
  ];

  it('telemetry-owner.O3 of an earlier mission is mapped by keys', async () => {
    const owner = ownerOf();
    await owner.start();
    missions.publish(missionOf('r2', { sat1: later }));
    void owner.handle(decodedMessage(1));
    await stored(1);
    expect(ordinals(0)).toEqual([later.ordinal('obc.counter')]);
    await owner.stop();
  });

  it('telemetry-owner.O3 of a mission that arrives a moment later waits for it', async () => {
    const owner = ownerOf();
    await owner.start();
    const handled = owner.handle(decodedMessage(1, { of: later }));
    missions.publish(missionOf('r2', { sat1: later }));
    await handled;
    await stored(1);
    expect(ordinals(0)).toEqual([later.ordinal('obc.counter')]);
    expect(owner.counts.skipped).toBe(0);
    await owner.stop();
  });

  it('telemetry-owner.O3 of a revision that only the bus knows is looked up by the revision it names', async () => {
    missions.archive.push(missionOf('r0', { sat1: later }));
    const owner = ownerOf();
    await owner.start();
    const message = decodedMessage(1, { of: later });
    await owner.handle({ ...message, headers: { 'Mcs-Config': 'r0' } });
    await stored(1);
    expect(ordinals(0)).toEqual([platform.ordinal('obc.counter')]);
    await owner.stop();
  });

  it('telemetry-owner.O3 that is not known is left out, but not its reports, and is waited for only once', async () => {
    const owner = ownerOf();
    await owner.start();
    const report = { reference: '18ab0001', stage: 'completion', ok: true, at: 1 } as const;
    const handled = owner.handle(decodedMessage(1, { of: later, reports: [report] }));
    clock.advance(CATALOGUE_WAIT_MS);
    await handled;
    await owner.handle(decodedMessage(2, { of: later }));
    await stored(1);
    expect(decodeBatch<ValueBatch>(published()[0]!.data)).toMatchObject({ blocks: [], reports: [report] });
    expect(owner.counts.skipped).toBe(2);
    expect(log.said.map(({ message }) => message)).toEqual(['samples of an unknown catalogue, left out']);
    await owner.stop();
  });

  it('keeps the current values of before through a change of the catalogue', async () => {
    const owner = ownerOf();
    await owner.start();
    owner.handle(decodedMessage(1));
    await stored(1);
    missions.publish(missionOf('r2', { sat1: later }));
    await owner.stop();
    const { columns } = (await checkpoint())!;
    expect(columns.platform).toBe(later.digest);
    expect(columns.value[later.ordinal('obc.counter')!]).toBe(1);
  });

  it('keeps the values that were on their way when the catalogue changed', async () => {
    const owner = ownerOf();
    await owner.start();
    let open = (): void => {};
    bus.gate = new Promise((resolve) => {
      open = resolve;
    });
    owner.handle(decodedMessage(1));
    missions.publish(missionOf('r2', { sat1: later }));
    open();
    await stored(1);
    await owner.stop();
    expect((await checkpoint())!.columns.value[later.ordinal('obc.counter')!]).toBe(1);
  });
});
