/** What is painted into a plot beside its lines, in device pixels. */

import type uPlot from 'uplot';
import type { CatalogueMeasure } from '../data/catalogue.ts';
import type { Happening } from './happenings.ts';
import type { Track } from './plot-data.ts';

const HATCH = 8;

/** Least to most of each bucket, as a pale stroke behind the line. */
export function paintRanges(plot: uPlot, { unit, times, least, most }: Track, colour: string): void {
  const { ctx } = plot;
  within(plot, () => {
    ctx.strokeStyle = colour;
    ctx.globalAlpha = 0.35;
    ctx.lineWidth = devicePixelRatio;
    ctx.beginPath();
    times.forEach((time, index) => {
      const low = least[index];
      const high = most[index];
      if (low === null || high === null || low === high) return;
      const x = Math.round(plot.valToPos(time, 'x', true));
      ctx.moveTo(x, plot.valToPos(low!, unit || 'number', true));
      ctx.lineTo(x, plot.valToPos(high!, unit || 'number', true));
    });
    ctx.stroke();
  });
}

/** Soft limits dashed, hard limits whole. */
export function paintLimits(
  plot: uPlot,
  { unit }: Track,
  limits: CatalogueMeasure | undefined,
  colour: string,
): void {
  const { ctx, bbox } = plot;
  const across = (values: readonly (number | null)[] | undefined, dash: number[]): void => {
    ctx.setLineDash(dash);
    for (const value of values ?? []) {
      if (value === null) continue;
      const y = Math.round(plot.valToPos(value, unit || 'number', true));
      ctx.beginPath();
      ctx.moveTo(bbox.left, y);
      ctx.lineTo(bbox.left + bbox.width, y);
      ctx.stroke();
    }
  };
  within(plot, () => {
    ctx.strokeStyle = colour;
    ctx.globalAlpha = 0.8;
    ctx.lineWidth = devicePixelRatio;
    across(limits?.soft, [3 * devicePixelRatio, 5 * devicePixelRatio]);
    across(limits?.hard, []);
  });
}

/** Where something was lost before it was archived; `gaps` in s since 1970. */
export function paintGaps(plot: uPlot, gaps: readonly (readonly [number, number])[], colour: string): void {
  const { ctx, bbox } = plot;
  for (const [from, to] of gaps) {
    const left = Math.max(bbox.left, plot.valToPos(from, 'x', true));
    const right = Math.min(bbox.left + bbox.width, plot.valToPos(to, 'x', true));
    if (right <= left) continue;
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, bbox.top, Math.max(2, right - left), bbox.height);
    ctx.clip();
    ctx.strokeStyle = colour;
    ctx.globalAlpha = 0.35;
    ctx.beginPath();
    for (let x = left - bbox.height; x < right; x += HATCH * devicePixelRatio) {
      ctx.moveTo(x, bbox.top + bbox.height);
      ctx.lineTo(x + bbox.height, bbox.top);
    }
    ctx.stroke();
    ctx.restore();
  }
}

const MARK = 6;

/**
 * A line across for each, with a mark at its head: alarms from above, telecommands from below. Words stand in the list
 * under the plot.
 */
export function paintHappenings(
  plot: uPlot,
  happenings: readonly Happening[],
  style: CSSStyleDeclaration,
): void {
  const { ctx, bbox } = plot;
  const size = MARK * devicePixelRatio;
  const colourOf = ({ kind, tone }: Happening): string =>
    style.getPropertyValue(kind === 'telecommand' ? '--accent' : tone === '' ? '--ok' : `--${tone}`).trim();
  within(plot, () => {
    ctx.lineWidth = devicePixelRatio;
    for (const each of happenings) {
      const x = Math.round(plot.valToPos(each.at / 1000, 'x', true));
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      const isAlarm = each.kind === 'alarm';
      const head = isAlarm ? bbox.top : bbox.top + bbox.height;
      ctx.strokeStyle = colourOf(each);
      ctx.fillStyle = ctx.strokeStyle;
      ctx.globalAlpha = 0.5;
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      ctx.globalAlpha = 1;
      ctx.beginPath();
      ctx.moveTo(x - size, head);
      ctx.lineTo(x + size, head);
      ctx.lineTo(x, head + (isAlarm ? size : -size) * 1.5);
      ctx.fill();
    }
  });
}

function within({ ctx, bbox }: uPlot, paint: () => void): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  paint();
  ctx.restore();
}
