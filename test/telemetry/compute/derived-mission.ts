/** A platform with derived measures of every kind, and batches of its samples, for the tests of this folder. */

import type { ValueBatch, ValueBlock } from '../../../contract/batch.ts';
import type { Platform } from '../../../mission/platform.ts';
import { loadedPlatform } from '../../mission/documents.ts';

const volts = { type: 'f64', unit: 'V' };

/** Derived measures stand before what they are derived from: the order of computation is not that of the document. */
export const DERIVED = {
  surplus: { type: 'f64', unit: 'W', derived: 'power - load' },
  power: { type: 'f64', unit: 'W', derived: 'voltage * current' },
  mean: { ...volts, derived: 'avg(voltage, 10 s)' },
  steady: { ...volts, derived: 'max(mean, 5 s)' },
  heard: { type: 'u16', derived: 'count(voltage, 10 s)' },
  low: { type: 'bool', derived: 'voltage < 6 V and stable for 5 s' },
};

export function platformWith(derived: object = DERIVED): Platform {
  return loadedPlatform({
    enums: { Mode: { SAFE: 1, NOMINAL: 2 } },
    components: {
      bus: {
        instances: ['1', '2'],
        measures: {
          ...derived,
          voltage: volts,
          current: { type: 'f64', unit: 'A' },
          load: { type: 'f64', unit: 'W' },
        },
      },
      obc: { measures: { mode: { type: 'Mode' }, label: { type: 'string' }, counter: { type: 'u32' } } },
    },
  });
}

export interface Row {
  readonly at: number;
  readonly onboard?: number;
  readonly values: Readonly<Record<string, number>>;
}

/** A bare measure is one of bus 1. */
export function keyOf(name: string): string {
  return name.includes('.') ? name : `bus[1].${name}`;
}

/** Each row a block of its own. */
export function batchOf(
  platform: Platform,
  rows: readonly Row[],
  { deferred = false, link = 'uhf' }: { deferred?: boolean; link?: string } = {},
): ValueBatch {
  return {
    platform: platform.digest,
    link,
    deferred,
    reports: [],
    blocks: rows.map(({ at, onboard = Number.NaN, values }) => ({
      ordinals: Uint32Array.from(Object.keys(values), (name) => platform.ordinal(keyOf(name))!),
      ground: Float64Array.of(at),
      onboard: Float64Array.of(onboard),
      raw: Float64Array.from(Object.values(values)),
      value: Float64Array.from(Object.values(values)),
    })),
  };
}

/** A sample as the tests write it: `power 12 @1000`, with `onboard` and delivery where they matter. */
export function samplesOf(platform: Platform, batch: ValueBatch, { derivedOnly = true } = {}): string[] {
  return batch.blocks.flatMap((block) => samplesOfBlock(platform, block, derivedOnly));
}

function samplesOfBlock(platform: Platform, block: ValueBlock, derivedOnly: boolean): string[] {
  const { ordinals, ground, value } = block;
  return Array.from(value, (each, index) => {
    const measure = platform.measures[ordinals[index % ordinals.length]!]!;
    if (derivedOnly && measure.definition.derived === undefined) return [];
    const name = measure.key.replace('bus[1].', '');
    const text = Number.isNaN(each) ? 'null' : String(Number(each.toFixed(6)));
    const at = ground[Math.floor(index / ordinals.length)];
    return [`${name} ${text} @${at}${block.deferred === true ? ' deferred' : ''}`];
  }).flat();
}
