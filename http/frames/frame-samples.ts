/**
 * The samples and reports of one frame, in the terms of the catalogue, for a watcher. Mission Control Service, section
 * 2.1.
 */

import type { SampleBlock, VerificationReport } from '../../contract/batch.ts';
import { FRAME_WATCH_SAMPLES } from '../../contract/limits/link.ts';
import type { FrameReceived } from '../../contract/link-event.ts';
import { decodedSample } from '../../mission/decoded-sample.ts';
import type { Platform } from '../../mission/platform.ts';
import type { Decoding } from './frame-join.ts';

type Said = Pick<FrameReceived, 'samples' | 'more' | 'reports'>;

/** What the decodings of a frame say; samples of another catalogue are left out. */
export function frameSamples(decodings: readonly Decoding[], platform: Platform | undefined): Said {
  const samples = decodings.flatMap(({ batch, at }) =>
    platform === undefined || batch.platform !== platform.digest
      ? []
      : batch.blocks.flatMap((block) => rowSamples(block, at, platform)),
  );
  const reports = decodings.flatMap(({ batch, at }) => batch.reports.filter((report) => report.at === at));
  const more = samples.length - FRAME_WATCH_SAMPLES;
  return {
    samples: samples.slice(0, FRAME_WATCH_SAMPLES),
    ...(more > 0 && { more }),
    ...(reports.length > 0 && { reports: reports.map(shownReport) }),
  };
}

function shownReport({ stage, ok, reference, code }: VerificationReport) {
  return { stage, ok, reference, ...(code !== undefined && { code }) };
}

function rowSamples({ ordinals, ground, onboard, raw, wide }: SampleBlock, at: number, platform: Platform) {
  return [...ground.keys()]
    .filter((row) => ground[row] === at)
    .flatMap((row) =>
      Array.from(ordinals, (ordinal, column) => {
        const index = row * ordinals.length + column;
        const [, exact] = wide?.find(([place]) => place === index) ?? [];
        return decodedSample(platform.measures[ordinal]!, exact ?? raw[index]!, onboard[row]!);
      }),
    );
}
