/** Samples of one metric over the time of a run. */

import uPlot from 'uplot';
import { PICTURE_FONT, palette } from './picture.ts';
import type { SampleSeries } from './sample-series.ts';

const HEIGHT = { number: 120, boolean: 64 } as const;

/** The plot, drawn into the element; all of one report share the cursor. */
export function plotSamples(into: HTMLElement, series: SampleSeries, endS: number): uPlot {
  const { accent, muted, line } = palette();
  const { isBoolean } = series;
  const axis = { stroke: muted, font: PICTURE_FONT, grid: { stroke: line, width: 1 } };
  const options: uPlot.Options = {
    width: Math.max(320, into.clientWidth),
    height: isBoolean ? HEIGHT.boolean : HEIGHT.number,
    cursor: { sync: { key: 'report' }, drag: { x: false, y: false }, y: false },
    legend: { show: false },
    scales: {
      x: { time: false, range: () => [0, endS || 1] },
      y: isBoolean ? { range: () => [-0.2, 1.2] } : {},
    },
    axes: [
      { ...axis, size: 24, values: (_, splits) => splits.map((second) => `${second} s`) },
      isBoolean
        ? { ...axis, size: 54, splits: () => [0, 1], values: () => ['false', 'true'] }
        : { ...axis, size: 54 },
    ],
    series: [
      {},
      {
        label: series.name,
        stroke: accent,
        width: 1.5,
        points: { show: false },
        ...(isBoolean && { paths: uPlot.paths.stepped!({ align: 1 }) }),
      },
    ],
  };
  return new uPlot(options, [[...series.seconds], [...series.values]], into);
}
