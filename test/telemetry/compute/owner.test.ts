/**
 * The owner of a target whose catalogue derives measures: what it publishes, when, and what the next owner publishes.
 */

import { beforeEach, describe, expect, it } from 'vitest';
import { decodeBatch, encodeBatch, type ValueBatch } from '../../../contract/batch.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { Outage } from '../../../contract/outage.ts';
import type { Clock } from '../../../ports/clock.ts';
import { HeapClock } from '../../../supervision/clock.ts';
import { decodeCheckpoint } from '../../../telemetry/checkpoint.ts';
import { CurrentValues } from '../../../telemetry/current-values.ts';
import { createTelemetryOwner, type TelemetryOwner } from '../../../telemetry/telemetry-owner.ts';
import { keptLog } from '../../support/silent-log.ts';
import { until } from '../../support/until.ts';
import { FakeBus } from '../fake-bus.ts';
import { Missions, missionOf } from '../platform.ts';
import { batchOf, platformWith, type Row, samplesOf } from './derived-mission.ts';

const BEGIN = Date.parse('2026-03-01T12:00:00Z');
const platform = platformWith();
const later = platformWith({
  aaa: { type: 'f64', unit: 'V', derived: 'voltage * 2' },
  mean: { type: 'f64', unit: 'V', derived: 'avg(voltage, 10 s)' },
});

/** A clock that can die with its process. */
class MortalClock implements Clock {
  alive = true;
  readonly #clock: HeapClock;

  constructor(clock: HeapClock) {
    this.#clock = clock;
  }

  now = (): number => this.#clock.now();
  monotonic = (): number => this.#clock.monotonic();
  setTimeout: Clock['setTimeout'] = (fire, ms) => this.#clock.setTimeout(() => this.alive && fire(), ms);
  clearTimeout: Clock['clearTimeout'] = (timer) => this.#clock.clearTimeout(timer);
}

class World {
  readonly bus = new FakeBus();
  readonly clock = new HeapClock(BEGIN);
  readonly missions = new Missions(missionOf('r1', { sat1: platform }));
  readonly decoded: { at: number; data: Uint8Array }[] = [];
  owner!: TelemetryOwner;
  #owners: MortalClock[] = [];

  constructor() {
    this.bus.now = () => this.clock.now();
  }

  /** A new owner that has been handed everything decoded. */
  async own(): Promise<void> {
    const clock = new MortalClock(this.clock);
    this.#owners.push(clock);
    const { bus, missions } = this;
    const epoch = this.#owners.length;
    this.owner = createTelemetryOwner({ bus, missions, target: 'sat1', epoch, log: keptLog(), clock });
    const from = await this.owner.start();
    const first = from.from === 'seq' ? from.seq : 1;
    for (let seq = first; seq <= this.decoded.length; seq += 1) this.hand(seq);
    this.owner.caughtUp();
    await settled();
  }

  kill(): void {
    this.#owners.at(-1)!.alive = false;
  }

  /** A row that arrives at its ground time, or so much later; the owner gets it if there is one. */
  async row(row: Row, owned = true, lateMs = 0): Promise<void> {
    await this.passTo(BEGIN + row.at + lateMs);
    const of = this.missions.current!.targets.get('sat1')!.platform!;
    const { platform: digest, blocks } = batchOf(of, [{ ...row, at: BEGIN + row.at }]);
    const data = encodeBatch({ platform: digest, link: 'uhf', blocks, reports: [] });
    this.decoded.push({ at: this.clock.now(), data });
    if (owned) this.hand(this.decoded.length);
    await settled();
  }

  async passTo(at: number): Promise<void> {
    for (let next = this.clock.next(); next !== undefined && next <= at; next = this.clock.next()) {
      this.clock.step();
      await settled();
    }
    this.clock.advanceTo(at);
  }

  hand(seq: number, pending = this.decoded.length - seq): void {
    const { at, data } = this.decoded[seq - 1]!;
    void this.owner.handle({ subject: subject.decoded('sat1'), data, headers: {}, seq, at, pending });
  }

  get published() {
    return this.bus.messages(streams.values);
  }

  /** What is on the value stream: each message by its id, with the samples derived. */
  told(): string[] {
    return this.published.map(({ headers, data }) => {
      const batch = decodeBatch<ValueBatch>(data);
      const of = batch.platform === platform.digest ? platform : later;
      return `${headers['id']}: ${samplesOf(of, batch).join(', ')}`.replaceAll(/@(\d+)/g, (_, at) => {
        return `@${Number(at) - BEGIN}`;
      });
    });
  }
}

/** Everything under way that needs no time has come to its end. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

let world: World;
beforeEach(() => {
  world = new World();
});

const turned = () => world.published.filter(({ headers }) => headers['Mcs-Turned'] !== undefined);

describe('an owner that derives', () => {
  it('publishes derived samples in the batch of what they are derived from, and keeps them as current values', async () => {
    await world.own();
    await world.row({ at: 1_000, values: { voltage: 8, current: 2 } });
    expect(world.told()[0]).toContain('sat1-1: ');
    expect(world.told()[0]).toContain('power 16 @1000');
    await world.owner.stop();
    const entry = world.bus.bucket(buckets.values).entries.get('sat1')!;
    const { columns } = (await decodeCheckpoint(entry.value))!;
    expect(columns.value[platform.ordinal('bus[1].power')!]).toBe(16);
  });

  it('telemetry-owner.O5 MC-VAL-004 publishes what time alone changes at its moment, once, behind what it follows', async () => {
    await world.own();
    await world.row({ at: 1_000, values: { voltage: 5 } });
    await world.passTo(BEGIN + 5_999);
    expect(turned()).toEqual([]);
    await world.passTo(BEGIN + 60_000);
    expect(world.told().slice(1)).toEqual([
      `sat1-1-${BEGIN + 6_000}: low 1 @1000, steady null @1000`,
      `sat1-1-${BEGIN + 11_000}: mean null @1000`,
      `sat1-1-${BEGIN + 12_000}: heard 0 @1000`,
    ]);
    expect(turned()[0]!.headers).toMatchObject({ 'Mcs-Source': '1', 'Mcs-Delivery': 'realtime' });
    await world.owner.stop();
  });

  it('telemetry-owner.O2 the checkpoint covers what time changed, and the position it follows', async () => {
    await world.own();
    await world.row({ at: 1_000, values: { voltage: 5 } });
    await world.passTo(BEGIN + 30_000);
    await world.owner.stop();
    const entry = world.bus.bucket(buckets.values).entries.get('sat1')!;
    const { columns, positions } = (await decodeCheckpoint(entry.value))!;
    expect(positions).toEqual({ decoded: 1, values: 4 });
    expect(columns.value[platform.ordinal('bus[1].mean')!]).toBeNaN();
    expect(columns.value[platform.ordinal('bus[1].low')!]).toBe(1);
  });

  it('telemetry-owner.O5 the clock counts only once everything decoded has been handed over', async () => {
    await world.row({ at: 1_000, values: { voltage: 5 } }, false);
    await world.row({ at: 3_000, values: { voltage: 8 } }, false);
    await world.passTo(BEGIN + 9_000);
    const { bus, missions, clock } = world;
    const owner = createTelemetryOwner({ bus, missions, target: 'sat1', epoch: 1, log: keptLog(), clock });
    world.owner = owner;
    await owner.start();
    world.hand(1, 1);
    await settled();
    clock.advance(0);
    await settled();
    expect(turned()).toEqual([]);
    world.hand(2, 0);
    await settled();
    await world.passTo(BEGIN + 9_001);
    expect(world.told().filter((each) => each.includes('low 1'))).toEqual([]);
    await owner.stop();
  });

  it('telemetry-owner.O5 what came due before the samples of a message is published before them, at its moment', async () => {
    await world.row({ at: 1_000, values: { voltage: 5 } }, false);
    await world.row({ at: 30_000, values: { voltage: 5 } }, false);
    await world.own();
    const ids = world.published.map(({ headers }) => headers['id']);
    const due = [6_000, 11_000, 12_000].map((at) => `sat1-1-${BEGIN + at}`);
    expect(ids).toEqual(['sat1-1', ...due, 'sat1-2']);
    await world.owner.stop();
  });

  it('telemetry-owner.O5 an owner that slept reports no old news behind those of another', async () => {
    await world.own();
    await world.row({ at: 1_000, values: { voltage: 5 } });
    const data = encodeBatch(batchOf(platform, [{ at: BEGIN + 2_000, values: { voltage: 8 } }]));
    await world.bus.append(streams.values, subject.values('sat1'), data, { id: 'sat1-2' });
    await world.passTo(BEGIN + 60_000);
    expect(turned()).toEqual([]);
    await world.owner.stop();
  });

  it('does nothing by the clock once stopped', async () => {
    await world.own();
    await world.row({ at: 1_000, values: { voltage: 5 } });
    await world.owner.stop();
    await world.passTo(BEGIN + 60_000);
    expect(turned()).toEqual([]);
  });

  it('goes on over a change of the catalogue with the windows it had', async () => {
    await world.own();
    await world.row({ at: 1_000, values: { voltage: 5 } });
    world.missions.publish(missionOf('r2', { sat1: later }));
    await world.row({ at: 2_000, values: { voltage: 8 } });
    expect(world.told()[1]).toBe('sat1-2: aaa 16 @2000, mean 6.5 @2000');
    await world.owner.stop();
  });
});

describe('ground-time.G1 a ground time far ahead', () => {
  const YEARS = Date.parse('2099-01-01T00:00:00Z') - BEGIN;

  async function wrong(row: Row): Promise<void> {
    const { platform: digest, blocks } = batchOf(platform, [{ ...row, at: BEGIN + row.at }]);
    const data = encodeBatch({ platform: digest, link: 'uhf', blocks, reports: [] });
    world.decoded.push({ at: world.clock.now(), data });
    world.hand(world.decoded.length);
    await settled();
  }

  it('holds back no later sample: it is dated by its storing, and what is derived goes on', async () => {
    await world.own();
    await world.row({ at: 1_000, values: { voltage: 5, current: 2 } });
    await world.passTo(BEGIN + 2_000);
    await wrong({ at: YEARS, values: { voltage: 8, current: 3 } });
    await world.row({ at: 3_000, values: { voltage: 5, current: 4 } });
    expect(world.told()).toEqual([
      'sat1-1: heard 1 @1000, low 0 @1000, mean 5 @1000, power 10 @1000, steady 5 @1000',
      'sat1-2: heard 2 @2000, low 0 @2000, mean 6.5 @2000, power 24 @2000, steady 6.5 @2000',
      'sat1-3: heard 3 @3000, low 0 @3000, mean 6 @3000, power 20 @3000, steady 6.5 @3000',
    ]);
    await world.passTo(BEGIN + 8_000);
    expect(world.told().at(-1)).toContain('low 1 @3000');
    await world.owner.stop();
  });

  it('the next owner, which reads it back, does as the one before', async () => {
    await world.own();
    await wrong({ at: YEARS, values: { voltage: 5 } });
    await world.row({ at: 1_000, values: { voltage: 5 } });
    world.kill();
    await world.own();
    await world.row({ at: 2_000, values: { voltage: 8 } });
    expect(world.told().at(-1)).toContain('mean 6 @2000');
    await world.owner.stop();
  });

  it('a clock on board that is ahead moves nothing: derived measures go by the ground', async () => {
    await world.own();
    await world.row({ at: 1_000, onboard: BEGIN + YEARS, values: { voltage: 5 } });
    await world.row({ at: 2_000, onboard: BEGIN + 2_000, values: { voltage: 8 } });
    expect(world.told().at(-1)).toContain('mean 6.5 @2000');
    await world.owner.stop();
  });
});

describe('telemetry-owner.O6 a new catalogue', () => {
  const windows = (derived: object) => platformWith({ ...derived });
  const mean = { type: 'f64', unit: 'V', derived: 'avg(voltage, 10 s)' };
  const low = { type: 'bool', derived: 'voltage < 6 V and stable for 5 s' };
  const seen = (of: ReturnType<typeof platformWith>): string[] =>
    world.published.map(({ headers, data }) => {
      const batch = decodeBatch<ValueBatch>(data);
      const samples = batch.platform === of.digest ? samplesOf(of, batch) : [];
      return `${headers['id']}: ${samples.join(', ')}`.replaceAll(/(@|-)(\d{9,})/g, (_, sign, at) => {
        return `${sign}${Number(at) - BEGIN}`;
      });
    });

  it('fills the windows of a new measure from what is stored, and reports what it is at once', async () => {
    world.missions.publish(missionOf('r1', { sat1: windows({ low }) }));
    const next = windows({ low, mean, heard: { type: 'u16', derived: 'count(voltage, 10 s)' } });
    await world.own();
    await world.row({ at: 1_000, values: { voltage: 7 } });
    await world.row({ at: 2_000, values: { voltage: 8 } });
    world.missions.publish(missionOf('r2', { sat1: next }));
    await world.row({ at: 4_000, values: { voltage: 9 } });
    expect(seen(next).slice(2)).toEqual([
      'sat1-2-2000: heard 2 @2000, mean 7.5 @2000',
      'sat1-3: heard 3 @4000, low 0 @4000, mean 8 @4000',
    ]);
    await world.owner.stop();
  });

  it('keeps the holds that go on, and takes up what was decoded meanwhile behind the filling, in order', async () => {
    world.missions.publish(missionOf('r1', { sat1: windows({ low }) }));
    const next = windows({ low, heard: { type: 'u16', derived: 'count(voltage, 10 s)' } });
    await world.own();
    await world.row({ at: 1_000, values: { voltage: 5 } });
    await world.passTo(BEGIN + 3_000);
    world.missions.publish(missionOf('r2', { sat1: next }));
    for (const voltage of [5.1, 5.2, 5.3]) {
      const batch = batchOf(next, [{ at: BEGIN + 3_000, values: { voltage } }]);
      const { platform: digest, blocks } = batch;
      const data = encodeBatch({ platform: digest, link: 'uhf', blocks, reports: [] });
      world.decoded.push({ at: world.clock.now(), data });
      world.hand(world.decoded.length);
    }
    await settled();
    await world.passTo(BEGIN + 6_500);
    expect(seen(next).slice(1)).toEqual([
      'sat1-1-1000: heard 1 @1000',
      'sat1-2: heard 2 @3000, low 0 @3000',
      'sat1-3: heard 3 @3000, low 0 @3000',
      'sat1-4: heard 4 @3000, low 0 @3000',
      'sat1-4-6000: low 1 @3000',
    ]);
    await world.owner.stop();
  });

  it('is filled behind what is still on its way to the stream', async () => {
    world.missions.publish(missionOf('r1', { sat1: windows({ low }) }));
    const before = world.missions.current!.targets.get('sat1')!.platform!;
    const next = windows({ low, mean });
    await world.own();
    await world.row({ at: 1_000, values: { voltage: 7 } });
    const { platform: digest, blocks } = batchOf(before, [{ at: BEGIN + 1_000, values: { voltage: 20 } }]);
    const data = encodeBatch({ platform: digest, link: 'uhf', blocks, reports: [] });
    world.decoded.push({ at: world.clock.now(), data });
    const append = world.bus.append.bind(world.bus);
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    world.bus.append = (...given) => held.then(() => append(...given));
    world.hand(world.decoded.length);
    world.missions.publish(missionOf('r2', { sat1: next }));
    await settled();
    goOn();
    await settled();
    await world.row({ at: 2_000, values: { voltage: 9 } });
    expect(seen(next).at(-1)).toContain('mean 12 @2000');
    await world.owner.stop();
  });

  it('is filled also when another one comes while the first is being taken up', async () => {
    world.missions.publish(missionOf('r1', { sat1: windows({ low }) }));
    const next = windows({ low, mean });
    await world.own();
    await world.row({ at: 1_000, values: { voltage: 7 } });
    world.missions.publish(missionOf('r2', { sat1: next }));
    const last = windows({ mean, low, surplus: { type: 'f64', unit: 'V', derived: 'voltage - 1 V' } });
    world.missions.publish(missionOf('r3', { sat1: last }));
    await world.row({ at: 3_000, values: { voltage: 9 } });
    expect(seen(last).at(-1)).toContain('mean 8 @3000');
    await world.owner.stop();
  });

  it('goes on without the windows when they cannot be read', async () => {
    world.missions.publish(missionOf('r1', { sat1: windows({ low }) }));
    const next = windows({ low, mean });
    await world.own();
    await world.row({ at: 1_000, values: { voltage: 7 } });
    world.bus.last = async () => {
      throw new Outage('bus.unavailable', 'away');
    };
    world.missions.publish(missionOf('r2', { sat1: next }));
    await world.row({ at: 3_000, values: { voltage: 9 } });
    expect(seen(next).at(-1)).toContain('mean ');
    await world.owner.stop();
  });
});

describe('the next owner', () => {
  const voltages = [5, 5, 5, 8, 8, 5, 5, 5, 5, 7, 7, 5];
  const pauses = [700, 1_300, 900, 2_100, 14_000, 800, 3_300, 6_400, 400, 11_500, 1_000, 25_000];
  const rows: Row[] = [];
  for (let n = 0, at = 1_000; n < 24; n += 1) {
    rows.push({ at, values: { voltage: voltages[n % 12]! + n / 100, ...(n % 3 === 0 && { current: n }) } });
    at += pauses[(n * 5) % 12]!;
  }
  const end = BEGIN + rows.at(-1)!.at + 60_000;

  async function uninterrupted(): Promise<string[]> {
    const alone = new World();
    await alone.own();
    for (const row of rows) await alone.row(row);
    await alone.passTo(end);
    return alone.told();
  }

  it.each([
    [0, 0],
    [0, 400],
    [0, 20_000],
    [7_000, 0],
    [7_000, 5_000],
    [11_500, 12_000],
  ])(
    'publishes what the one before would have: killed %d ms behind any sample, %d ms away',
    async (afterMs, awayMs) => {
      const expected = await uninterrupted();
      expect(expected.filter((each) => /^sat1-\d+-/.test(each)).length).toBeGreaterThan(12);
      for (const { at: sampled } of rows) {
        const world = new World();
        const dies = sampled + afterMs;
        const back = dies + awayMs;
        await world.own();
        for (const row of rows.filter(({ at }) => at <= dies)) await world.row(row);
        await world.passTo(BEGIN + dies);
        world.kill();
        for (const row of rows.filter(({ at }) => at > dies && at <= back)) await world.row(row, false);
        await world.passTo(BEGIN + back);
        await world.own();
        for (const row of rows.filter(({ at }) => at > back)) await world.row(row);
        await world.passTo(end);
        expect(world.told(), `killed at ${dies}`).toEqual(expected);
      }
    },
    60_000,
  );

  it('telemetry-owner.O1 publishes nothing twice that time changed, long after ids are forgotten', async () => {
    await world.own();
    await world.row({ at: 1_000, values: { voltage: 5 } });
    await world.passTo(BEGIN + 1_500);
    const { entries } = world.bus.bucket(buckets.values);
    const behind = entries.get('sat1')!;
    await world.passTo(BEGIN + 6_000);
    world.kill();
    // It died before the checkpoint covered what it published last.
    entries.set('sat1', behind);
    await world.passTo(BEGIN + 30 * 60_000);
    for (const message of world.published) delete (message.headers as Record<string, string>)['id'];
    expect(world.published).toHaveLength(2);
    await world.own();
    await until(async () => {
      await world.passTo(world.clock.now() + 1_000);
      return world.published.length === 4;
    });
    await world.passTo(world.clock.now() + 60_000);
    expect(world.told().slice(2)).toEqual([
      `sat1-1-${BEGIN + 11_000}: mean null @1000`,
      `sat1-1-${BEGIN + 12_000}: heard 0 @1000`,
    ]);
    await world.owner.stop();
  });

  /** Some are received late, behind moments that the clock has reported. */
  const lateMs = [0, 0, 6_500, 0, 0, 13_000, 300, 0];
  const arrivals = rows
    .map((row, n) => ({ row, late: lateMs[n % 8]! }))
    .sort((one, other) => one.row.at + one.late - other.row.at - other.late);

  it.each([
    [0, 0],
    [300, 4_000],
    [7_000, 5_000],
    [11_500, 20_000],
  ])(
    'published-tail.U1 reports no moment again and makes no batch again, whatever came late: killed %d ms behind any sample, %d ms away',
    async (afterMs, awayMs) => {
      for (const { row, late } of arrivals) {
        const world = new World();
        const dies = row.at + late + afterMs;
        const back = dies + awayMs;
        await world.own();
        for (const each of arrivals.filter((one) => one.row.at + one.late <= dies))
          await world.row(each.row, true, each.late);
        await world.passTo(BEGIN + dies);
        world.kill();
        for (const each of arrivals.filter(({ row: { at }, late: by }) => at + by > dies && at + by <= back))
          await world.row(each.row, false, each.late);
        await world.passTo(BEGIN + back);
        await world.own();
        for (const each of arrivals.filter((one) => one.row.at + one.late > back))
          await world.row(each.row, true, each.late);
        await world.passTo(end);
        await world.owner.stop();
        expectRising(world, `killed at ${dies}`);
        await expectCovered(world, `killed at ${dies}`);
      }
    },
    60_000,
  );

  it('published-tail.U1 takes what was published after the checkpoint as it stands, also where a sample came late behind it', async () => {
    await world.own();
    await world.row({ at: 1_000, values: { voltage: 5 } });
    const { entries } = world.bus.bucket(buckets.values);
    await world.passTo(BEGIN + 2_500);
    const behind = entries.get('sat1')!;
    await world.passTo(BEGIN + 12_500);
    await world.row({ at: 9_000, values: { voltage: 7 } }, true, 4_000);
    world.kill();
    const before = world.told();
    expect(before).toHaveLength(5);
    entries.set('sat1', behind);
    await world.passTo(BEGIN + 17_000);
    await world.own();
    await world.owner.stop();
    expect(world.told()).toEqual(before);
    await expectCovered(world, 'at the end');
  });
});

/** Sources never fall, moments only rise, and of each there is one message. */
function expectRising({ published }: World, when: string): void {
  const sources = published.map(({ headers }) => Number(headers['Mcs-Source']));
  expect(sources, when).toEqual([...sources].sort((one, other) => one - other));
  const made = published.filter(({ headers }) => headers['Mcs-Turned'] === undefined);
  expect(new Set(made.map(({ headers }) => headers['Mcs-Source'])).size, when).toBe(made.length);
  const moments = published
    .filter(({ headers }) => headers['Mcs-Turned'] !== undefined)
    .map(({ headers }) => Number(headers['Mcs-Turned']));
  expect(moments, when).toEqual([...new Set(moments)].sort((one, other) => one - other));
}

/** The last checkpoint holds what the value stream says, sample by sample. */
async function expectCovered({ bus, published }: World, when: string): Promise<void> {
  const { columns, positions } = (await decodeCheckpoint(
    bus.bucket(buckets.values).entries.get('sat1')!.value,
  ))!;
  expect(positions.values, when).toBe(published.length);
  const shown = new CurrentValues(platform);
  for (const { data } of published) shown.apply(decodeBatch<ValueBatch>(data));
  const { value, time, ground } = shown.snapshot();
  expect([columns.value, columns.time, columns.ground], when).toEqual([value, time, ground]);
}
