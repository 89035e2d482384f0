/**
 * Hands received frames on one after the other and stops the source while there is no room (gateway.L2).
 *
 * I1. Frames are handed on in the order received, also those of a connection that has ended meanwhile.
 * I2. Beyond what was received when the room ran out, nothing is kept: `room` is what the source waits for.
 */

import type { Listener } from './gateway.ts';

export class Intake {
  readonly #listener: Listener;
  #waiting: Buffer[] = [];
  #room: Promise<void> | undefined;
  #stopped = false;

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  /** Resolves when everything taken has been handed on; undefined when it has. */
  get room(): Promise<void> | undefined {
    return this.#room;
  }

  /** Takes frames received now; the promise, when there is one, is `room`. */
  take(frames: readonly Buffer[]): Promise<void> | undefined {
    for (const frame of frames) this.#waiting.push(frame);
    this.#room ??= this.#handOn();
    return this.#room;
  }

  /** Gives up what waits. */
  stop(): void {
    this.#stopped = true;
    this.#waiting = [];
  }

  #handOn(): Promise<void> | undefined {
    return this.#handUntilFull()?.then(() => {
      this.#room = this.#handOn();
      return this.#room;
    });
  }

  /** The promise of room when it ran out; undefined when nothing waits any more. */
  #handUntilFull(): Promise<void> | undefined {
    const frames = this.#waiting;
    for (let next = 0; next < frames.length; next += 1) {
      const room = this.#stopped ? undefined : this.#listener.frame(frames[next]!);
      if (room === undefined) continue;
      this.#waiting = frames.slice(next + 1);
      return room;
    }
    this.#waiting = [];
    return undefined;
  }
}
