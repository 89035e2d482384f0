/** The waterfall: rows of time with the newest on top, coloured by level. */

import { element } from '../element.ts';
import { colourOf, columnsOf, type DecibelRange, shareOf } from './decibel-scale.ts';
import { cleared, palette, type Sheet } from './picture.ts';
import { SLOT_MS, WaterfallRows } from './waterfall-rows.ts';

/** Beside the picture, for the numbers of the axes; the spectrum above has the same. */
export const GUTTER = { left: 46, right: 10 } as const;
const ROWS = 160;
const COLUMNS = 512;
const TIME_STEP_S = 10;
const COLOURS = 256;

export class WaterfallView {
  readonly #canvas: HTMLCanvasElement;
  readonly #rows = new WaterfallRows(ROWS);
  /** As many points as there are rows and columns; drawn stretched. */
  readonly #image = element('canvas', { width: COLUMNS, height: ROWS });
  #range: DecibelRange | undefined;
  /** Rows of the image, from the newest, that are not as they should be. */
  #stale = ROWS;

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
  }

  range(range: DecibelRange): void {
    this.#range = range;
    this.#stale = ROWS;
  }

  add(levels: Float32Array, at: number): void {
    this.#moved(this.#rows.add(columnsOf(levels, COLUMNS), at));
    this.#stale = Math.max(1, this.#stale);
  }

  pass(at: number): void {
    const begun = this.#rows.pass(at);
    this.#moved(begun);
    if (begun > 0) this.draw();
  }

  redraw(): void {
    this.#stale = ROWS;
    this.draw();
  }

  draw(): void {
    const sheet = cleared(this.#canvas);
    this.#paint();
    const { context, width, height } = sheet;
    const inner = Math.max(1, width - GUTTER.left - GUTTER.right);
    context.fillStyle = palette().raised;
    context.fillRect(GUTTER.left, 0, inner, height);
    context.imageSmoothingEnabled = false;
    context.drawImage(this.#image, GUTTER.left, 0, inner, height);
    drawTimes(sheet);
  }

  #moved(begun: number): void {
    if (begun === 0) return;
    const context = this.#image.getContext('2d')!;
    context.globalCompositeOperation = 'copy';
    context.drawImage(this.#image, 0, begun);
    context.globalCompositeOperation = 'source-over';
    this.#stale = Math.min(ROWS, this.#stale + begun);
  }

  #paint(): void {
    const range = this.#range;
    if (range === undefined || this.#stale === 0) return;
    const image = new ImageData(COLUMNS, this.#stale);
    for (let row = 0; row < this.#stale; row += 1) paintRow(image.data, row, this.#rows.rows[row], range);
    this.#image.getContext('2d')!.putImageData(image, 0, 0);
    this.#stale = 0;
  }
}

const TABLE = Array.from({ length: COLOURS }, (_, n) => colourOf(n / (COLOURS - 1)));

/** A slot without a spectrum stays clear. */
function paintRow(
  data: Uint8ClampedArray,
  row: number,
  levels: Float32Array | undefined,
  range: DecibelRange,
): void {
  if (levels === undefined) return;
  for (let column = 0; column < COLUMNS; column += 1) {
    const [red, green, blue] = TABLE[Math.round(shareOf(levels[column]!, range) * (COLOURS - 1))]!;
    data.set([red, green, blue, 255], (row * COLUMNS + column) * 4);
  }
}

function drawTimes({ context, height }: Sheet): void {
  context.fillStyle = palette().muted;
  context.textAlign = 'right';
  const seconds = (ROWS * SLOT_MS) / 1000;
  for (let at = 0; at <= seconds; at += TIME_STEP_S) {
    const y = (at / seconds) * height;
    context.textBaseline = at === 0 ? 'top' : at === seconds ? 'bottom' : 'middle';
    context.fillText(at === 0 ? 'now' : `−${at} s`, GUTTER.left - 6, y);
  }
}
