/**
 * Which ordinals of a store have changed since a round began, each once: arrays that are there, nothing made for a
 * sample.
 *
 * C1. What is given is only good until the next round.
 * C2. With `step`, every change is reported: it is called before an ordinal changes a second time, and at the end.
 */

export type Step = (changed: Uint32Array) => void;

export class ChangedOrdinals {
  #changed: Uint32Array;
  #count = 0;
  /** `#mark[ordinal] === #round`: the ordinal stands in `#changed`. */
  #mark: Uint32Array;
  #round = 1;
  #step: Step | undefined;

  constructor(size: number) {
    this.#changed = new Uint32Array(size);
    this.#mark = new Uint32Array(size);
  }

  /** Begins a round. */
  begin(step?: Step): void {
    this.#step = step;
    this.#count = 0;
    this.#round = this.#round === 0xffff_ffff ? 1 : this.#round + 1;
    if (this.#round === 1) this.#mark.fill(0);
  }

  /** A sample of the ordinal comes (C2). */
  before(ordinal: number): void {
    const step = this.#step;
    if (step === undefined || this.#mark[ordinal] !== this.#round) return;
    step(this.#now());
    this.begin(step);
  }

  note(ordinal: number): void {
    if (this.#mark[ordinal] === this.#round) return;
    this.#mark[ordinal] = this.#round;
    this.#changed[this.#count++] = ordinal;
  }

  /** The ordinals that changed in the round (C1). */
  end(): Uint32Array {
    const changed = this.#now();
    if (changed.length > 0) this.#step?.(changed);
    return changed;
  }

  /** Ordinals may be as many now. */
  grow(size: number): void {
    this.#changed = grown(this.#changed, size);
    this.#mark = grown(this.#mark, size);
  }

  #now(): Uint32Array {
    return this.#changed.subarray(0, this.#count);
  }
}

function grown(column: Uint32Array, size: number): Uint32Array {
  if (size <= column.length) return column;
  const larger = new Uint32Array(size);
  larger.set(column);
  return larger;
}
