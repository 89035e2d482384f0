/** The waterfall of a sweep: error rates with their intervals on a logarithmic axis, over the theory. */

import uPlot from 'uplot';
import type { RatePicture, RatePoint } from './error-rates.ts';
import { decadesOf, decadeText, rateText } from './log-axis.ts';
import { PICTURE_FONT, palette } from './picture.ts';

const HEIGHT = 320;
const CAP = 3;
const OVER = { ebn0: 'Eb/N0 in dB', varied: 'gain in dB' } as const;

/** The plot, drawn into the element; `destroy` takes it away. */
export function plotRates(into: HTMLElement, picture: RatePicture): uPlot {
  const { points, theory, decades, over } = picture;
  const colours = palette();
  const xs = [...new Set([...points.map(({ x }) => x), ...theory.map(([x]) => x)])].sort((a, b) => a - b);
  const measured = new Map(points.map(({ x, rate }) => [x, rate]));
  const expected = new Map(theory);
  const axis = { stroke: colours.muted, font: PICTURE_FONT, grid: { stroke: colours.line, width: 1 } };
  const options: uPlot.Options = {
    width: Math.max(320, into.clientWidth),
    height: HEIGHT,
    legend: { show: false },
    cursor: { points: { show: false }, drag: { x: false, y: false } },
    scales: { x: { time: false, range: padded }, y: { distr: 3, log: 10, range: () => [...decades] } },
    axes: [
      { ...axis, label: OVER[over], labelFont: PICTURE_FONT, labelSize: 18 },
      {
        ...axis,
        size: 54,
        splits: () => decadesOf(decades),
        values: (_, splits) => splits.map(decadeText),
        filter: (_, splits) => splits,
      },
    ],
    series: [
      {},
      {
        label: 'theory',
        stroke: colours.muted,
        width: 1.5,
        dash: [6, 4],
        spanGaps: true,
        points: { show: false },
      },
      { label: 'measured', stroke: colours.accent, width: 0, paths: () => null, points: { show: false } },
    ],
    hooks: { draw: [(plot) => drawPoints(plot, points, colours.accent)] },
  };
  const rates = (of: Map<number, number>): (number | null)[] => xs.map((x) => of.get(x) ?? null);
  return new uPlot(options, [xs, rates(expected), rates(measured)], into);
}

function padded(_: uPlot, low: number, high: number): [number, number] {
  const edge = Math.max(0.5, (high - low) * 0.04);
  return [low - edge, high + edge];
}

/** A dot with the interval of 95 %; a bound is an arrow that points down from it. */
function drawPoints(plot: uPlot, points: readonly RatePoint[], colour: string): void {
  const { ctx: context } = plot;
  const unit = devicePixelRatio || 1;
  context.save();
  context.strokeStyle = colour;
  context.fillStyle = colour;
  context.lineWidth = 1.5 * unit;
  const { left, top, width, height } = plot.bbox;
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  for (const { x, rate, low, high, isBound } of points) {
    const at = plot.valToPos(x, 'x', true);
    const place = (value: number): number => plot.valToPos(value, 'y', true);
    context.beginPath();
    if (isBound) drawArrow(context, at, place(rate), unit);
    else drawInterval(context, at, [place(high), place(low)], unit);
    context.stroke();
    if (isBound) continue;
    context.beginPath();
    context.arc(at, place(rate), CAP * unit, 0, 2 * Math.PI);
    context.fill();
  }
  context.restore();
}

function drawInterval(
  context: CanvasRenderingContext2D,
  at: number,
  [high, low]: readonly [number, number],
  unit: number,
): void {
  for (const end of [high, low]) {
    context.moveTo(at - CAP * unit, end);
    context.lineTo(at + CAP * unit, end);
  }
  context.moveTo(at, high);
  context.lineTo(at, low);
}

function drawArrow(context: CanvasRenderingContext2D, at: number, from: number, unit: number): void {
  const tip = from + 18 * unit;
  context.moveTo(at - CAP * unit, from);
  context.lineTo(at + CAP * unit, from);
  context.moveTo(at, from);
  context.lineTo(at, tip);
  context.lineTo(at - CAP * unit, tip - 5 * unit);
  context.moveTo(at, tip);
  context.lineTo(at + CAP * unit, tip - 5 * unit);
}

/** `2.3·10⁻⁴ (1.9·10⁻⁴ to 2.8·10⁻⁴)`, or `< 1.4·10⁻⁶`. */
export function intervalText({ rate, low, high, isBound }: RatePoint): string {
  return isBound ? `< ${rateText(high)}` : `${rateText(rate)} (${rateText(low)} to ${rateText(high)})`;
}
