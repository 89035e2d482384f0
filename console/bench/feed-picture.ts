/**
 * A picture of the newest message of a feed; without one it says why. Drawn at most so often, in the colours of the
 * theme.
 */

import type { FeedMessage } from '../../contract/bench/feed.ts';
import { oncePerFrame } from '../browser-clock.ts';
import { setAttribute } from '../element.ts';
import { cleared, drawNothing, palette, type Sheet, whenResized, whenThemeChanges } from './picture.ts';

const NO_SIGNAL = 'no signal';

interface Drawing {
  /** What it is, for who cannot see it. */
  readonly name: string;
  /** Draws it and says what it shows; undefined: the message is of another feed. */
  readonly draw: (sheet: Sheet, message: FeedMessage) => string | undefined;
}

export class FeedPicture {
  readonly #canvas: HTMLCanvasElement;
  readonly #drawing: Drawing;
  readonly #draw: () => void;
  #message: FeedMessage | undefined;
  #words = NO_SIGNAL;

  constructor(canvas: HTMLCanvasElement, leastMs: number, drawing: Drawing) {
    this.#canvas = canvas;
    this.#drawing = drawing;
    this.#draw = oncePerFrame(() => this.#drawNow(), leastMs);
    whenThemeChanges(this.#draw);
    whenResized(canvas, this.#draw);
  }

  /** A message without numbers is no signal. */
  show(message: FeedMessage): void {
    this.#message = message.floats.length === 0 ? undefined : message;
    this.#words = NO_SIGNAL;
    this.#draw();
  }

  empty(words: string): void {
    this.#message = undefined;
    this.#words = words;
    this.#draw();
  }

  #drawNow(): void {
    const sheet = cleared(this.#canvas);
    const { name, draw } = this.#drawing;
    const shown = this.#message && draw(sheet, this.#message);
    if (shown === undefined) drawNothing(sheet, this.#words, palette());
    setAttribute(this.#canvas, 'aria-label', shown ?? `${name}: ${this.#words}`);
  }
}
