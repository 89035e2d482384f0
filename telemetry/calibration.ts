/**
 * Raw columns to columns in the units of the measures. Mission Control Service, section 2.2. Pure: no bus, no clock,
 * and one allocation per block, never one per sample (T1).
 *
 * A1. A raw value the calibration does not cover becomes NaN, which clients see as null; its raw value stays.
 * A2. Wide values are not calibrated: a calibrated measure whose raw value no double holds is NaN too.
 */

import type { DecodedBatch, SampleBlock, ValueBatch, ValueBlock } from '../contract/batch.ts';
import type { Platform } from '../mission/platform.ts';

/** The batch in the units of the measures. Its ordinals must be those of the platform (batch.B2). */
export function calibrateBatch(batch: DecodedBatch, platform: Platform, deferred: boolean): ValueBatch {
  return {
    platform: batch.platform,
    link: batch.link,
    deferred,
    blocks: batch.blocks.map((block) => calibrateBlock(block, platform)),
    reports: batch.reports,
    ...(batch.files !== undefined && { files: batch.files }),
  };
}

function calibrateBlock(block: SampleBlock, platform: Platform): ValueBlock {
  const value = block.raw.slice();
  block.ordinals.forEach((ordinal, column) => {
    const calibrate = platform.measures[ordinal]?.definition.calibrate;
    if (calibrate !== undefined) calibrateColumn(value, column, block.ordinals.length, calibrate);
  });
  return { ...block, value };
}

function calibrateColumn(
  value: Float64Array,
  column: number,
  columns: number,
  calibrate: (raw: number) => number,
): void {
  for (let index = column; index < value.length; index += columns) value[index] = calibrate(value[index]!);
}
