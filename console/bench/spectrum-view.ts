/**
 * Spectrum and waterfall: levels over frequency, and the same over time, one under the other on one axis of frequency.
 */

import type { FeedMessage } from '../../contract/bench/feed.ts';
import { every, now, oncePerFrame } from '../browser-clock.ts';
import { setAttribute } from '../element.ts';
import { CalmRange, columnsOf, type DecibelRange, shareOf, ticksOf } from './decibel-scale.ts';
import { cleared, drawNothing, palette, type Sheet, whenResized, whenThemeChanges } from './picture.ts';
import { megahertz } from './quantity.ts';
import { SLOT_MS } from './waterfall-rows.ts';
import { GUTTER, WaterfallView } from './waterfall-view.ts';

const FOOT = 20;
const HEAD = 8;
/** Frequencies named under the picture. */
const FREQUENCIES = 5;
/** Pixels from which on all of them fit, and from which on three do. */
const WIDE = 420;
const NARROW = 270;

export class SpectrumView {
  readonly #canvas: HTMLCanvasElement;
  readonly #waterfall: WaterfallView;
  readonly #draw: () => void;
  readonly #range = new CalmRange();
  #message: FeedMessage | undefined;
  #words = 'no signal';
  #receivedAt = 0;

  constructor(canvas: HTMLCanvasElement, waterfall: HTMLCanvasElement, leastMs: number) {
    this.#canvas = canvas;
    this.#waterfall = new WaterfallView(waterfall);
    this.#draw = oncePerFrame(() => this.#drawNow(), leastMs);
    whenThemeChanges(() => this.redraw());
    whenResized(canvas, () => this.redraw());
    every(() => this.#passes(), SLOT_MS);
    this.redraw();
  }

  show(message: FeedMessage): void {
    this.#receivedAt = now();
    this.#message = message.floats.length === 0 ? undefined : message;
    this.#words = 'no signal: the receiver gives no samples';
    if (this.#message !== undefined) {
      if (this.#range.takes(message.floats, now())) this.#waterfall.range(this.#range.shown!);
      this.#waterfall.add(message.floats, now());
    }
    this.#draw();
  }

  /** Nothing comes, and why. */
  empty(words: string): void {
    this.#message = undefined;
    this.#words = words;
    this.#draw();
  }

  redraw(): void {
    this.#waterfall.redraw();
    this.#draw();
  }

  /** Time goes on in the waterfall also where nothing comes. */
  #passes(): void {
    if (now() - this.#receivedAt > SLOT_MS) this.#waterfall.pass(now());
  }

  #drawNow(): void {
    const sheet = cleared(this.#canvas);
    this.#waterfall.draw();
    const message = this.#message;
    const range = this.#range.shown;
    if (message === undefined || range === undefined || message.description.kind !== 'spectrum') {
      drawNothing(sheet, this.#words, palette());
      setAttribute(this.#canvas, 'aria-label', `Spectrum: ${this.#words}`);
      return;
    }
    drawGrid(sheet, range, message.description);
    drawLevels(sheet, range, message.floats);
    setAttribute(this.#canvas, 'aria-label', wordsOf(message));
  }
}

interface Span {
  readonly center_hz: number | null;
  readonly span_hz: number;
}

function drawGrid(
  { context, width, height }: Sheet,
  range: DecibelRange,
  { center_hz, span_hz }: Span,
): void {
  const { line, muted } = palette();
  const bottom = height - FOOT;
  context.strokeStyle = line;
  context.fillStyle = muted;
  context.textBaseline = 'middle';
  context.textAlign = 'right';
  for (const level of ticksOf(range)) {
    const y = Math.round(HEAD + (bottom - HEAD) * (1 - shareOf(level, range))) + 0.5;
    rule(context, GUTTER.left, y, width - GUTTER.right, y);
    if (y > HEAD + 4) context.fillText(String(level).replace('-', '−'), GUTTER.left - 6, y);
  }
  context.fillText('dBFS', GUTTER.left - 6, HEAD + 1);
  const inner = width - GUTTER.left - GUTTER.right;
  for (let n = 0; n < FREQUENCIES; n += 1) {
    const share = n / (FREQUENCIES - 1);
    const x = Math.round(GUTTER.left + inner * share) + 0.5;
    rule(context, x, HEAD, x, bottom);
    if (!isNamed(n, inner)) continue;
    context.textAlign = n === 0 ? 'left' : n === FREQUENCIES - 1 ? 'right' : 'center';
    context.fillText(frequencyText(center_hz, (share - 0.5) * span_hz, n), x, bottom + 11);
  }
}

/**
 * Where all names do not fit beside each other the middle and the ends have one, on a narrow picture the middle alone.
 */
function isNamed(n: number, width: number): boolean {
  if (width >= WIDE) return true;
  return width >= NARROW ? n % 2 === 0 : n === (FREQUENCIES - 1) / 2;
}

/** The middle in full, the others by their distance from it. */
function frequencyText(centerHz: number | null, offsetHz: number, n: number): string {
  if (n === (FREQUENCIES - 1) / 2)
    return centerHz === null ? 'centre unknown' : megahertz(Math.round(centerHz));
  return `${offsetHz < 0 ? '−' : '+'}${(Math.abs(offsetHz) / 1e6).toPrecision(3)} MHz`;
}

function rule(context: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}

function drawLevels({ context, width, height }: Sheet, range: DecibelRange, levels: Float32Array): void {
  const inner = Math.max(1, Math.floor(width - GUTTER.left - GUTTER.right));
  const bottom = height - FOOT;
  const columns = columnsOf(levels, inner);
  context.beginPath();
  columns.forEach((level, column) => {
    const y = HEAD + (bottom - HEAD) * (1 - shareOf(level, range));
    if (column === 0) context.moveTo(GUTTER.left, y);
    else context.lineTo(GUTTER.left + column, y);
  });
  context.strokeStyle = palette().accent;
  context.lineWidth = 1.25;
  context.lineJoin = 'round';
  context.stroke();
  context.lineWidth = 1;
}

function wordsOf({ floats, description }: FeedMessage): string {
  if (description.kind !== 'spectrum') return 'Spectrum';
  let bin = 0;
  floats.forEach((level, at) => {
    if (level > floats[bin]!) bin = at;
  });
  const strongest = `Spectrum: strongest ${Math.round(floats[bin]!)} dBFS`;
  const { center_hz, span_hz } = description;
  if (center_hz === null) return `${strongest}; its centre is unknown`;
  const at = center_hz + (bin / floats.length - 0.5) * span_hz;
  return `${strongest} at ${megahertz(Math.round(at / 1e4) * 1e4)}`;
}
