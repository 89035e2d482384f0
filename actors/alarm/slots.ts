/**
 * How many changes of alarms one leader records at the same time, whichever targets they are of. Part of the alarm
 * service.
 *
 * U1. Never more are taken than there are: a person's command stands behind so many writes to the bus, however many
 *     targets storm.
 * U2. A target that found none is offered the next that is free, in the order of asking: no target keeps another
 *     waiting.
 */

export class Slots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Takes one; where none is free, `freed` is called once when there may be. */
  take(freed: () => void): boolean {
    if (this.#free === 0) {
      this.#waiting.add(freed);
      return false;
    }
    this.#free -= 1;
    return true;
  }

  /** Gives one back. A target that is offered it and does not take it leaves it to the next. */
  give(): void {
    this.#free += 1;
    for (const freed of this.#waiting) {
      if (this.#free === 0) return;
      this.#waiting.delete(freed);
      freed();
    }
  }
}
