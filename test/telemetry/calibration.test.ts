import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calibrateBatch } from '../../telemetry/calibration.ts';
import { mapBatch } from '../../telemetry/reading/measure-map.ts';
import { blockOf, platformOf, type RowSketch } from './platform.ts';

const platform = platformOf({
  'eps.ibat': { type: 'i16', unit: 'A' },
  'eps.vbat': { type: 'u16', unit: 'V', calibrate: (raw) => (raw > 9999 ? Number.NaN : raw / 1000) },
  'obc.counter': { type: 'u64', unit: 's', calibrate: (raw) => raw / 1e6 },
  'obc.name': { type: 'string' },
});

function calibrated(rows: RowSketch[], deferred = false) {
  const blocks = [blockOf(platform, rows)];
  return calibrateBatch({ platform: platform.digest, link: 'uhf', blocks, reports: [] }, platform, deferred);
}

describe('calibration', () => {
  it('MC-VAL-003 MC-VAL-005 gives values in the unit of the measure beside the raw ones, row by row', () => {
    const rows = [7400, 7200].map((vbat) => ({ ground: 1, raw: { 'eps.ibat': -3, 'eps.vbat': vbat } }));
    const [block] = calibrated(rows).blocks;
    expect([...block!.value]).toEqual([-3, 7.4, -3, 7.2]);
    expect([...block!.raw]).toEqual([-3, 7400, -3, 7200]);
  });

  it('telemetry/calibration.A1 gives NaN where the calibration does not cover the raw value, and keeps the raw value', () => {
    const [block] = calibrated([{ ground: 1, raw: { 'eps.vbat': 10_000 } }]).blocks;
    expect([...block!.value]).toEqual([Number.NaN]);
    expect([...block!.raw]).toEqual([10_000]);
  });

  it('telemetry/calibration.A2 keeps what no double holds and does not calibrate it', () => {
    const raw = { 'obc.counter': 2n ** 60n, 'obc.name': 'x' };
    const [block] = calibrated([{ ground: 1, raw }]).blocks;
    expect([...block!.value]).toEqual([Number.NaN, Number.NaN]);
    expect(block!.wide).toEqual([
      [0, 2n ** 60n],
      [1, 'x'],
    ]);
  });

  it('MC-VAL-010 marks a batch deferred when it is reported so', () => {
    expect(calibrated([{ ground: 1, raw: { 'eps.ibat': 1 } }], true).deferred).toBe(true);
    expect(calibrated([{ ground: 1, raw: { 'eps.ibat': 1 } }]).deferred).toBe(false);
  });
});

describe('a batch of another catalogue', () => {
  const other = platformOf({
    'aocs.rate': { type: 'f32' },
    'eps.vbat': { type: 'u16', unit: 'mV' },
    'eps.ibat': { type: 'i16', unit: 'A' },
    'obc.name': { type: 'string' },
  });

  it('is mapped by keys, without the measures the other does not have or means otherwise', () => {
    const raw = { 'obc.name': 'x', 'eps.vbat': 1, 'obc.counter': 5, 'eps.ibat': -3 };
    const rows = [0, 1].map((ground) => ({ ground, raw: { ...raw, 'eps.ibat': ground } }));
    const batch = mapBatch(calibrated(rows), platform, other);
    expect(batch.platform).toBe(other.digest);
    const [block] = batch.blocks;
    expect([...block!.ordinals]).toEqual([other.ordinal('obc.name'), other.ordinal('eps.ibat')]);
    expect([...block!.value]).toEqual([Number.NaN, 0, Number.NaN, 1]);
    expect(block!.wide).toEqual([
      [0, 'x'],
      [2, 'x'],
    ]);
  });

  it('loses a block of which nothing is left', () => {
    const batch = mapBatch(calibrated([{ ground: 1, raw: { 'obc.counter': 1 } }]), platform, other);
    expect(batch.blocks).toEqual([]);
  });

  it('stays as it is when both catalogues know its measures the same, in whatever order', () => {
    const more = platformOf({
      'aaa.first': { type: 'u8' },
      'eps.ibat': { type: 'i16', unit: 'A' },
      'obc.name': { type: 'string' },
    });
    const cell = fc.record({ 'obc.name': fc.string(), 'eps.ibat': fc.integer() });
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1 }), (cells) => {
        const batch = calibrated(cells.map((raw) => ({ ground: 1, raw })));
        const [block] = mapBatch(batch, platform, more).blocks;
        expect({ ...block, ordinals: [] }).toEqual({ ...batch.blocks[0], ordinals: [] });
      }),
    );
  });
});
