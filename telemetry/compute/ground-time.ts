/**
 * The ground time of what was decoded, against the time at which the bus stored it. Mission Control Service, sections
 * 2.2 (`ground_time` is the reception on the ground) and 4.4 (evaluation goes by it); decision 17.
 *
 * G1. What was received is stored afterwards. A ground time further ahead of the storing than `CLOCK_STEP_MS` is that
 *     of a clock that is wrong: believed, it would hold back every later sample of its measures until the present has
 *     come up to it.
 * G2. Such samples are dated by their storing, in the order their clock gives them; samples of one moment stay so.
 * G3. The time of storing is part of the message: whoever reads it dates alike.
 * G4. What lies behind, however far, is left as it is: stored frames come late.
 */

import type { DecodedBatch, FileSample, SampleBlock } from '../../contract/batch.ts';
import { CLOCK_STEP_MS } from '../../contract/limits/membership.ts';

/** Between two moments dated by one storing, ms: below what clocks tell apart, and a double of our time holds it. */
const MOMENT_MS = 2 ** -8;

/** The batch with ground times that can be; the same one where they all can. */
export function groundDated(batch: DecodedBatch, storedMs: number): DecodedBatch {
  const latest = storedMs + CLOCK_STEP_MS;
  const moments = aheadOf(batch, latest);
  if (moments.size === 0) return batch;
  const order = [...moments].sort((one, other) => one - other);
  const dated = new Map(order.map((moment, place) => [moment, storedMs + place * MOMENT_MS]));
  return {
    ...batch,
    blocks: batch.blocks.map((block) => datedBlock(block, dated)),
    reports: batch.reports.map((report) => ({ ...report, at: dated.get(report.at) ?? report.at })),
    ...(batch.files !== undefined && { files: batch.files.map((file) => datedFile(file, dated)) }),
  };
}

function aheadOf({ blocks, reports, files = [] }: DecodedBatch, latest: number): Set<number> {
  const ahead = new Set<number>();
  for (const { ground } of blocks) for (const at of ground) if (at > latest) ahead.add(at);
  for (const { at } of reports) if (at > latest) ahead.add(at);
  for (const { ground } of files) if (ground > latest) ahead.add(ground);
  return ahead;
}

function datedFile(sample: FileSample, dated: ReadonlyMap<number, number>): FileSample {
  const ground = dated.get(sample.ground);
  return ground === undefined ? sample : { ...sample, ground };
}

function datedBlock(block: SampleBlock, dated: ReadonlyMap<number, number>): SampleBlock {
  return block.ground.some((at) => dated.has(at))
    ? { ...block, ground: block.ground.map((at) => dated.get(at) ?? at) }
    : block;
}
