/**
 * Which part of a drawing is seen: zoom at the pointer, move by dragging or arrow keys, fit, and follow what is active
 * as long as the person has not moved the drawing.
 */

import { oncePerFrame } from '../browser-clock.ts';
import { setAttribute } from '../element.ts';

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Below this, text of 12 px is too small to read; a chart that is whole at it needs no scrolling. */
const LEGIBLE = 0.6;
const SMALLEST = 0.15;
const LARGEST = 3;
const MARGIN_PX = 14;
const ZOOM_STEP = 1.2;
const KEY_STEP_PX = 60;

export class Viewport {
  readonly #frame: HTMLElement;
  readonly #svg: SVGSVGElement;
  readonly #apply = oncePerFrame(() => this.#draw());
  #content: Box = { x: 0, y: 0, width: 1, height: 1 };
  #active: Box | undefined;
  #width = 1;
  #height = 1;
  #x = 0;
  #y = 0;
  #scale = 1;
  /** How the part was chosen: to be legible, to be whole, or by the person. */
  #choice: 'legible' | 'whole' | 'own' = 'legible';

  constructor(update: HTMLElement, svg: SVGSVGElement) {
    this.#frame = update;
    this.#svg = svg;
    new ResizeObserver(([entry]) => this.#resized(entry!.contentRect)).observe(update);
    update.addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
    update.addEventListener('keydown', (event) => this.#key(event));
    this.#drag();
  }

  /** Another drawing; seen whole where that is legible, else around what is active. */
  content(width: number, height: number): void {
    this.#content = { x: 0, y: 0, width, height };
    this.#active = undefined;
    this.#choice = 'legible';
    this.#home();
  }

  /** As another drawing is seen first. */
  home(): void {
    this.#choice = 'legible';
    this.#home();
  }

  /** What matters now. */
  follow(box: Box | undefined): void {
    this.#active = box;
    if (box !== undefined && this.#choice === 'legible') this.#reveal(box);
  }

  fit(): void {
    this.#choice = 'whole';
    this.#center(this.#content, this.#whole());
  }

  zoom(factor: number): void {
    this.#zoomAt(factor, this.#width / 2, this.#height / 2);
  }

  #whole(): number {
    const { width, height } = this.#content;
    const room = (size: number): number => Math.max(1, size - 2 * MARGIN_PX);
    return Math.min(room(this.#width) / width, room(this.#height) / height, 1.25);
  }

  #home(): void {
    const whole = this.#whole();
    this.#center(this.#content, Math.max(whole, LEGIBLE));
    if (whole < LEGIBLE) this.#y = this.#content.y - MARGIN_PX / LEGIBLE;
    if (this.#active !== undefined) this.#reveal(this.#active);
  }

  #center({ x, y, width, height }: Box, scale: number): void {
    this.#scale = scale;
    this.#x = x + width / 2 - this.#width / 2 / scale;
    this.#y = y + height / 2 - this.#height / 2 / scale;
    this.#apply();
  }

  /** Moves as little as shows the box. */
  #reveal({ x, y, width, height }: Box): void {
    const margin = (2 * MARGIN_PX) / this.#scale;
    this.#x = within(this.#x, x - margin, x + width + margin - this.#width / this.#scale);
    this.#y = within(this.#y, y - margin, y + height + margin - this.#height / this.#scale);
    this.#apply();
  }

  #resized({ width, height }: { width: number; height: number }): void {
    this.#width = width;
    this.#height = height;
    if (this.#choice === 'own') this.#apply();
    else if (this.#choice === 'whole') this.fit();
    else this.#home();
  }

  #zoomAt(factor: number, left: number, top: number): void {
    const scale = Math.min(LARGEST, Math.max(SMALLEST, this.#scale * factor));
    this.#x += left / this.#scale - left / scale;
    this.#y += top / this.#scale - top / scale;
    this.#scale = scale;
    this.#choice = 'own';
    this.#apply();
  }

  #wheel(event: WheelEvent): void {
    event.preventDefault();
    const { left, top } = this.#frame.getBoundingClientRect();
    this.#zoomAt(event.deltaY < 0 ? ZOOM_STEP : 1 / ZOOM_STEP, event.clientX - left, event.clientY - top);
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const keys: Record<string, () => void> = {
      ArrowLeft: () => this.#shift(-KEY_STEP_PX, 0),
      ArrowRight: () => this.#shift(KEY_STEP_PX, 0),
      ArrowUp: () => this.#shift(0, -KEY_STEP_PX),
      ArrowDown: () => this.#shift(0, KEY_STEP_PX),
      '+': () => this.zoom(ZOOM_STEP),
      '=': () => this.zoom(ZOOM_STEP),
      '-': () => this.zoom(1 / ZOOM_STEP),
      '0': () => this.fit(),
    };
    const act = keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  }

  #shift(right: number, down: number): void {
    this.#x += right / this.#scale;
    this.#y += down / this.#scale;
    this.#choice = 'own';
    this.#apply();
  }

  #drag(): void {
    let last: { x: number; y: number } | undefined;
    this.#frame.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      last = { x: event.clientX, y: event.clientY };
      this.#frame.setPointerCapture(event.pointerId);
      this.#svg.classList.add('panned');
    });
    this.#frame.addEventListener('pointermove', ({ clientX, clientY }) => {
      if (last === undefined) return;
      this.#shift(last.x - clientX, last.y - clientY);
      last = { x: clientX, y: clientY };
    });
    const end = (): void => {
      last = undefined;
      this.#svg.classList.remove('panned');
    };
    this.#frame.addEventListener('pointerup', end);
    this.#frame.addEventListener('pointercancel', end);
  }

  #draw(): void {
    const view = [this.#x, this.#y, this.#width / this.#scale, this.#height / this.#scale];
    setAttribute(this.#svg, 'viewBox', view.map((part) => part.toFixed(1)).join(' '));
  }
}

/** The nearest to `at` from which everything between is seen; the beginning where not all of it fits. */
function within(at: number, latest: number, earliest: number): number {
  if (earliest > latest) return latest;
  return Math.min(latest, Math.max(earliest, at));
}
