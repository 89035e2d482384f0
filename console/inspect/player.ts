/**
 * The history of an entity step by step: slider, back, on, play. What is shown at a step is the page's matter.
 *
 * P1. A step is chosen by its number in the log, so that a history which grows keeps the place, and one whose beginning
 *     is not shown keeps its numbers.
 */

import type { HistoryStep } from '../../contract/inspection.ts';
import { later } from '../browser-clock.ts';
import { byId, setAttribute, setText } from '../element.ts';
import { clockTime } from '../moment.ts';

const PLAY_MS = 1_000;

export class Player {
  readonly #section = byId('player', HTMLElement);
  readonly #slider = byId('player-position', HTMLInputElement);
  readonly #text = byId('player-text', HTMLElement);
  readonly #play = byId('player-play', HTMLButtonElement);
  readonly #previous = byId('player-previous', HTMLButtonElement);
  readonly #next = byId('player-next', HTMLButtonElement);
  readonly #chosen: (step: HistoryStep, forward: boolean) => void;
  #steps: readonly HistoryStep[] = [];
  #at = 0;
  #cancel: (() => void) | undefined;

  constructor(chosen: (step: HistoryStep, forward: boolean) => void) {
    this.#chosen = chosen;
    this.#slider.addEventListener('input', () => this.go(Number(this.#slider.value)));
    this.#previous.addEventListener('click', () => this.step(-1));
    this.#next.addEventListener('click', () => this.step(1));
    this.#play.addEventListener('click', () => this.toggle());
  }

  get #first(): number {
    return this.#steps[0]?.n ?? 1;
  }

  get #last(): number {
    return this.#steps.at(-1)?.n ?? 0;
  }

  get hasSteps(): boolean {
    return this.#steps.length > 0;
  }

  /** Shows the history at its end; hides the player when there is none. */
  show(steps: readonly HistoryStep[]): void {
    this.#stop();
    this.#steps = steps;
    this.#section.hidden = steps.length === 0;
    this.#at = 0;
    if (steps.length === 0) return;
    this.#slider.min = `${this.#first}`;
    this.#slider.max = `${this.#last}`;
    this.go(this.#last);
  }

  go(n: number): void {
    const step = this.#steps[n - this.#first];
    if (step === undefined) return;
    const forward = n === this.#at + 1;
    this.#at = n;
    this.#slider.value = `${n}`;
    const text = `${n}/${this.#last} ${step.event} ${clockTime(step.at)}`;
    setText(this.#text, text);
    setAttribute(this.#slider, 'aria-valuetext', `step ${n} of ${this.#last}, ${step.event}`);
    this.#previous.disabled = n === this.#first;
    this.#next.disabled = n === this.#last;
    this.#chosen(step, forward);
  }

  /** Shows the chosen step again. */
  again(): void {
    this.go(this.#at);
  }

  step(by: number): void {
    this.#stop();
    this.go(this.#at + by);
  }

  toggle(): void {
    if (this.#cancel !== undefined) return this.#stop();
    if (!this.hasSteps) return;
    this.go(this.#at === this.#last ? this.#first : this.#at + 1);
    this.#playOn();
  }

  #playOn(): void {
    if (this.#at === this.#last) return this.#stop();
    setText(this.#play, 'Pause');
    this.#cancel = later(() => {
      this.go(this.#at + 1);
      this.#playOn();
    }, PLAY_MS);
  }

  #stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    setText(this.#play, 'Play');
  }
}
