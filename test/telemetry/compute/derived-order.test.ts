/** What is derived in real time becomes current as its inputs did, whatever clocks date them. Decision 23. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ValueBlock } from '../../../contract/batch.ts';
import { Compute } from '../../../telemetry/compute/compute.ts';
import { CurrentValues } from '../../../telemetry/current-values.ts';
import { timeOf } from '../../../telemetry/reading/instant.ts';
import { markBatch, SampleOrder } from '../../../telemetry/sample-order.ts';
import { batchOf, platformWith, type Row } from './derived-mission.ts';

const platform = platformWith();
const power = platform.ordinal('bus[1].power')!;
const MINUTE = 60_000;

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
    const reported = toldOf([
      { at: 1_000, values: { voltage: 8 } },
      { at: 4_000, onboard: 4_040, values: { current: 3 } },
      { at: 4_060, values: { current: Number.NaN } },
    ]);
    expect(reported).toEqual(['24 at 4040, ground 1000', 'NaN at 4060, ground 1000']);
  });

  it('MC-VAL-008 the time is that of the newest input where none is dated on board', () => {
    const announced = toldOf([
      { at: 1_000, values: { voltage: 8 } },
      { at: 3_000, values: { current: 2 } },
    ]);
    expect(announced).toEqual(['16 at 3000, ground 1000']);
  });

  it('MC-VAL-008 delivery-track.S7 an input received earlier than the one before it, its time no newer than that of the other input', () => {
    const emitted = toldOf([
      { at: 1_000, onboard: 5_000, values: { current: 2 } },
      { at: 900, onboard: 2_000, values: { voltage: 8 } },
      { at: 800, onboard: 3_000, values: { voltage: 9 } },
      { at: 850, onboard: 4_000, values: { voltage: 10 } },
    ]);
    expect(emitted).toEqual(['16 at 5000, ground 900', '18 at 5001, ground 800', '20 at 5001, ground 850']);
  });

  it('MC-VAL-008 delivery-track.S7 the clock of one input set back by more than a step, what is derived by less', () => {
    const [ahead, back] = [8 * MINUTE, -7 * MINUTE];
    const output = toldOf([
      { at: 1_000, values: { current: 2 } },
      { at: 2_000, onboard: 2_000 + ahead, values: { voltage: 8 } },
      { at: 3_000, onboard: 3_000 + back, values: { voltage: 9 } },
      { at: 4_000, values: { current: 3 } },
      { at: 3_000 + ahead, values: { current: 4 } },
    ]);
    expect(output).toEqual([
      `16 at ${2_000 + ahead}, ground 1000`,
      `18 at ${2_000 + ahead}, ground 1000`,
      `27 at ${2_000 + ahead}, ground 3000`,
      `36 at ${3_000 + ahead}, ground 3000`,
    ]);
  });

  it('MC-VAL-016 delivery-track.S7 what is derived is that of the current values, whatever their clocks do and whoever takes over', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 25 }), (messages) => {
        const values = new CurrentValues(platform);
        let [compute, order] = [new Compute(platform), new SampleOrder(platform)];
        for (const { rows, taken } of messages) {
          if (taken) [compute, order] = heirOf(values);
          const samples = markBatch(order, batchOf(platform, rows));
          const { blocks, ...rest } = compute.apply(samples);
          const derived = order.mark(blocks.slice(samples.blocks.length), false);
          values.apply({ ...rest, blocks: [...samples.blocks, ...derived] });
          const shown = (name: string) => values.sample(platform.ordinal(`bus[1].${name}`)!)?.value as number;
          const [voltage, current, load] = [shown('voltage'), shown('current'), shown('load')];
          if (voltage === undefined || current === undefined) continue;
          expect(shown('power')).toBe(voltage * current);
          if (load !== undefined) expect(shown('surplus')).toBe(voltage * current - load);
        }
      }),
      { numRuns: 500 },
    );
  });
});

/** Received from stations whose clocks differ, dated by clocks that are set. */
const row = fc
  .record({
    at: fc.integer({ min: 0, max: 40 }),
    clock: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(undefined, 0, 1, -1) },
      fc.constantFrom(-1_500, -900, -480, -420, 420, 480, 900, 1_500),
    ),
    names: fc.subarray(['voltage', 'current', 'load'], { minLength: 1 }),
    value: fc.integer({ min: 1, max: 9 }),
  })
  .map(({ at, clock, names, value }): Row => {
    const onboard = clock === undefined ? {} : { onboard: (at + clock) * 1_000 };
    return { at: at * 1_000, ...onboard, values: Object.fromEntries(names.map((name) => [name, value])) };
  });
const message = fc.record({
  rows: fc.array(row, { minLength: 1, maxLength: 3 }),
  taken: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
});

/** What a new owner begins with. */
function heirOf(values: CurrentValues): [Compute, SampleOrder] {
  const [compute, order] = [new Compute(platform), new SampleOrder(platform)];
  compute.restore(values);
  for (const ordinal of values.ordinals()) {
    const { timeMs, groundMs, deferred } = values.sample(ordinal)!;
    order.note(ordinal, timeMs, groundMs, deferred ? 1 : 0);
  }
  return [compute, order];
}
