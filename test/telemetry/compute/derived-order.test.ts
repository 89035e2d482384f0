/** What is derived in real time becomes current as its inputs did, whether they are dated on board or not. Decision 23. */

import { describe, expect, it } from 'vitest';
import type { ValueBlock } from '../../../contract/batch.ts';
import { Compute } from '../../../telemetry/compute/compute.ts';
import { timeOf } from '../../../telemetry/reading/instant.ts';
import { markBatch, SampleOrder } from '../../../telemetry/sample-order.ts';
import { batchOf, platformWith, type Row } from './derived-mission.ts';

const platform = platformWith();
const power = platform.ordinal('bus[1].power')!;

/** What becomes of `power`, one batch a row, judged as the owner judges it. */
function toldOf(rows: readonly Row[]): string[] {
  const compute = new Compute(platform);
  const order = new SampleOrder(platform);
  return rows.flatMap((row) => {
    const samples = markBatch(order, batchOf(platform, [row]));
    const derived = order.mark(compute.apply(samples).blocks.slice(samples.blocks.length), false);
    return derived.filter(({ ordinals }) => ordinals.includes(power)).map(toldBy);
  });
}

function toldBy({ ordinals, ground, onboard, value, superseded = Uint32Array.of() }: ValueBlock): string {
  const column = ordinals.indexOf(power);
  const mark = superseded.includes(column) ? ' superseded' : '';
  return `${value[column]} at ${timeOf(onboard[0]!, ground[0]!)}, ground ${ground[0]}${mark}`;
}

describe('the order of derived samples', () => {
  it('MC-VAL-008 an input dated on board, then not: both became current, and so does what is derived', () => {
    const told = toldOf([
      { at: 1_000, values: { voltage: 8 } },
      { at: 4_000, onboard: 4_040, values: { current: 3 } },
      { at: 4_060, values: { current: Number.NaN } },
    ]);
    expect(told).toEqual(['24 at 4040, ground 1000', 'NaN at 4060, ground 1000']);
  });

  it('MC-VAL-008 the time is that of the newest input where none is dated on board', () => {
    const told = toldOf([
      { at: 1_000, values: { voltage: 8 } },
      { at: 3_000, values: { current: 2 } },
    ]);
    expect(told).toEqual(['16 at 3000, ground 1000']);
  });
});
