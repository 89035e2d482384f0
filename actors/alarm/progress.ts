/**
 * How far the values of a target are read and what changed by them recorded. Part of the alarm service.
 *
 * P1. A place counts as recorded only when everything taken up to it is: work ends in any order, the low-water mark
 *     rises in the order of the stream.
 * P2. What waits is as much as there are changes: messages that change nothing are one place, however many come.
 */

/** A message, the time passed behind it, and when the bus stored it. */
export type Stands = { readonly position: number; readonly at: number; readonly stored: number };

interface Taken {
  stands: Stands;
  open: number;
}

export class Progress {
  readonly #taken: Taken[] = [];
  readonly #advanced: () => void;
  #recorded: Stands;

  /** `advanced` is called whenever `recorded` is another place. */
  constructor(recorded: Stands, advanced: () => void) {
    this.#recorded = recorded;
    this.#advanced = advanced;
  }

  /** Where everything before is recorded. */
  get recorded(): Stands {
    return this.#recorded;
  }

  /** Places that are not recorded yet. */
  get waiting(): number {
    return this.#taken.length;
  }

  /** Takes so many changes up; each is recorded when the function it gives is called. */
  take(stands: Stands, changes: number): () => void {
    const last = this.#taken.at(-1);
    if (changes === 0 && last?.open === 0) last.stands = stands;
    const taken = { stands, open: changes };
    if (changes > 0 || last?.open !== 0) this.#taken.push(taken);
    if (changes === 0) this.#settle();
    return () => {
      taken.open -= 1;
      if (taken.open === 0) this.#settle();
    };
  }

  #settle(): void {
    for (let first = this.#taken[0]; first?.open === 0; first = this.#taken[0]) {
      this.#recorded = first.stands;
      this.#taken.shift();
      this.#advanced();
    }
  }
}
