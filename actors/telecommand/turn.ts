/**
 * Whose turn it is to leave: one telecommand of a lane at a time, in the order they were taken up. Mission Control
 * Service, section 4.1 rule 4 (lane.J1).
 *
 * A telecommand has its place before its turn: what harms nobody, recording that it was taken up and having it encoded,
 * is done meanwhile.
 *
 * T1. Whoever is encoded before its turn is so behind everybody before it: a driver counts in the order in which
 *     telecommands leave.
 */

import { LANE_AHEAD } from '../../contract/limits/telecommand.ts';

export interface Place {
  /** Resolves when everybody before has left. */
  readonly turn: Promise<void>;
  /** Resolves when everybody before is encoded, or never will be (T1). */
  readonly turnToEncode: Promise<void>;
  /** Its frame is there. */
  encoded(): void;
  /** It has left, or never will. */
  leave(): void;
}

export class Turn {
  /** The newest places, oldest first; each resolves when it and everybody before it have left. */
  readonly #left: Promise<void>[] = [];
  /** Resolves when the newest and everybody before it are encoded. */
  #encoded: Promise<void> = Promise.resolve();

  /** The place behind everybody who has one. */
  take(): Place {
    const turn = this.#left.at(-1) ?? Promise.resolve();
    const turnToEncode = this.#encoded;
    const [left, encoded] = [gate(), gate()];
    this.#left.push(turn.then(() => left.opened));
    this.#encoded = turnToEncode.then(() => encoded.opened);
    if (this.#left.length > LANE_AHEAD) this.#left.shift();
    const leave = (): void => {
      encoded.open();
      left.open();
    };
    return { turn, turnToEncode, encoded: encoded.open, leave };
  }

  /** Undefined while fewer than `LANE_AHEAD` wait, else resolves when one of them has left. */
  room(): Promise<void> | undefined {
    return this.#left.length < LANE_AHEAD ? undefined : this.#left[0];
  }
}

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
