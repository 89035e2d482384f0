/** The eye: traces of the in-phase part over two symbols, one over the other. */

import type { FeedMessage } from '../../contract/bench/feed.ts';
import { oncePerFrame } from '../browser-clock.ts';
import { setAttribute } from '../element.ts';
import { cleared, drawNothing, palette, type Sheet, whenResized, whenThemeChanges } from './picture.ts';

/** From the middle up and down, in amplitudes of a symbol. */
const REACH = 1.9;
const FOOT = 16;

export class EyeView {
  readonly #canvas: HTMLCanvasElement;
  readonly #draw: () => void;
  #message: FeedMessage | undefined;
  #words = 'no signal';

  constructor(canvas: HTMLCanvasElement, leastMs: number) {
    this.#canvas = canvas;
    this.#draw = oncePerFrame(() => this.#drawNow(), leastMs);
    whenThemeChanges(this.#draw);
    whenResized(canvas, this.#draw);
  }

  show(message: FeedMessage): void {
    this.#message = message.floats.length === 0 ? undefined : message;
    this.#words = 'no signal';
    this.#draw();
  }

  empty(words: string): void {
    this.#message = undefined;
    this.#words = words;
    this.#draw();
  }

  #drawNow(): void {
    const sheet = cleared(this.#canvas);
    const description = this.#message?.description;
    if (this.#message === undefined || description?.kind !== 'eye') {
      drawNothing(sheet, this.#words, palette());
      setAttribute(this.#canvas, 'aria-label', `Eye: ${this.#words}`);
      return;
    }
    drawInstants(sheet);
    drawTraces(sheet, this.#message.floats, 2 * description.samples_per_symbol + 1);
    setAttribute(this.#canvas, 'aria-label', `Eye: ${description.traces} traces over two symbols`);
  }
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
