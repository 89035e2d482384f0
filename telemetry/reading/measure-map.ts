/**
 * From the ordinals of one platform to those of another, by key: what lets columns outlive a change of the catalogue.
 * What counts as the same measure is said in `mission/measure-meaning.ts`.
 */

import type { DecodedBatch, SampleBlock, ValueBatch, ValueBlock } from '../../contract/batch.ts';
import { sameMeasure } from '../../mission/measure-meaning.ts';
import type { Platform } from '../../mission/platform.ts';

/** For each ordinal of `from` the ordinal of the same measure in `to`, -1 where there is none (measure-meaning.M1). */
function mapMeasures(from: Platform, to: Platform): Int32Array {
  return Int32Array.from(from.measures, (measure) => sameMeasure(measure, to)?.ordinal ?? -1);
}

/** The batch in the ordinals of the other platform; the same batch when it is of that platform already. */
export function mapBatch<Batch extends DecodedBatch | ValueBatch>(
  batch: Batch,
  from: Platform,
  to: Platform,
): Batch {
  if (from.digest === to.digest) return batch;
  const map = mapMeasures(from, to);
  return { ...batch, platform: to.digest, blocks: mapBlocks<SampleBlock>(batch.blocks, map) };
}

function mapBlocks<Block extends SampleBlock>(blocks: readonly Block[], map: Int32Array): Block[] {
  return blocks.map((block) => mapBlock(block, map)).filter((block) => block.ordinals.length > 0);
}

function mapBlock<Block extends SampleBlock & Pick<ValueBlock, 'superseded'>>(
  block: Block,
  map: Int32Array,
): Block {
  const kept = Array.from(block.ordinals.keys()).filter((column) => map[block.ordinals[column]!]! >= 0);
  const width = block.ordinals.length;
  const pick = (column: Float64Array): Float64Array =>
    Float64Array.from({ length: block.ground.length * kept.length }, (_, index) => {
      const row = Math.floor(index / kept.length);
      return column[row * width + kept[index % kept.length]!]!;
    });
  const mapped = {
    ...block,
    ordinals: Uint32Array.from(kept, (column) => map[block.ordinals[column]!]!),
    raw: pick(block.raw),
    ...('value' in block && block.value instanceof Float64Array && { value: pick(block.value) }),
  };
  const { wide, superseded } = block;
  return {
    ...mapped,
    ...(wide !== undefined && { wide: mapWide(wide, width, kept) }),
    ...(superseded !== undefined && { superseded: mapIndices(superseded, width, kept) }),
  };
}

/** The indices of the columns kept. */
function mapIndices(indices: Uint32Array, width: number, kept: readonly number[]): Uint32Array {
  const places = new Map(kept.map((column, place) => [column, place]));
  return Uint32Array.from(
    [...indices].flatMap((index) => {
      const place = places.get(index % width);
      return place === undefined ? [] : [Math.floor(index / width) * kept.length + place];
    }),
  );
}

function mapWide(
  wide: NonNullable<SampleBlock['wide']>,
  width: number,
  kept: readonly number[],
): NonNullable<SampleBlock['wide']> {
  const places = new Map(kept.map((column, place) => [column, place]));
  return wide.flatMap(([index, value]) => {
    const place = places.get(index % width);
    return place === undefined ? [] : [[Math.floor(index / width) * kept.length + place, value] as const];
  });
}
