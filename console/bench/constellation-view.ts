/** The constellation: what the receiver has at the instants of symbols, over the ideal points. */

import type { FeedMessage } from '../../contract/bench/feed.ts';
import { FeedPicture } from './feed-picture.ts';
import { palette, type Sheet } from './picture.ts';
import { percent } from './quantity.ts';
import { idealPoints } from './symbols.ts';

/** From the middle to each side, in amplitudes of a symbol. */
const REACH = 1.7;
const POINT = 1.6;
const CROSS = 5;

export function constellationView(canvas: HTMLCanvasElement, leastMs: number): FeedPicture {
  return new FeedPicture(canvas, leastMs, { name: 'Constellation', draw });
}

function draw(sheet: Sheet, { description, floats }: FeedMessage): string | undefined {
  if (description.kind !== 'constellation') return undefined;
  const { modulation, evm } = description;
  drawAxes(sheet);
  drawPoints(sheet, floats);
  for (const [i, q] of idealPoints(modulation)) drawCross(sheet, i, q);
  return `Constellation of ${modulation}${evm === undefined ? '' : `, error vector ${percentOf(evm)}`}`;
}

/** `12.3 %`: an error vector is no share of a whole. */
export function percentOf(evm: number): string {
  return evm >= 1 ? `${Math.round(evm * 100)} %` : percent(evm).replace(/(\.\d)\d* %/, '$1 %');
}

function placeOf({ width, height }: Sheet, i: number, q: number): readonly [number, number] {
  const unit = Math.min(width, height) / 2 / REACH;
  return [width / 2 + i * unit, height / 2 - q * unit];
}

function drawAxes(sheet: Sheet): void {
  const { context, width, height } = sheet;
  const { line, muted } = palette();
  const [x, y] = placeOf(sheet, 0, 0);
  context.strokeStyle = line;
  context.beginPath();
  context.moveTo(x, 0);
  context.lineTo(x, height);
  context.moveTo(0, y);
  context.lineTo(width, y);
  const [right] = placeOf(sheet, 1, 0);
  context.moveTo(right, y);
  context.arc(x, y, right - x, 0, 2 * Math.PI);
  context.stroke();
  context.fillStyle = muted;
  context.textBaseline = 'top';
  context.textAlign = 'left';
  context.fillText('Q', x + 4, 3);
  context.textAlign = 'right';
  context.fillText('I', width - 4, y + 4);
}

function drawPoints(sheet: Sheet, points: Float32Array): void {
  const { context } = sheet;
  context.fillStyle = palette().accent;
  context.globalAlpha = 0.6;
  for (let at = 0; at + 1 < points.length; at += 2) {
    const [x, y] = placeOf(sheet, points[at]!, points[at + 1]!);
    context.fillRect(x - POINT / 2, y - POINT / 2, POINT, POINT);
  }
  context.globalAlpha = 1;
}

function drawCross(sheet: Sheet, i: number, q: number): void {
  const { context } = sheet;
  const [x, y] = placeOf(sheet, i, q);
  context.strokeStyle = palette().text;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(x - CROSS, y);
  context.lineTo(x + CROSS, y);
  context.moveTo(x, y - CROSS);
  context.lineTo(x, y + CROSS);
  context.stroke();
  context.lineWidth = 1;
}
