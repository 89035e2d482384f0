/**
 * Stops of the transmitter, and what they forbid: the fence between a mute and everything that was asked before it.
 *
 * Z1. Nothing asked before a stop makes the transmitter radiate behind it: it needs a command that is newer than the
 *     stop.
 * Z2. A stop by hand holds for the run that has the board: whatever that run asks later is of before. Its own stops
 *     count like those of everybody, in the order of asking.
 * Z3. What was handed to the board when the stop came, and lands behind it, is undone before anybody is answered.
 */

/** Somebody stopped the transmitter after this was asked, or took its path away: it is not done. */
export class Interrupted extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Interrupted';
  }
}

/** A moment in the order of the stops, as one command sees it. */
export class Permit {
  readonly #isOver: () => string | undefined;

  constructor(isOver: () => string | undefined) {
    this.#isOver = isOver;
  }

  /** The route that stopped it; undefined while nothing has. */
  get stoppedBy(): string | undefined {
    return this.#isOver();
  }

  /** Throws when a stop has come (Z1). */
  check(): void {
    const route = this.#isOver();
    if (route === undefined) return;
    throw new Interrupted(
      `${route} has stopped the transmitter since this was asked: ask again if it is to transmit`,
    );
  }
}

/** For what nobody can stop: tests of the board alone. */
export const UNSTOPPED = new Permit(() => undefined);

interface Stop {
  readonly number: number;
  readonly route: string;
}

const NO_STOP: Stop = { number: 0, route: '' };

export class Stops {
  #last = NO_STOP;
  #lastByHand = NO_STOP;

  /** How many there were. */
  get count(): number {
    return this.#last.number;
  }

  /** From now on everything asked before is of before. */
  add(route: string, isByHand: boolean): void {
    this.#last = { number: this.#last.number + 1, route };
    if (isByHand) this.#lastByHand = this.#last;
  }

  /** For what is asked now; by a run also what count of stops there was when it took the board (Z2). */
  permit(heldSince?: number): Permit {
    const asked = this.count;
    return new Permit(() => {
      if (this.#last.number > asked) return this.#last.route;
      return heldSince !== undefined && this.#lastByHand.number > heldSince
        ? this.#lastByHand.route
        : undefined;
    });
  }
}
