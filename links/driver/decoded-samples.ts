/**
 * Samples of the decode verb: what a packet says in the terms of the catalogue. Mission Control Service, section 2.1.
 */

import type { FileSample, SampleBlock } from '../../contract/batch.ts';
import type { FileChunk } from '../../contract/file-chunk.ts';
import type { DecodedSample } from '../../contract/telecommand.ts';
import { decodedSample } from '../../mission/decoded-sample.ts';
import type { FileReadings, Platform } from '../../mission/platform.ts';

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

export function noFiles(): FileReadings {
  return { samples: [], chunks: [] };
}

/** What a packet says of files: measures of each that is listed, and of each chunk what it holds. */
export function decodedFiles({ samples, chunks }: FileReadings, { files }: Platform): DecodedSample[] {
  const component = files?.component ?? '';
  return [
    ...samples.flatMap((sample) => listedSamples(sample, component)),
    ...chunks.flatMap((chunk) => chunkSamples(chunk, component)),
  ];
}

function listedSamples({ file, onboard, ...said }: FileSample, component: string): DecodedSample[] {
  const time = Number.isNaN(onboard) ? {} : { onboard_time: new Date(onboard).toISOString() };
  return (['file_type', 'size', 'checksum', 'generation'] as const).flatMap((measure) => {
    const value = said[measure];
    if (value === undefined) return [];
    const unit = measure === 'size' ? { unit: 'B' } : {};
    return [{ component, instance: file, measure, raw: value, value, ...unit, ...time }];
  });
}

/** A chunk has no measures in the catalogue, so its samples have no value: they are for the eye of the caller. */
function chunkSamples({ file, generation, offset, data }: FileChunk, component: string): DecodedSample[] {
  const said = { generation, offset, data: Buffer.from(data).toString('hex') };
  return Object.entries(said).map(([measure, raw]) => ({
    component,
    instance: file,
    measure,
    raw,
    value: null,
  }));
}
