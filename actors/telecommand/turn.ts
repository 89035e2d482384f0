/**
 * Whose turn it is to leave: one telecommand of a lane at a time, in the order they were taken up. Mission Control
 * Service, section 4.1 rule 4 (lane.J1).
 *
 * A telecommand has its place before its turn: what harms nobody, recording that it was taken up, is done meanwhile.
 */

import { LANE_AHEAD } from '../../contract/limits.ts';

export interface Place {
  /** Resolves when everybody before has left. */
  readonly turn: Promise<void>;
  /** It has left, or never will. */
  leave(): void;
}

export class Turn {
  /** The newest places, oldest first; each resolves when it and everybody before it have left. */
  readonly #left: Promise<void>[] = [];

  /** The place behind everybody who has one. */
  take(): Place {
    const turn = this.#left.at(-1) ?? Promise.resolve();
    let leave = (): void => undefined;
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    this.#left.push(turn.then(() => left));
    if (this.#left.length > LANE_AHEAD) this.#left.shift();
    return { turn, leave: () => leave() };
  }

  /** Undefined while fewer than `LANE_AHEAD` wait, else resolves when one of them has left. */
  room(): Promise<void> | undefined {
    return this.#left.length < LANE_AHEAD ? undefined : this.#left[0];
  }
}
