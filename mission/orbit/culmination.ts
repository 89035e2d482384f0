/**
 * The highest point of a pass. An eccentric orbit may rise twice within one pass: every local maximum is found and the
 * highest counts.
 *
 * M1. Found by golden section between looks that enclose a maximum, to `TOLERANCE_MS`; not the best of the looks.
 */

import type { Sight, Track } from './horizon.ts';

/** Elevation changes by less than a millionth of a degree within it. */
const TOLERANCE_MS = 1;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** The highest sight of a pass, given looks at it in order, its ends among them: at least two. */
export function culmination(track: Track, sights: readonly Sight[]): Sight {
  const peaks = sights.flatMap((sight, index) => {
    const [before, after] = [sights[index - 1] ?? sight, sights[index + 1] ?? sight];
    const isPeak = before.elevationDeg <= sight.elevationDeg && after.elevationDeg <= sight.elevationDeg;
    return isPeak ? [peakBetween(track, before.timeMs, after.timeMs)] : [];
  });
  return [...peaks, ...sights].reduce((best, each) => (each.elevationDeg > best.elevationDeg ? each : best));
}

function peakBetween(track: Track, fromMs: number, toMs: number): Sight {
  let [low, high] = [fromMs, toMs];
  let early = track.at(high - GOLDEN * (high - low));
  let late = track.at(low + GOLDEN * (high - low));
  while (high - low > TOLERANCE_MS) {
    if (early.elevationDeg >= late.elevationDeg) {
      high = late.timeMs;
      late = early;
      early = track.at(high - GOLDEN * (high - low));
    } else {
      low = early.timeMs;
      early = late;
      late = track.at(low + GOLDEN * (high - low));
    }
  }
  return early.elevationDeg >= late.elevationDeg ? early : late;
}
