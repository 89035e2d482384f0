/**
 * Which samples are current: the marks of an owner against samples looked at one by one, and what a new owner makes of
 * them.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DecodedBatch, decodeBatch, encodeBatch, type ValueBatch } from '../../contract/batch.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { HeapClock } from '../../supervision/clock.ts';
import { CurrentValues } from '../../telemetry/current-values.ts';
import { mapBatch } from '../../telemetry/reading/measure-map.ts';
import { markBatch, SampleOrder } from '../../telemetry/sample-order.ts';
import { createTelemetryOwner } from '../../telemetry/telemetry-owner.ts';
import { keptLog } from '../support/silent-log.ts';
import { until } from '../support/until.ts';
import { FakeBus } from './fake-bus.ts';
import { blockOf, Missions, missionOf, platformOf, type RowSketch, valuesOf } from './platform.ts';

const KEYS = ['c.a', 'c.b', 'c.d'];
const platform = platformOf(Object.fromEntries(KEYS.map((key) => [key, { type: 'f64' }])));
const T0 = Date.UTC(2026, 2, 1, 12);
const MINUTE = 60_000;

const row = fc.record({
  ground: fc.oneof({ weight: 6, arbitrary: fc.integer({ min: -5, max: 20 }) }, fc.constantFrom(-700, 900)),
  onboard: fc.option(
    fc.oneof({ weight: 6, arbitrary: fc.integer({ min: -5, max: 20 }) }, fc.constantFrom(-900, 800)),
    { nil: undefined },
  ),
});
const block = fc.record({
  keys: fc.subarray(KEYS, { minLength: 1 }),
  rows: fc.array(row, { minLength: 1, maxLength: 4 }),
});
const message = fc.record({
  blocks: fc.array(block, { minLength: 1, maxLength: 3 }),
  deferred: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
});

describe('MC-VAL-016 MC-VAL-019 the order of samples', () => {
  it('marks what the values never show, whatever the blocks, and nothing else', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 12 }), (messages) => {
        const order = new SampleOrder(platform);
        const values = new CurrentValues(platform);
        let serial = 0;
        const next = (): number => {
          serial += 1;
          return serial;
        };
        for (const { blocks, deferred } of messages) {
          const sketched = blocks.map(({ keys, rows }) =>
            rows.map(({ ground, onboard }): RowSketch => {
              // A value of its own for each sample, so that what is shown says which it is.
              const raw = Object.fromEntries(keys.map((key) => [key, next()]));
              const at = onboard === undefined ? {} : { onboard: T0 + onboard * 1_000 };
              return { ground: T0 + ground * 1_000, ...at, raw };
            }),
          );
          const made = sketched.map((rows) => valuesOf(platform, rows, { deferred }));
          const batch = { ...made[0]!, blocks: made.flatMap((each) => each.blocks) };
          const shown = new Set<number>();
          const plain = new Set<number>();
          values.apply(batch, (changed) => {
            for (const ordinal of changed) shown.add(values.sample(ordinal)!.value as number);
          });
          for (const { value, superseded } of markBatch(order, batch).blocks)
            value.forEach((sample, index) => {
              if (superseded?.includes(index) !== true) plain.add(sample);
            });
          if (!deferred) expect(plain).toEqual(shown);
        }
        for (const { ordinal } of platform.measures) {
          const sample = values.sample(ordinal);
          if (sample === undefined) continue;
          expect([order.time[ordinal], order.ground[ordinal]]).toEqual([sample.timeMs, sample.groundMs]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('a dump from before the clock was set back hides nothing that is received after it', () => {
    const values = new CurrentValues(platform);
    const at = (ground: number, onboard: number, value: number, deferred = false): void =>
      void values.apply(
        valuesOf(platform, [{ ground: T0 + ground, onboard, raw: { 'c.a': value } }], { deferred }),
      );
    at(0, 5_000, 1);
    at(1_000, T0 - 30 * MINUTE, 2, true);
    expect(values.sample(0)?.value).toBe(2);
    at(2_000, 7_000, 3);
    expect(values.sample(0)?.value).toBe(3);
    // Read again, as after a takeover: the dump is older than what is known.
    at(1_000, T0 - 30 * MINUTE, 2, true);
    expect(values.sample(0)?.value).toBe(3);
  });

  it('a mark stays with its sample in the columns of another catalogue', () => {
    const other = platformOf(Object.fromEntries(['b.z', 'c.b', 'c.d'].map((key) => [key, { type: 'f64' }])));
    const batch = valuesOf(platform, [
      { ground: T0, raw: { 'c.a': 1, 'c.b': 2, 'c.d': 3 } },
      { ground: T0 + 1, raw: { 'c.a': 4, 'c.b': 5, 'c.d': 6 } },
    ]);
    const marked = { ...batch, blocks: [{ ...batch.blocks[0]!, superseded: Uint32Array.of(0, 2, 4) }] };
    const [mapped] = mapBatch(marked, platform, other).blocks;
    expect([...mapped!.superseded!].map((index) => mapped!.value[index])).toEqual([3, 5]);
  });
});

describe('MC-VAL-016 telemetry-owner.O7 an owner of a target', () => {
  const decoded = (seq: number, ground: number, onboard: number) => {
    const blocks = [blockOf(platform, [{ ground: T0 + ground, onboard: T0 + onboard, raw: { 'c.a': seq } }])];
    const batch: DecodedBatch = { platform: platform.digest, link: 'uhf', blocks, reports: [] };
    const headers = { 'Mcs-Source': String(100 + seq) };
    return {
      subject: subject.decoded('sat1'),
      data: encodeBatch(batch),
      headers,
      seq,
      at: T0 + ground,
      pending: 0,
    };
  };

  it('marks what is older than what it has handed over, says so once, and an heir marks alike', async () => {
    const [bus, clock, log] = [new FakeBus(), new HeapClock(T0), keptLog()];
    const missions = new Missions(missionOf('r1', { sat1: platform }));
    const own = { bus, missions, target: 'sat1', log, clock };
    const marks = () =>
      bus
        .messages(streams.values)
        .map(({ data, headers }) => [
          headers['Mcs-Received'],
          ...decodeBatch<ValueBatch>(data).blocks.map(({ superseded }) => [...(superseded ?? [])]),
        ]);
    const stored = (count: number) => until(() => marks().length === count);

    const first = createTelemetryOwner({ ...own, epoch: 1 });
    await first.start();
    // Handed over together: the second is judged before the first is stored.
    void first.handle(decoded(1, 0, 0));
    void first.handle(decoded(2, 1_000, -65_000));
    void first.handle(decoded(3, 2_000, 1_000));
    await stored(3);
    await first.stop();

    const heir = createTelemetryOwner({ ...own, epoch: 2 });
    expect(await heir.start()).toEqual({ from: 'seq', seq: 4 });
    void heir.handle(decoded(4, 3_000, -64_000));
    void heir.handle(decoded(5, 4_000, 2_000));
    await stored(5);
    await heir.stop();
    expect(marks()).toEqual([
      ['101', []],
      ['102', [0]],
      ['103', []],
      ['104', [0]],
      ['105', []],
    ]);
    const said = log.said.filter(({ message: text }) =>
      text.startsWith('samples older than the current values'),
    );
    expect(said).toHaveLength(2);
  });
});
