/**
 * Samples of the decode verb: what a packet says in the terms of the catalogue. Mission Control Service, section 2.1.
 */

import type { SampleBlock } from '../../contract/batch.ts';
import type { DecodedSample } from '../../contract/telecommand.ts';
import { decodedSample } from '../../mission/decoded-sample.ts';
import type { Platform } from '../../mission/platform.ts';

/** The samples of the blocks, in the order of the fields of the packet. */
export function decodedSamples(blocks: readonly SampleBlock[], platform: Platform): DecodedSample[] {
  return blocks.flatMap((block) => samplesOf(block, platform));
}

function samplesOf(block: SampleBlock, platform: Platform): DecodedSample[] {
  const wide = new Map(block.wide ?? []);
  const columns = block.ordinals.length;
  return Array.from(block.raw, (raw, index) => {
    const measure = platform.measures[block.ordinals[index % columns]!]!;
    return decodedSample(measure, wide.get(index) ?? raw, block.onboard[Math.floor(index / columns)]!);
  });
}
