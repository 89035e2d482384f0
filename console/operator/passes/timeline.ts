/**
 * The timeline as an element: a canvas as high as what is seen of the lanes, in a box that scrolls over all of them.
 * The pointer pans, zooms, selects and takes what is dragged into a pass; the keys do the same. What stands on it is
 * in the table under it too, for screen readers.
 */

import type { HeldPass } from '../data/held-pass.ts';
import { coloursOf, NAMES, type TimelinePicture } from './bar-painting.ts';
import { type Lane, passAt, timeAt } from './timeline-layout.ts';
import { AXIS, LANE, paintTimeline } from './timeline-painting.ts';

/** What a dragged procedure is called among what is dragged. */
export const DRAGGED = 'application/x-mcs-procedure';
const MOST_HEIGHT = 420;
const LEAST_WIDTH = 240;
/** Less than that is no movement but a press. */
const MOVED = 4;

export interface TimelineActions {
  readonly selected: (held: HeldPass) => void;
  /** By a share of what is seen; above 0 to later. */
  readonly panned: (share: number) => void;
  /** `at`, ms since 1970, stays where it is. */
  readonly zoomed: (factor: number, at: number) => void;
  readonly key: (key: string) => boolean;
  /** A procedure was dropped into a pass at that moment. */
  readonly dropped: (procedure: string, held: HeldPass, at: number) => void;
  readonly changed: () => void;
}

export type Shown = Omit<TimelinePicture, 'sight' | 'dropped'> & {
  readonly from: number;
  readonly to: number;
};

export class Timeline {
  /** The element that holds it; a template has it as a child. */
  readonly element = document.createElement('div');
  readonly #canvas = document.createElement('canvas');
  readonly #all = document.createElement('div');
  readonly #actions: TimelineActions;
  #shown: Shown | undefined;
  #dropped: TimelinePicture['dropped'];
  #pressed: { x: number; readonly from: number; isMoving: boolean } | undefined;

  constructor(actions: TimelineActions) {
    this.#actions = actions;
    const { element } = this;
    element.className = 'timeline';
    element.tabIndex = 0;
    element.setAttribute('role', 'group');
    element.append(this.#canvas, this.#all);
    element.addEventListener('scroll', actions.changed);
    element.addEventListener('keydown', (event) => {
      if (!event.ctrlKey && !event.metaKey && !event.altKey && actions.key(event.key)) event.preventDefault();
    });
    new ResizeObserver(actions.changed).observe(element);
    this.#listen();
  }

  draw(shown: Shown, label: string): void {
    this.#shown = shown;
    const { element } = this;
    if (element.getAttribute('aria-label') !== label) element.setAttribute('aria-label', label);
    const whole = AXIS + shown.lanes.length * LANE + 1;
    const height = Math.min(MOST_HEIGHT, whole);
    const width = Math.max(LEAST_WIDTH, element.clientWidth);
    const ratio = devicePixelRatio;
    // Only where it differs: to set the size of a canvas empties it.
    if (
      this.#canvas.width !== Math.round(width * ratio) ||
      this.#canvas.height !== Math.round(height * ratio)
    ) {
      this.#canvas.width = Math.round(width * ratio);
      this.#canvas.height = Math.round(height * ratio);
      this.#canvas.style.width = `${width}px`;
      this.#canvas.style.height = `${height}px`;
      element.style.height = `${height + 2}px`;
    }
    this.#all.style.height = `${whole - height}px`;
    const context = this.#canvas.getContext('2d')!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const picture = { ...shown, sight: this.#sight(), dropped: this.#dropped };
    paintTimeline(context, picture, coloursOf(element), element.scrollTop, height);
  }

  /** Scrolls to the lane with that pass. */
  reveal(held: HeldPass): void {
    const index = this.#shown?.lanes.findIndex(({ passes }) => passes.includes(held)) ?? -1;
    if (index === -1) return;
    const { element } = this;
    const room = element.clientHeight - AXIS - LANE;
    if (index * LANE < element.scrollTop) element.scrollTop = index * LANE;
    else if (index * LANE > element.scrollTop + room) element.scrollTop = index * LANE - room;
  }

  #sight(): TimelinePicture['sight'] {
    const { from, to } = this.#shown!;
    return { from, to, width: Math.max(1, Math.max(LEAST_WIDTH, this.element.clientWidth) - NAMES) };
  }

  #listen(): void {
    const canvas = this.#canvas;
    canvas.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      this.#pressed = { x: event.clientX, from: event.clientX, isMoving: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', (event) => this.#move(event));
    canvas.addEventListener('pointerup', (event) => this.#release(event));
    canvas.addEventListener('pointercancel', () => {
      this.#pressed = undefined;
    });
    canvas.addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
    canvas.addEventListener('dragover', (event) => this.#over(event));
    canvas.addEventListener('dragleave', () => this.#showDrop(undefined));
    canvas.addEventListener('drop', (event) => this.#drop(event));
  }

  #move(event: PointerEvent): void {
    const pressed = this.#pressed;
    if (pressed === undefined) {
      this.#canvas.classList.toggle('on-pass', this.#at(event) !== undefined);
      return;
    }
    if (Math.abs(event.clientX - pressed.from) >= MOVED) pressed.isMoving = true;
    if (!pressed.isMoving) return;
    this.#actions.panned((pressed.x - event.clientX) / this.#sight().width);
    pressed.x = event.clientX;
  }

  #release(event: PointerEvent): void {
    const pressed = this.#pressed;
    this.#pressed = undefined;
    if (pressed === undefined || pressed.isMoving) return;
    const found = this.#at(event);
    if (found !== undefined) this.#actions.selected(found.held);
  }

  #wheel(event: WheelEvent): void {
    event.preventDefault();
    const by = event.deltaY || event.deltaX;
    if (event.shiftKey || event.deltaY === 0) this.#actions.panned(Math.sign(by) * 0.1);
    else this.#actions.zoomed(by > 0 ? 1.25 : 0.8, this.#timeOf(event));
  }

  #over(event: DragEvent): void {
    if (!(event.dataTransfer?.types.includes(DRAGGED) ?? false)) return;
    const found = this.#at(event);
    this.#showDrop(found);
    if (found !== undefined) event.preventDefault();
  }

  #drop(event: DragEvent): void {
    const found = this.#at(event);
    const procedure = event.dataTransfer?.getData(DRAGGED) ?? '';
    this.#showDrop(undefined);
    if (found === undefined || procedure === '') return;
    event.preventDefault();
    this.#actions.dropped(procedure, found.held, found.at);
  }

  #showDrop(dropped: TimelinePicture['dropped']): void {
    if (dropped === undefined && this.#dropped === undefined) return;
    this.#dropped = dropped;
    this.#actions.changed();
  }

  #timeOf({ clientX }: MouseEvent): number {
    return timeAt(clientX - this.#canvas.getBoundingClientRect().left - NAMES, this.#sight());
  }

  #at(event: MouseEvent): { readonly held: HeldPass; readonly at: number } | undefined {
    if (this.#shown === undefined) return undefined;
    const { left, top } = this.#canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - left - NAMES, event.clientY - top - AXIS];
    if (x < 0 || y < 0) return undefined;
    const lane: Lane | undefined = this.#shown.lanes[Math.floor((y + this.element.scrollTop) / LANE)];
    const held = lane && passAt(lane, x, this.#sight());
    return held && { held, at: this.#timeOf(event) };
  }
}
