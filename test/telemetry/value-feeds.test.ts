import { beforeEach, describe, expect, it } from 'vitest';
import { encodeBatch, type ValueBatch } from '../../contract/batch.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { BUS_RETRY_MS } from '../../contract/limits/bus.ts';
import type { Platform } from '../../mission/platform.ts';
import { HeapClock } from '../../supervision/clock.ts';
import { encodeCheckpoint } from '../../telemetry/checkpoint.ts';
import { CurrentValues } from '../../telemetry/current-values.ts';
import { type RunningValueFeeds, startValueFeeds } from '../../telemetry/value-feeds.ts';
import { type KeptLog, keptLog } from '../support/silent-log.ts';
import { until } from '../support/until.ts';
import { FakeBus } from './fake-bus.ts';
import { Missions, missionOf, platformOf, valuesOf } from './platform.ts';

const platform = platformOf({ 'obc.counter': { type: 'u32' }, 'obc.rate': { type: 'f32' } });
const counter = platform.ordinal('obc.counter')!;
const other = platformOf({ 'aaa.first': { type: 'u8' }, 'obc.counter': { type: 'u32' } });

let bus: FakeBus;
let clock: HeapClock;
let log: KeptLog;
let missions: Missions;

beforeEach(() => {
  bus = new FakeBus();
  clock = new HeapClock(Date.parse('2026-03-01T12:00:00Z'));
  log = keptLog();
  missions = new Missions(missionOf('r1', { sat1: platform, sat2: platform }));
});

function batchOf(value: number, of: Platform = platform, at = value): ValueBatch {
  return valuesOf(of, [{ ground: clock.now() + at, raw: { 'obc.counter': value } }]);
}

async function store(target: string, batch: ValueBatch, headers = {}): Promise<number> {
  const appended = await bus.append(streams.values, subject.values(target), encodeBatch(batch), { headers });
  return appended.outcome === 'stored' ? appended.seq : 0;
}

async function checkpoint(target: string, values: number, ...batches: ValueBatch[]): Promise<void> {
  const columns = new CurrentValues(platform);
  for (const batch of batches) columns.apply(batch);
  const positions = { decoded: values, values };
  const bytes = await encodeCheckpoint({ epoch: 1, positions, columns: columns.snapshot() });
  await bus.bucket(buckets.values).overwrite(target, bytes);
}

function feeds(): RunningValueFeeds {
  return startValueFeeds({ bus, missions, clock, log });
}

const counterOf = (running: RunningValueFeeds, target = 'sat1') => {
  const values = running.current(target);
  return values?.sample(values.platform.ordinal('obc.counter')!)?.value;
};

describe('the current values of a process', () => {
  it('MC-VAL-001 are known from the checkpoint and the stream behind it as soon as it is ready', async () => {
    const covered = await store('sat1', batchOf(1));
    await checkpoint('sat1', covered, batchOf(1));
    await store('sat1', valuesOf(platform, [{ ground: clock.now() + 2, raw: { 'obc.rate': 0.5 } }]));
    const running = feeds();
    await running.ready;
    expect(counterOf(running)).toBe(1);
    expect(running.current('sat1')!.sample(platform.ordinal('obc.rate')!)!.value).toBe(0.5);
    expect(bus.followed).toEqual([{ from: 'seq', seq: covered + 1 }]);
    await running.stop();
  });

  it('are up to date when everything stored before the question is known', async () => {
    const running = feeds();
    await running.ready;
    for (const value of [1, 2, 3]) {
      await store('sat2', batchOf(value));
      await store('sat1', batchOf(value));
      await running.upToDate('sat1');
      expect([counterOf(running), counterOf(running, 'sat2')]).toEqual([value, value]);
    }
    await running.stop();
  });

  it('are up to date at once where nothing was stored, or only what a checkpoint covers', async () => {
    const covered = await store('sat1', batchOf(1));
    await checkpoint('sat1', covered, batchOf(1));
    const running = feeds();
    await running.ready;
    await running.upToDate('sat1');
    await running.upToDate('sat2');
    expect(counterOf(running)).toBe(1);
    await running.stop();
  });

  it('are up to date only after a new mission has been read', async () => {
    const running = feeds();
    await running.ready;
    await store('sat1', batchOf(1));
    missions.publish(missionOf('r2', { sat1: other, sat2: platform }));
    await store('sat1', batchOf(2));
    await running.upToDate('sat1');
    expect(counterOf(running)).toBe(2);
    await running.stop();
  });

  it('come from the start of the stream where no checkpoint covers a target', async () => {
    await store('sat2', batchOf(5));
    await store('sat1', batchOf(1));
    await checkpoint('sat1', 2, batchOf(1));
    const running = feeds();
    await running.ready;
    expect(counterOf(running, 'sat2')).toBe(5);
    expect(counterOf(running)).toBe(1);
    await running.stop();
  });

  it.each([
    ['no positions', { positions: undefined }],
    ['columns that are missing', { columns: { keys: [], meanings: [] } }],
  ])(
    'checkpoint.P1 come from the stream where the checkpoint of one target has %s, and others from theirs',
    async (_what, parts) => {
      await store('sat1', batchOf(1));
      const covered = await store('sat2', batchOf(2));
      await checkpoint('sat2', covered, batchOf(2));
      const columns = new CurrentValues(platform).snapshot();
      const positions = { decoded: covered, values: covered };
      const broken = await encodeCheckpoint({ epoch: 1, positions, columns, ...parts } as never);
      await bus.bucket(buckets.values).overwrite('sat1', broken);
      const running = feeds();
      await running.ready;
      expect([counterOf(running), counterOf(running, 'sat2')]).toEqual([1, 2]);
      await running.stop();
    },
  );

  it('value-replay.Y1 are not read from far back for a target that has long been silent', async () => {
    await store('sat2', batchOf(1));
    await checkpoint('sat2', 1, batchOf(1));
    for (let value = 2; value <= 9; value += 1) await store('sat1', batchOf(value));
    await checkpoint('sat1', 8, batchOf(8));
    const running = feeds();
    await running.ready;
    expect(bus.followed).toEqual([{ from: 'seq', seq: 9 }]);
    expect(counterOf(running)).toBe(9);
    expect(counterOf(running, 'sat2')).toBe(1);
    await running.stop();
  });

  it('are followed from behind the checkpoints when they cover everything', async () => {
    await store('sat1', batchOf(1));
    await checkpoint('sat1', 1, batchOf(1));
    const running = feeds();
    await running.ready;
    expect(bus.followed).toEqual([{ from: 'seq', seq: 2 }]);
    await running.stop();
  });

  it('are those of targets with a catalogue only', async () => {
    const running = feeds();
    await running.ready;
    expect(running.current('sat1')).toBeDefined();
    expect(running.current('nobody')).toBeUndefined();
    await running.stop();
  });

  it('are loaded when the bus comes, if it is away at the start', async () => {
    await store('sat1', batchOf(1));
    bus.connect(false);
    const running = feeds();
    expect(counterOf(running)).toBeUndefined();
    bus.connect(true);
    await until(() => {
      clock.advance(BUS_RETRY_MS);
      return counterOf(running) === 1;
    });
    await running.ready;
    await running.stop();
  });

  it('go on past a message that is no batch or names no measure', async () => {
    const running = feeds();
    await running.ready;
    const reported: number[] = [];
    running.watch('sat1', (changed) => reported.push(...changed));
    await bus.append(streams.values, subject.values('sat1'), new Uint8Array([0xc1]));
    const [block] = batchOf(1).blocks;
    await store('sat1', { ...batchOf(1), blocks: [{ ...block!, ordinals: new Uint32Array([77]) }] });
    await store('sat1', batchOf(2));
    await until(() => counterOf(running) === 2);
    expect(reported).toEqual([counter]);
    await running.stop();
  });

  it('can be stopped while the bus is away', async () => {
    bus.connect(false);
    const running = feeds();
    await running.stop();
    await running.ready;
  });
});

describe('a watch', () => {
  it('is reported each change with the value of that moment, and of nothing after its end', async () => {
    const running = feeds();
    await running.ready;
    const announced: unknown[] = [];
    const end = running.watch('sat1', (changed, values) =>
      announced.push([...changed, values.sample(counter)!.value]),
    );
    await store(
      'sat1',
      valuesOf(
        platform,
        [1, 2].map((value) => ({ ground: value, raw: { 'obc.counter': value } })),
      ),
    );
    await store('sat2', batchOf(9));
    await until(() => announced.length === 2);
    end();
    await store('sat1', batchOf(3));
    await until(() => counterOf(running) === 3);
    expect(announced).toEqual([
      [counter, 1],
      [counter, 2],
    ]);
    await running.stop();
  });

  it('MC-VAL-016 is not reported of an older sample, nor of one it knows', async () => {
    await store('sat1', batchOf(5));
    const running = feeds();
    await running.ready;
    const emitted: unknown[] = [];
    running.watch('sat1', (_, values) => emitted.push(values.sample(counter)!.value));
    await store('sat1', batchOf(5));
    await store('sat1', batchOf(4));
    await store('sat1', batchOf(6));
    await until(() => emitted.length > 0);
    expect(emitted).toEqual([6]);
    await running.stop();
  });

  it('value-feeds.F3 that throws is dropped and leaves the others alone', async () => {
    const running = feeds();
    await running.ready;
    const output: unknown[] = [];
    let thrown = 0;
    running.watch('sat1', () => {
      thrown += 1;
      throw new Error('mine');
    });
    running.watch('sat1', (_, values) => output.push(values.sample(counter)!.value));
    await store('sat1', batchOf(1));
    await store('sat1', batchOf(2));
    await until(() => output.length === 2);
    expect(thrown).toBe(1);
    expect(log.said.map(({ message }) => message)).toEqual(['listener of values failed, dropped']);
    await running.stop();
  });
});

describe('a new mission', () => {
  it('keeps the values by key at once, under the ordinals of the new catalogue', async () => {
    await store('sat1', batchOf(1));
    const running = feeds();
    await running.ready;
    missions.publish(missionOf('r2', { sat1: other }));
    expect(running.current('sat1')!.platform).toBe(other);
    expect(counterOf(running)).toBe(1);
    expect(running.current('sat2')).toBeUndefined();
    await running.stop();
  });

  it('value-feeds.F2 fills in what came under the new catalogue before this process had it', async () => {
    const running = feeds();
    await running.ready;
    await store('sat1', valuesOf(other, [{ ground: 1, raw: { 'aaa.first': 7 } }]));
    await until(() => log.said.length === 1);
    missions.publish(missionOf('r2', { sat1: other }));
    await until(() => running.current('sat1')!.sample(other.ordinal('aaa.first')!)?.value === 7);
    await running.stop();
  });

  it('takes batches of the earlier catalogue up by key', async () => {
    const running = feeds();
    await running.ready;
    missions.publish(missionOf('r2', { sat1: other }));
    await store('sat1', batchOf(3));
    await until(() => counterOf(running) === 3);
    await running.stop();
  });

  it('brings a target that was not there before, with what is known of it', async () => {
    missions = new Missions(missionOf('r1', { sat1: platform }));
    await store('sat2', batchOf(4));
    const running = feeds();
    await running.ready;
    expect(running.current('sat2')).toBeUndefined();
    missions.publish(missionOf('r2', { sat1: platform, sat2: platform }));
    await until(() => counterOf(running, 'sat2') === 4);
    await running.stop();
  });

  it('that is the first one is waited for', async () => {
    missions = new Missions();
    await store('sat1', batchOf(4));
    const running = feeds();
    await running.ready;
    expect(bus.followed).toEqual([]);
    missions.publish(missionOf('r1', { sat1: platform }));
    await until(() => counterOf(running) === 4);
    await running.stop();
  });
});
