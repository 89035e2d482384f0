import fc from 'fast-check';
import Schema from 'typebox/schema';
import { describe, expect, it } from 'vitest';
import { CurrentValue } from '../../contract/value.ts';
import { CurrentValues } from '../../telemetry/current-values.ts';
import { enumerationOf, platformOf, type RowSketch, valuesOf } from './platform.ts';

const mode = enumerationOf('mode', { SAFE: 0, NOMINAL: 1 });
const platform = platformOf({
  'eps[1].vbat': { type: 'u16', unit: 'V', calibrate: (raw) => (raw > 9999 ? Number.NaN : raw / 1000) },
  'eps[2].vbat': { type: 'u16', unit: 'V', calibrate: (raw) => raw / 1000 },
  'obc.counter': { type: 'u64' },
  'obc.deployed': { type: 'bool' },
  'obc.mode': { type: 'mode', enumeration: mode },
  'obc.name': { type: 'string' },
  'obc.patch': { type: 'bytes' },
  'obc.rate': { type: 'f32' },
  'obc.uptime': { type: 'u64', unit: 's', calibrate: (raw) => raw / 1e6 },
});

const GROUND = Date.parse('2026-03-01T12:00:00.250Z');

function fed(...rows: RowSketch[]): CurrentValues {
  const store = new CurrentValues(platform);
  for (const row of rows) store.apply(valuesOf(platform, [row]));
  return store;
}

function read(store: CurrentValues, key: string) {
  const json = store.json(platform.ordinal(key)!);
  return json && (JSON.parse(json.toString()) as CurrentValue);
}

describe('a current value', () => {
  it('MC-VAL-002 has component, measure and sample, and an instance where the component has several', () => {
    const store = fed({ ground: GROUND, raw: { 'eps[2].vbat': 7200, 'obc.rate': 1 } });
    expect(read(store, 'eps[2].vbat')).toEqual({
      component: 'eps',
      instance: '2',
      measure: 'vbat',
      sample: expect.any(Object),
    });
    expect(Object.keys(read(store, 'obc.rate')!)).toEqual(['component', 'measure', 'sample']);
  });

  it('is of the published schema for every type', () => {
    const raw = { 'eps[1].vbat': 7400, 'obc.counter': 2n ** 60n, 'obc.deployed': 1, 'obc.mode': 1 };
    const store = fed({ ground: GROUND, raw: { ...raw, 'obc.name': 'a "b"\n', 'obc.patch': '00ff' } });
    const check = Schema.Compile(CurrentValue);
    for (const ordinal of store.ordinals()) {
      const value = JSON.parse(store.json(ordinal)!.toString()) as unknown;
      expect(check.Check(value), JSON.stringify(value)).toBe(true);
    }
  });

  it('MC-VAL-003 gives numbers, booleans, enum values, text and hexadecimal bytes', () => {
    const raw = {
      'obc.deployed': 1,
      'obc.mode': 1,
      'obc.name': 'a "b"\n',
      'obc.patch': '00ff',
      'obc.rate': -2.5,
    };
    const store = fed({ ground: GROUND, raw });
    const values = Object.keys(raw).map((key) => read(store, key)!.sample.value);
    expect(values).toEqual([true, 'NOMINAL', 'a "b"\n', '00ff', -2.5]);
  });

  it('keeps every digit of a 64-bit integer', () => {
    const store = fed({ ground: GROUND, raw: { 'obc.counter': 18446744073709551615n } });
    expect(store.json(platform.ordinal('obc.counter')!)!.toString()).toContain(
      '"value":18446744073709551615,',
    );
  });

  it('is null with an exact raw value where a calibration would have to round', () => {
    const store = fed({ ground: GROUND, raw: { 'obc.uptime': 2n ** 60n + 1n } });
    const text = store.json(platform.ordinal('obc.uptime')!)!.toString();
    expect(text).toContain('"value":null,"raw":1152921504606846977,');
    expect(store.sample(platform.ordinal('obc.uptime')!)!.value).toBeNull();
  });

  it('is null where JSON has no number', () => {
    for (const raw of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      expect(read(fed({ ground: GROUND, raw: { 'obc.rate': raw } }), 'obc.rate')!.sample.value).toBeNull();
    }
  });

  it('MC-VAL-005 gives the raw value of calibrated measures only', () => {
    const store = fed({ ground: GROUND, raw: { 'eps[1].vbat': 7400, 'obc.rate': 3 } });
    expect(read(store, 'eps[1].vbat')!.sample).toHaveProperty('raw', 7400);
    expect(read(store, 'obc.rate')!.sample).not.toHaveProperty('raw');
  });

  it('is null with its raw value when the number names no value of the enumeration', () => {
    const { sample } = read(fed({ ground: GROUND, raw: { 'obc.mode': 9 } }), 'obc.mode')!;
    expect(sample).toMatchObject({ value: null, raw: 9 });
  });

  it('MC-VAL-006 has the on-board time when known, else the ground time', () => {
    const onboard = Date.parse('2026-03-01T11:59:58.125Z');
    const known = fed({ ground: GROUND, onboard, raw: { 'obc.rate': 1 } });
    expect(read(known, 'obc.rate')!.sample.time).toBe('2026-03-01T11:59:58.125Z');
    const unknown = fed({ ground: GROUND, raw: { 'obc.rate': 1 } });
    expect(read(unknown, 'obc.rate')!.sample.time).toBe('2026-03-01T12:00:00.250Z');
  });

  it('takes an on-board time that no calendar has for unknown', () => {
    const store = fed({ ground: GROUND, onboard: 1e18, raw: { 'obc.rate': 1 } });
    expect(read(store, 'obc.rate')!.sample.time).toBe('2026-03-01T12:00:00.250Z');
  });

  it('MC-VAL-007 has the ground reception time, also for freshness', () => {
    const store = fed({ ground: GROUND, onboard: 5, raw: { 'obc.rate': 1 } });
    expect(read(store, 'obc.rate')!.sample.ground_time).toBe('2026-03-01T12:00:00.250Z');
    expect(store.sample(platform.ordinal('obc.rate')!)!.groundMs).toBe(GROUND);
  });

  it('MC-VAL-009 names the link of each sample', () => {
    const store = fed({ ground: GROUND, raw: { 'obc.rate': 1 } });
    store.apply(valuesOf(platform, [{ ground: GROUND, raw: { 'obc.mode': 1 } }], { link: 'sband' }));
    expect(read(store, 'obc.rate')!.sample.link).toBe('uhf');
    expect(read(store, 'obc.mode')!.sample.link).toBe('sband');
  });

  it('MC-VAL-010 says realtime or deferred', () => {
    const store = fed({ ground: GROUND, raw: { 'obc.rate': 1 } });
    store.apply(valuesOf(platform, [{ ground: GROUND, raw: { 'obc.mode': 1 } }], { deferred: true }));
    expect(read(store, 'obc.rate')!.sample.delivery).toBe('realtime');
    expect(read(store, 'obc.mode')!.sample.delivery).toBe('deferred');
  });

  it('T4 is encoded once however often it is asked for, and again after a change', () => {
    const store = fed({ ground: GROUND, raw: { 'obc.rate': 1 } });
    const ordinal = platform.ordinal('obc.rate')!;
    const first = store.json(ordinal);
    expect(store.json(ordinal)).toBe(first);
    store.apply(valuesOf(platform, [{ ground: GROUND + 1, raw: { 'obc.rate': 2 } }]));
    expect(store.json(ordinal)!.toString()).toContain('"value":2,');
  });

  it('changes the version of its store, and what is known already does not', () => {
    const row = { ground: GROUND, raw: { 'obc.rate': 1 } };
    const store = fed(row);
    const before = store.version;
    store.apply(valuesOf(platform, [row]));
    expect(store.version).toBe(before);
    store.apply(valuesOf(platform, [{ ...row, ground: GROUND + 1 }]));
    expect(store.version).toBeGreaterThan(before);
  });
});

describe('the store of a target', () => {
  it('MC-VAL-001 keeps the latest sample of each measure, in key order', () => {
    const store = fed(
      { ground: GROUND, raw: { 'obc.rate': 1, 'eps[2].vbat': 1 } },
      { ground: GROUND + 1, raw: { 'eps[1].vbat': 2, 'obc.rate': 5 } },
    );
    const keys = [...store.ordinals()].map((ordinal) => platform.measures[ordinal]!.key);
    expect(keys).toEqual(['eps[1].vbat', 'eps[2].vbat', 'obc.rate']);
    expect(read(store, 'obc.rate')!.sample.value).toBe(5);
  });

  it('knows nothing of a measure without a sample', () => {
    const store = new CurrentValues(platform);
    expect([...store.ordinals()]).toEqual([]);
    expect(store.json(0)).toBeUndefined();
    expect(store.sample(0)).toBeUndefined();
    expect(store.json(10_000)).toBeUndefined();
  });

  it('MC-VAL-016 keeps the newer sample when an older one comes, and does not announce the older one', () => {
    const store = fed({ ground: GROUND, raw: { 'obc.rate': 1, 'obc.mode': 0 } });
    const older = { ground: GROUND - 1, raw: { 'obc.rate': 2, 'obc.deployed': 1 } };
    const changed = store.apply(valuesOf(platform, [older]));
    expect([...changed]).toEqual([platform.ordinal('obc.deployed')]);
    expect(read(store, 'obc.rate')!.sample.value).toBe(1);
  });

  it('MC-VAL-019 compares on-board times first: a dump received later does not hide a newer sample', () => {
    const store = fed({ ground: GROUND, onboard: 9_000, raw: { 'obc.rate': 1 } });
    const dumped = { ground: GROUND + 60_000, onboard: 5_000, raw: { 'obc.rate': 2 } };
    expect(store.apply(valuesOf(platform, [dumped], { deferred: true }))).toHaveLength(0);
    expect(read(store, 'obc.rate')!.sample.value).toBe(1);
  });

  it('MC-VAL-019 compares ground times when the times are equal', () => {
    const store = fed({ ground: GROUND, onboard: 9_000, raw: { 'obc.rate': 1 } });
    store.apply(valuesOf(platform, [{ ground: GROUND - 1, onboard: 9_000, raw: { 'obc.rate': 2 } }]));
    expect(read(store, 'obc.rate')!.sample.value).toBe(1);
    store.apply(valuesOf(platform, [{ ground: GROUND + 1, onboard: 9_000, raw: { 'obc.rate': 3 } }]));
    expect(read(store, 'obc.rate')!.sample.value).toBe(3);
  });

  it('current-values.V3 announces nothing for a sample it has, and takes the later of two with the same times', () => {
    const row = { ground: GROUND, raw: { 'obc.rate': 1, 'obc.name': 'x' } };
    const store = fed(row);
    expect(store.apply(valuesOf(platform, [row]))).toHaveLength(0);
    expect(store.apply(valuesOf(platform, [{ ground: GROUND, raw: { 'obc.rate': 2 } }]))).toHaveLength(1);
  });

  it('names a changed ordinal once, however many rows changed it', () => {
    const rows = [1, 2, 3].map((value) => ({ ground: GROUND + value, raw: { 'obc.rate': value } }));
    const changed = new CurrentValues(platform).apply(valuesOf(platform, rows));
    expect([...changed]).toEqual([platform.ordinal('obc.rate')]);
  });

  it('reports every change of a batch in steps, with the value of that moment', () => {
    const rows = [1, 2, 3].map((value) => ({
      ground: GROUND + value,
      raw: { 'obc.rate': value, 'obc.mode': 1 },
    }));
    const store = new CurrentValues(platform);
    const reported: unknown[] = [];
    store.apply(valuesOf(platform, rows), (changed) => {
      reported.push([changed.length, store.sample(platform.ordinal('obc.rate')!)!.value]);
    });
    expect(reported).toEqual([
      [2, 1],
      [2, 2],
      [2, 3],
    ]);
  });

  it('gives conditions enums as numbers, booleans as 0 and 1, text as it is and unknown as null', () => {
    const raw = { 'obc.deployed': 1, 'obc.mode': 1, 'obc.name': 'x', 'obc.rate': Number.NaN };
    const store = fed({ ground: GROUND, raw });
    const values = Object.keys(raw).map((key) => store.sample(platform.ordinal(key)!)!.value);
    expect(values).toEqual([1, 1, 'x', null]);
    const unnamed = fed({ ground: GROUND, raw: { 'obc.mode': 9 } });
    expect(unnamed.sample(platform.ordinal('obc.mode')!)!.value).toBeNull();
  });

  it('forgets text when a number takes its place', () => {
    const store = fed(
      { ground: GROUND, raw: { 'obc.counter': 2n ** 60n } },
      { ground: GROUND + 1, raw: { 'obc.counter': 7 } },
    );
    expect(read(store, 'obc.counter')!.sample.value).toBe(7);
  });

  it('goes on when the clock on board is set back, and replaying what came before changes nothing (sample-order.V5)', () => {
    const before = { ground: GROUND, onboard: GROUND, raw: { 'obc.rate': 1 } };
    const after = { ground: GROUND + 1_000, onboard: 5_000, raw: { 'obc.rate': 2 } };
    const store = fed(before, after);
    expect(read(store, 'obc.rate')!.sample.value).toBe(2);
    store.apply(valuesOf(platform, [before]));
    expect(read(store, 'obc.rate')!.sample.value).toBe(2);
  });

  it('takes no dump for a step of the clock (sample-order.V5)', () => {
    const store = fed({ ground: GROUND, onboard: GROUND, raw: { 'obc.rate': 1 } });
    const dumped = { ground: GROUND + 1_000, onboard: GROUND - 86_400_000, raw: { 'obc.rate': 2 } };
    store.apply(valuesOf(platform, [dumped], { deferred: true }));
    expect(read(store, 'obc.rate')!.sample.value).toBe(1);
  });

  it('leaves out a row without a ground time', () => {
    const store = fed({ ground: Number.NaN, raw: { 'obc.rate': 1 } });
    expect(store.json(platform.ordinal('obc.rate')!)).toBeUndefined();
  });
});

describe('a snapshot', () => {
  const row = fc.record({
    ground: fc.integer({ min: 0, max: 20 }).map((ms) => GROUND + ms),
    onboard: fc.option(
      fc.integer({ min: 0, max: 20 }).map((ms) => GROUND - 10 + ms),
      { nil: Number.NaN },
    ),
    raw: fc.record({
      'obc.rate': fc.double(),
      'obc.name': fc.string(),
      'obc.counter': fc.oneof(fc.integer(), fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n - 1n })),
      'eps[1].vbat': fc.integer({ min: 0, max: 65_535 }),
    }),
  });
  const texts = (store: CurrentValues) =>
    [...store.ordinals()].map((ordinal) => store.json(ordinal)!.toString());

  it('MC-VAL-016 the sample that stays is never older than one that was fed, whatever the order', () => {
    fc.assert(
      fc.property(fc.array(row, { minLength: 1 }), (rows) => {
        const store = fed(...rows);
        const timeOf = (one: { ground: number; onboard: number }) =>
          Number.isNaN(one.onboard) ? one.ground : one.onboard;
        const newest = rows.reduce((best, one) =>
          timeOf(one) > timeOf(best) || (timeOf(one) === timeOf(best) && one.ground >= best.ground)
            ? one
            : best,
        );
        const sample = store.sample(platform.ordinal('obc.name')!)!;
        expect([sample.timeMs, sample.groundMs, sample.value]).toEqual([
          timeOf(newest),
          newest.ground,
          newest.raw['obc.name'],
        ]);
      }),
    );
  });

  it('restored and followed by the rest equals the whole replay, from any position', () => {
    fc.assert(
      fc.property(fc.array(row, { minLength: 1 }), fc.nat(), fc.nat(9), (rows, cut, back) => {
        const at = cut % (rows.length + 1);
        const restored = new CurrentValues(platform);
        restored.restore(fed(...rows.slice(0, at)).snapshot());
        // The replay may begin before what the snapshot covers, never after.
        for (const one of rows.slice(Math.max(0, at - back))) restored.apply(valuesOf(platform, [one]));
        expect(texts(restored)).toEqual(texts(fed(...rows)));
      }),
    );
  });

  it('keeps link and delivery of each sample, also in a store that knows other links', () => {
    const store = fed({ ground: GROUND, raw: { 'obc.rate': 1 } });
    store.apply(
      valuesOf(platform, [{ ground: GROUND, raw: { 'obc.mode': 1 } }], { link: 'sband', deferred: true }),
    );
    const restored = new CurrentValues(platform);
    restored.apply(valuesOf(platform, [{ ground: GROUND, raw: { 'obc.name': 'x' } }], { link: 'sband' }));
    restored.restore(store.snapshot());
    expect(read(restored, 'obc.rate')!.sample).toMatchObject({ link: 'uhf', delivery: 'realtime' });
    expect(read(restored, 'obc.mode')!.sample).toMatchObject({ link: 'sband', delivery: 'deferred' });
  });

  it('is taken up by keys when the catalogue has changed', () => {
    const later = platformOf({
      'adcs.rate': { type: 'f32' },
      'eps[1].vbat': { type: 'u16', unit: 'mV' },
      'obc.mode': { type: 'mode', enumeration: enumerationOf('mode', { NOMINAL: 0, SAFE: 1 }) },
      'obc.name': { type: 'string' },
      'obc.rate': { type: 'f32' },
    });
    const store = new CurrentValues(later);
    store.adopt(
      fed({ ground: GROUND, raw: { 'obc.rate': 4, 'obc.name': 'x', 'obc.mode': 1, 'eps[1].vbat': 1 } }),
    );
    const keys = [...store.ordinals()].map((ordinal) => later.measures[ordinal]!.key);
    // Neither the measure in another unit nor the renumbered enumeration: their old numbers would be misread.
    expect(keys).toEqual(['obc.name', 'obc.rate']);
    expect(store.sample(later.ordinal('obc.name')!)!.value).toBe('x');
  });

  it('does not replace what the store knows better', () => {
    const store = fed({ ground: GROUND + 5, raw: { 'obc.rate': 2 } });
    const changed = store.restore(fed({ ground: GROUND, raw: { 'obc.rate': 1, 'obc.mode': 1 } }).snapshot());
    expect([...changed]).toEqual([platform.ordinal('obc.mode')]);
    expect(store.sample(platform.ordinal('obc.rate')!)!.value).toBe(2);
  });
});
