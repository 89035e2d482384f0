/**
 * The highest point of a pass. An eccentric orbit may rise twice within one pass: every local maximum is found and the
 * highest counts.
 *
 * M1. Found by golden section between looks that enclose a maximum, to `TOLERANCE_MS`; not the best of the looks.
 * M2. Between looks that are far apart there may be two: a slow satellite that passes near the zenith, turns and passes
 *     again. So there it is looked at `NEAR_MS` apart, or `PARTS` times where that is further.
 */

import type { Sight, Track } from './horizon.ts';

/** Elevation changes by less than a millionth of a degree within it. */
const TOLERANCE_MS = 1;
/** A low orbit is looked at as often anyway. */
const NEAR_MS = 120_000;
const PARTS = 32;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** The highest sight of a pass, given looks at it in order, its ends among them: at least two. */
export function culmination(track: Track, sights: readonly Sight[]): Sight {
  const peaks = enclosed(sights).flatMap((three) =>
    enclosed(near(track, three)).map(([before, , after]) => peakBetween(track, before.timeMs, after.timeMs)),
  );
  return [...peaks, ...sights].reduce((best, each) => (each.elevationDeg > best.elevationDeg ? each : best));
}

type Three = readonly [before: Sight, highest: Sight, after: Sight];

/** Each that is no lower than those beside it, with these. */
function enclosed(sights: readonly Sight[]): readonly Three[] {
  return sights.flatMap((sight, index) => {
    const [before, after] = [sights[index - 1] ?? sight, sights[index + 1] ?? sight];
    const isPeak = before.elevationDeg <= sight.elevationDeg && after.elevationDeg <= sight.elevationDeg;
    return isPeak ? [[before, sight, after] as const] : [];
  });
}

/** M2 */
function near(track: Track, three: Three): readonly Sight[] {
  const [{ timeMs: fromMs }, , { timeMs: toMs }] = three;
  const parts = Math.min(PARTS, Math.ceil((toMs - fromMs) / NEAR_MS));
  if (parts <= 2) return three;
  const between = Array.from({ length: parts - 1 }, (_, n) => fromMs + ((toMs - fromMs) * (n + 1)) / parts);
  return [three[0], ...between.map((timeMs) => track.at(timeMs)), three[2]];
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
