/** Answers that are sent row by row, of which one process has so many at once: each holds a page of the past. */

import { HISTORY_STREAMS } from '../../contract/limits/archive.ts';

export class HistoryStreams {
  readonly #most: number;
  #open = 0;

  constructor(most = HISTORY_STREAMS) {
    this.#most = most;
  }

  get full(): boolean {
    return this.#open >= this.#most;
  }

  get most(): number {
    return this.#most;
  }

  /** The pieces, counted from the first that is asked for to whatever ends them. */
  async *counted(pieces: () => AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    this.#open += 1;
    try {
      yield* pieces();
    } finally {
      this.#open -= 1;
    }
  }
}
