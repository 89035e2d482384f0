/** The eye: traces of the in-phase part over two symbols, one over the other. */

import type { FeedMessage } from '../../contract/bench/feed.ts';
import { FeedPicture } from './feed-picture.ts';
import { palette, type Sheet } from './picture.ts';

/** From the middle up and down, in amplitudes of a symbol. */
const REACH = 1.9;
const FOOT = 16;

export function eyeView(canvas: HTMLCanvasElement, leastMs: number): FeedPicture {
  return new FeedPicture(canvas, leastMs, { name: 'Eye', draw });
}

function draw(sheet: Sheet, { description, floats }: FeedMessage): string | undefined {
  if (description.kind !== 'eye') return undefined;
  drawInstants(sheet);
  drawTraces(sheet, floats, 2 * description.samples_per_symbol + 1);
  return `Eye: ${description.traces} traces over two symbols`;
}

/** Where symbols are taken, in symbols. */
function drawInstants({ context, width, height }: Sheet): void {
  const { line, muted } = palette();
  context.strokeStyle = line;
  context.fillStyle = muted;
  context.textBaseline = 'bottom';
  for (const symbol of [0, 1, 2]) {
    const x = Math.min(width - 0.5, Math.max(0.5, Math.round((symbol / 2) * width)));
    context.beginPath();
    context.moveTo(x, 0);
    context.lineTo(x, height - FOOT);
    context.stroke();
    context.textAlign = symbol === 0 ? 'left' : symbol === 2 ? 'right' : 'center';
    context.fillText(symbol === 1 ? '1 symbol' : String(symbol), x, height - 1);
  }
}

function drawTraces({ context, width, height }: Sheet, samples: Float32Array, length: number): void {
  const middle = (height - FOOT) / 2;
  const unit = middle / REACH;
  context.strokeStyle = palette().accent;
  context.globalAlpha = 0.35;
  context.beginPath();
  for (let begin = 0; begin + length <= samples.length; begin += length) {
    for (let at = 0; at < length; at += 1) {
      const x = (at / (length - 1)) * width;
      const y = middle - Math.max(-REACH, Math.min(REACH, samples[begin + at]!)) * unit;
      if (at === 0) context.moveTo(x, y);
      else context.lineTo(x, y);
    }
  }
  context.stroke();
  context.globalAlpha = 1;
}
