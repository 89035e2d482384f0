/**
 * Rows of the waterfall over time: one for each slot of time, the strongest of what came in it. Pure.
 *
 * T1. A slot in which nothing came is an empty row: the axis of time is true also where the bench sent nothing.
 */

/** One row: 160 of them are 40 seconds. */
export const SLOT_MS = 250;

export class WaterfallRows {
  readonly #most: number;
  /** Newest first. */
  readonly #rows: (Float32Array | undefined)[] = [];
  #slot: number | undefined;

  constructor(most: number) {
    this.#most = most;
  }

  get rows(): readonly (Float32Array | undefined)[] {
    return this.#rows;
  }

  /** How many rows began since; everything is to be drawn again when that is as many as there are. */
  add(levels: Float32Array, at: number): number {
    const begun = this.pass(at);
    const row = this.#rows[0];
    if (row === undefined || row.length !== levels.length) this.#rows[0] = levels.slice();
    else for (const [column, level] of levels.entries()) row[column] = Math.max(row[column]!, level);
    return begun;
  }

  /** Time went on to `at` (ms of any clock that does not jump back). */
  pass(at: number): number {
    const slot = Math.floor(at / SLOT_MS);
    const begun = Math.min(this.#most, Math.max(0, slot - (this.#slot ?? slot - 1)));
    this.#slot = slot;
    for (let n = 0; n < begun; n += 1) this.#rows.unshift(undefined);
    this.#rows.length = Math.min(this.#rows.length, this.#most);
    return begun;
  }

  clear(): void {
    this.#rows.length = 0;
    this.#slot = undefined;
  }
}
