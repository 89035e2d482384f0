/**
 * Columns of another catalogue, every consumer: a sample is carried over where the measure means the same there, and is
 * of nobody where it does not (measure-meaning.M1).
 */

import { describe, expect, it } from 'vitest';
import type { ValueBatch } from '../../../contract/batch.ts';
import type { Platform } from '../../../mission/platform.ts';
import { knownSamples } from '../../../telemetry/alarms/known-samples.ts';
import { encodeCheckpoint } from '../../../telemetry/checkpoint.ts';
import { CurrentValues } from '../../../telemetry/current-values.ts';
import { mapBatch } from '../../../telemetry/reading/measure-map.ts';
import { MeasureReader } from '../../../telemetry/reading/measure-reader.ts';
import { targetValues } from '../../../telemetry/target-values.ts';
import { blockOf, enumerationOf, type MeasureSketch, platformOf } from '../platform.ts';

const T0 = Date.UTC(2026, 0, 1);
const KEY = 'unit.level';
const LEVEL: MeasureSketch = { type: 'f64', unit: 'V' };
const MODE: MeasureSketch = { type: 'Mode', enumeration: enumerationOf('Mode', { SAFE: 1, NOMINAL: 2 }) };

interface Change {
  readonly what: string;
  readonly before: MeasureSketch;
  /** Undefined: removed. */
  readonly after: MeasureSketch | undefined;
  readonly isCarriedOver: boolean;
}

const CHANGES: readonly Change[] = [
  { what: 'only its ordinal', before: LEVEL, after: LEVEL, isCarriedOver: true },
  {
    what: 'its description',
    before: LEVEL,
    after: { ...LEVEL, description: 'of the bus' },
    isCarriedOver: true,
  },
  { what: 'its limits', before: LEVEL, after: { ...LEVEL, soft: [0, 8] }, isCarriedOver: true },
  { what: 'its unit', before: LEVEL, after: { ...LEVEL, unit: 'mV' }, isCarriedOver: false },
  { what: 'its type', before: LEVEL, after: { ...LEVEL, type: 'u8' }, isCarriedOver: false },
  {
    what: 'a number of its enumeration',
    before: MODE,
    after: { ...MODE, enumeration: enumerationOf('Mode', { SAFE: 2, NOMINAL: 1 }) },
    isCarriedOver: false,
  },
  { what: 'that it is gone', before: LEVEL, after: undefined, isCarriedOver: false },
];

/** Measures around it, so that its ordinal differs. */
const before = ({ before: level }: Change): Platform => platformOf({ [KEY]: level, 'unit.zone': LEVEL });
const after = ({ after: level }: Change): Platform =>
  platformOf({ 'another.one': LEVEL, 'unit.zone': LEVEL, ...(level && { [KEY]: level }) });

function batchOf(platform: Platform): ValueBatch {
  const block = blockOf(platform, [{ ground: T0, raw: { [KEY]: 2 } }]);
  return {
    platform: platform.digest,
    link: 'uhf',
    deferred: false,
    reports: [],
    blocks: [{ ...block, value: block.raw }],
  };
}

/** The value that a consumer of the later catalogue finds; undefined where it finds none. */
type Consumer = (change: Change) => Promise<unknown> | unknown;

const CONSUMERS: Readonly<Record<string, Consumer>> = {
  'current values, of a batch': (change) => {
    const values = new CurrentValues(after(change));
    values.apply(mapBatch(batchOf(before(change)), before(change), after(change)));
    return valueIn(values);
  },
  'current values, of those before': (change) => valueIn(adopted(change)),
  'current samples by measure': (change) => {
    const earlier = new CurrentValues(before(change));
    earlier.apply(batchOf(before(change)));
    const latest = targetValues({
      current: () => earlier,
      position: () => undefined,
      upToDate: async () => undefined,
    });
    const measure = measureIn(after(change));
    return measure && latest.sample('sat', measure)?.value;
  },
  'verification and judgements': (change) => {
    const measure = measureIn(after(change));
    if (measure === undefined) return undefined;
    const reader = new MeasureReader([{ ordinal: 0, measure }]);
    return reader.read(batchOf(before(change)), before(change))[0]?.value;
  },
  'what alarms begin with': async (change) => {
    const earlier = new CurrentValues(before(change));
    earlier.apply(batchOf(before(change)));
    const positions = { decoded: 1, values: 1 };
    const value = await encodeCheckpoint({ epoch: 1, positions, columns: earlier.snapshot() });
    const bus = { bucket: () => ({ get: async () => ({ value }) }) };
    const platform = after(change);
    const samples = await knownSamples(bus as never, { name: 'sat', platform } as never);
    return samples.find(({ ordinal }) => ordinal === platform.ordinal(KEY))?.value;
  },
};

function measureIn(platform: Platform) {
  const ordinal = platform.ordinal(KEY);
  return ordinal === undefined ? undefined : platform.measures[ordinal];
}

function adopted(change: Change): CurrentValues {
  const earlier = new CurrentValues(before(change));
  earlier.apply(batchOf(before(change)));
  const values = new CurrentValues(after(change));
  values.adopt(earlier);
  return values;
}

function valueIn(values: CurrentValues): unknown {
  const ordinal = values.platform.ordinal(KEY);
  return ordinal === undefined ? undefined : values.sample(ordinal)?.value;
}

describe.each(Object.entries(CONSUMERS))('%s', (_, found) => {
  it.each(CHANGES)('when $what changes', async (change) => {
    expect(await found(change)).toBe(change.isCarriedOver ? 2 : undefined);
  });
});
