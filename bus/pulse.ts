/**
 * Whether the server answers: one that hangs keeps its connection for many seconds, in which nothing new comes and what
 * is known grows old. Mission Control Service, section 4 (MC-GEN-017).
 *
 * U1. A server is silent that has not answered over `BUS_SILENT_BEATS` beats in a row, connected or not. Beats that
 *     this process did not make itself, because it slept, are not counted.
 * U2. One question waits at most, and the first answer ends the silence.
 */

import { BUS_BEAT_MS, BUS_SILENT_BEATS } from '../contract/limits/bus.ts';

export class Pulse {
  readonly #ask: () => Promise<void> | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #timer: NodeJS.Timeout;
  #missed = 0;
  #asking = false;

  /** `ask` resolves at the answer of the server, and is undefined while there is no connection. */
  constructor(ask: () => Promise<void> | undefined) {
    this.#ask = ask;
    this.#timer = setInterval(() => this.#beat(), BUS_BEAT_MS);
    this.#timer.unref();
  }

  get silent(): boolean {
    return this.#missed >= BUS_SILENT_BEATS;
  }

  /** Called each time a silence begins. */
  onSilence(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** It has answered (U2). */
  heard(): void {
    this.#missed = 0;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #beat(): void {
    this.#missed += 1;
    if (this.#missed === BUS_SILENT_BEATS) for (const listener of [...this.#listeners]) listener();
    const asked = this.#asking ? undefined : this.#ask();
    if (asked === undefined) return;
    this.#asking = true;
    void asked.then(
      () => this.#asked(true),
      () => this.#asked(false),
    );
  }

  #asked(answered: boolean): void {
    this.#asking = false;
    if (answered) this.heard();
  }
}
