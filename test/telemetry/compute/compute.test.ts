/** Derived measures as pure computation: batches in, batches out. */

import { describe, expect, it } from 'vitest';
import { Compute } from '../../../telemetry/compute/compute.ts';
import { batchOf, platformWith, type Row, samplesOf } from './derived-mission.ts';

const platform = platformWith();

function computing(of = platform) {
  const compute = new Compute(of);
  return {
    compute,
    feed: (rows: readonly Row[], options: { deferred?: boolean } = {}) =>
      samplesOf(of, compute.apply(batchOf(of, rows, options))),
    /** Everything time alone changes up to `at`. */
    turns: (at: number) => {
      const reported: string[] = [];
      for (let turned = compute.turn(at); turned !== undefined; turned = compute.turn(at)) {
        reported.push(...samplesOf(of, turned.batch).map((sample) => `${turned?.at}: ${sample}`));
      }
      return reported;
    },
  };
}

const only =
  (...names: string[]) =>
  (sample: string) =>
    names.includes(sample.split(' ')[0]!);

describe('derived measures', () => {
  it('are computed in the order of what they are derived from, once a moment, from samples of one moment together', () => {
    const { feed } = computing();
    const announced = feed([
      { at: 1_000, values: { voltage: 8 } },
      { at: 1_000, values: { current: 2 } },
      { at: 1_000, values: { load: 1 } },
    ]);
    expect(announced.filter(only('power', 'surplus'))).toEqual(['power 16 @1000', 'surplus 15 @1000']);
  });

  it('MC-VAL-002 belong to an instance and have none of another', () => {
    const { feed } = computing();
    const emitted = feed([{ at: 1_000, values: { 'bus[2].voltage': 8, 'bus[2].current': 0.5, current: 3 } }]);
    expect(emitted.filter((sample) => sample.includes('power'))).toEqual(['bus[2].power 4 @1000']);
  });

  it('rows of a batch are taken in the order of their ground time, whatever block they stand in', () => {
    const { feed } = computing();
    const output = feed([
      { at: 3_000, values: { voltage: 9 } },
      { at: 1_000, values: { voltage: 7, current: 1 } },
      { at: 2_000, values: { current: 2 } },
    ]);
    expect(output.filter(only('power'))).toEqual(['power 7 @1000', 'power 14 @1000', 'power 18 @2000']);
  });

  it('MC-VAL-008 have the ground time of their oldest input, and are dated on board like the newest', () => {
    const { compute } = computing();
    compute.apply(batchOf(platform, [{ at: 1_000, onboard: 500, values: { current: 2 } }]));
    const batch = compute.apply(batchOf(platform, [{ at: 4_000, onboard: 3_500, values: { voltage: 8 } }]));
    const block = batch.blocks.find(({ ordinals }) => ordinals.includes(platform.ordinal('bus[1].power')!))!;
    expect(block.ground[0]).toBe(1_000);
    expect(block.onboard[0]).toBe(3_500);
  });

  it('have no sample before each of their inputs has had one', () => {
    const { feed } = computing();
    expect(feed([{ at: 1_000, values: { current: 2, load: 1 } }])).toEqual([]);
  });

  it('become null once when an input becomes unknown, and have a value again with it', () => {
    const { feed } = computing();
    const at = (time: number, voltage: number) =>
      feed([{ at: time, values: { voltage, current: 2 } }]).filter(only('power'));
    expect(at(1_000, 8)).toEqual(['power 16 @1000']);
    expect(at(2_000, Number.NaN)).toEqual(['power null @2000']);
    expect(at(3_000, Number.NaN)).toEqual([]);
    expect(at(4_000, 7)).toEqual(['power 14 @4000']);
  });

  it('a batch nothing is derived from stays the batch it is', () => {
    const batch = batchOf(platform, [{ at: 1_000, values: { 'obc.counter': 1 } }]);
    expect(new Compute(platform).apply(batch)).toBe(batch);
  });

  it('an input may be an enumeration or a text', () => {
    const of = platformWith({
      safe: { type: 'bool', derived: 'obc.mode == SAFE' },
      named: { type: 'bool', derived: 'obc.label == "cam"' },
    });
    const batch = batchOf(of, [{ at: 1, values: { 'obc.mode': 1, 'obc.label': Number.NaN } }]);
    const wide = batch.blocks.map((block) => ({ ...block, wide: [[1, 'cam'] as const] }));
    const printed = samplesOf(of, new Compute(of).apply({ ...batch, blocks: wide }));
    expect(printed.filter(only('safe', 'named'))).toEqual(['named 1 @1', 'safe 1 @1']);
    const unnamed = new Compute(of).apply(batchOf(of, [{ at: 1, values: { 'obc.mode': 9 } }]));
    expect(samplesOf(of, unnamed)).toEqual([]);
  });
});

describe('temporal derived measures', () => {
  it('MC-VAL-004 become null when their window runs empty, at that moment and once', () => {
    const { feed, turns } = computing();
    feed([{ at: 1_000, values: { voltage: 8 } }]);
    expect(turns(10_999).filter((each) => each.includes('mean'))).toEqual([]);
    expect(turns(60_000).filter((each) => each.includes(' mean'))).toEqual(['11000: mean null @1000']);
  });

  it('turn when a hold is over, without a sample', () => {
    const { feed, turns } = computing();
    expect(feed([{ at: 1_000, values: { voltage: 5 } }]).filter(only('low'))).toEqual(['low 0 @1000']);
    expect(turns(5_999)).toEqual([]);
    expect(turns(6_000).filter((each) => each.includes('low'))).toEqual(['6000: low 1 @1000']);
    expect(turns(60_000).filter((each) => each.includes('low'))).toEqual([]);
  });

  it('feed what is derived from them at the same moment', () => {
    const of = platformWith({
      low: { type: 'bool', derived: 'voltage < 6 V and stable for 5 s' },
      fine: { type: 'bool', derived: 'not low' },
    });
    const { feed, turns } = computing(of);
    feed([{ at: 1_000, values: { voltage: 5 } }]);
    expect(turns(6_000)).toEqual(['6000: low 1 @1000', '6000: fine 0 @1000']);
  });

  it('a number that only drifts out of its window is reported at whole seconds, unless a sample reports it before', () => {
    const { feed, turns } = computing();
    feed([{ at: 100, values: { voltage: 8 } }]);
    feed([{ at: 1_100, values: { voltage: 6 } }]);
    expect(turns(10_100).filter((each) => each.includes('mean'))).toEqual([]);
    const told = feed([{ at: 10_101, values: { voltage: 6 } }]).filter(only('mean'));
    expect(told).toEqual(['mean 6 @10101']);
    expect(turns(11_999).filter((each) => each.includes(' mean'))).toEqual([]);
    const drifting = computing();
    drifting.feed([{ at: 100, values: { voltage: 8 } }]);
    drifting.feed([{ at: 1_100, values: { voltage: 6 } }]);
    expect(drifting.turns(11_000).filter((each) => each.includes(' mean'))).toEqual(['11000: mean 6 @1100']);
  });

  it('a sample that comes as another leaves reports the number alone', () => {
    const { feed, turns } = computing();
    for (let at = 1_000; at <= 10_000; at += 1_000) feed([{ at, values: { voltage: at / 1_000 } }]);
    expect(turns(10_999)).toEqual([]);
    const told = feed([{ at: 11_000, values: { voltage: 11 } }]);
    expect(told.filter(only('mean', 'heard'))).toEqual(['heard 10 @11000', 'mean 6.5 @11000']);
  });

  it('a count falls to nothing when its measure falls silent', () => {
    const { feed, turns } = computing();
    feed([{ at: 100, values: { voltage: 8 } }]);
    feed([{ at: 200, values: { voltage: 8 } }]);
    expect(turns(60_000).filter((each) => each.includes('heard'))).toEqual(['11000: heard 0 @200']);
  });

  it('what came due between two rows of a batch is reported between them', () => {
    const { feed } = computing();
    const told = feed([
      { at: 1_000, values: { voltage: 5 } },
      { at: 20_000, values: { voltage: 5 } },
    ]);
    expect(told.filter(only('mean'))).toEqual(['mean 5 @1000', 'mean null @1000', 'mean 5 @20000']);
    expect(told.filter(only('low'))).toEqual(['low 0 @1000', 'low 1 @1000', 'low 1 @20000']);
  });

  it('MC-ALM-051 give the same values whether time is looked at often or never', () => {
    const rows = Array.from({ length: 400 }, (_, n) => ({
      at: 1_000 + n * 700 + (n % 7) * 40,
      values: { voltage: n % 31 < 12 ? 5.5 : 8 },
    }));
    const often = computing();
    const seldom = computing();
    const turned: string[] = [];
    const asked = rows.flatMap((row) => {
      for (let at = row.at - 700; at < row.at; at += 90) turned.push(...often.turns(at));
      return often.feed([row]);
    });
    const told = rows.flatMap((row) => seldom.feed([row]));
    const turns = turned.map((each) => each.slice(each.indexOf(' ') + 1));
    expect([...asked, ...turns].sort()).toEqual(told.sort());
  });
});

describe('deferred samples', () => {
  it('MC-VAL-011 feed pure measures, by the time on board, and make them deferred', () => {
    const { compute } = computing();
    const batch = compute.apply(
      batchOf(
        platform,
        [
          { at: 9_000, onboard: 200, values: { voltage: 7 } },
          { at: 9_000, onboard: 100, values: { voltage: 6, current: 2 } },
        ],
        { deferred: true },
      ),
    );
    expect(batch.deferred).toBe(true);
    expect(samplesOf(platform, batch)).toEqual(['power 12 @9000', 'power 14 @9000']);
  });

  it('MC-XFER-059 move no temporal function', () => {
    const { feed, turns } = computing();
    feed([{ at: 1_000, values: { voltage: 8 } }]);
    const told = feed([{ at: 2_000, onboard: 10, values: { voltage: 1 } }], { deferred: true });
    expect(told.filter(only('mean', 'low', 'heard', 'steady'))).toEqual([]);
    const next = feed([{ at: 3_000, values: { voltage: 6 } }]);
    expect(next.filter(only('mean', 'heard'))).toEqual(['heard 2 @3000', 'mean 7 @3000']);
    expect(turns(8_000).filter((each) => each.includes('low'))).toEqual([]);
  });

  it('MC-XFER-059 move no temporal function of a measure that was never received in real time either', () => {
    const { feed } = computing();
    feed([{ at: 1_000, onboard: 10, values: { voltage: 2 } }], { deferred: true });
    const told = feed([{ at: 2_000, values: { voltage: 8 } }]);
    expect(told.filter(only('mean', 'heard'))).toEqual(['heard 1 @2000', 'mean 8 @2000']);
  });

  it('MC-VAL-011 make a real-time measure deferred only where an input was never received in real time', () => {
    const { feed } = computing();
    feed([{ at: 1_000, onboard: 10, values: { current: 2 } }], { deferred: true });
    expect(feed([{ at: 2_000, values: { voltage: 8 } }]).filter(only('power'))).toEqual([
      'power 16 @1000 deferred',
    ]);
    feed([{ at: 3_000, values: { current: 3 } }]);
    feed([{ at: 4_000, onboard: 20, values: { current: 9 } }], { deferred: true });
    expect(feed([{ at: 5_000, values: { voltage: 8 } }]).filter(only('power'))).toEqual(['power 24 @3000']);
  });
});

describe('another catalogue', () => {
  it('keeps windows, holds and what was reported where expression and inputs are the same', () => {
    const later = platformWith({
      aaa: { type: 'f64', unit: 'V', derived: 'voltage * 2' },
      mean: { type: 'f64', unit: 'V', derived: 'avg(voltage, 10 s)' },
      low: { type: 'bool', derived: 'voltage < 6 V and stable for 5 s' },
    });
    const before = computing();
    before.feed([{ at: 1_000, values: { voltage: 5 } }]);
    const compute = new Compute(later, before.compute);
    const turned = compute.turn(6_000);
    expect(turned && samplesOf(later, turned.batch)).toEqual(['low 1 @1000']);
    const next = compute.apply(batchOf(later, [{ at: 7_000, values: { voltage: 8 } }]));
    expect(samplesOf(later, next).sort()).toEqual(['aaa 16 @7000', 'low 0 @7000', 'mean 6.5 @7000']);
  });

  it('begins what is new or was changed with the last samples of its inputs', () => {
    const later = platformWith({ power: { type: 'f64', unit: 'W', derived: 'voltage * current * 2' } });
    const before = computing();
    before.feed([{ at: 1_000, values: { voltage: 5, current: 2 } }]);
    const compute = new Compute(later, before.compute);
    const next = compute.apply(batchOf(later, [{ at: 2_000, values: { voltage: 6 } }]));
    expect(samplesOf(later, next)).toEqual(['power 24 @1000']);
  });
});
