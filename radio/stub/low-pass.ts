/** The analog filter of a receiver on samples: of third order, as the spectrum of the model has it. */

/** Above this share of the sample rate a filter cuts nothing off that a sample could carry. */
const WIDEST = 0.9;

interface Section {
  readonly b: readonly [number, number, number];
  readonly a: readonly [number, number];
}

export class LowPass {
  #width = 0;
  #next = -1;
  #sections: readonly Section[] = [];
  /** Of I and Q, two for each section. */
  #states: readonly [Float64Array, Float64Array] = [new Float64Array(4), new Float64Array(4)];

  /** Filters samples from a count on; `width` is the whole width as a share of the sample rate. */
  pass(width: number, from: number, i: Float64Array, q: Float64Array): void {
    if (!(width < WIDEST)) {
      this.#next = -1;
      return;
    }
    if (width !== this.#width || from !== this.#next) this.#begin(width);
    this.#next = from + i.length;
    for (const [part, values] of [i, q].entries())
      for (const [place, section] of this.#sections.entries())
        filter(values, section, this.#states[part]!, 2 * place);
  }

  #begin(width: number): void {
    this.#width = width;
    this.#states = [new Float64Array(4), new Float64Array(4)];
    const k = Math.tan((Math.PI * width) / 2);
    const first = k / (k + 1);
    const norm = 1 / (1 + k + k * k);
    this.#sections = [
      { b: [first, first, 0], a: [(k - 1) / (k + 1), 0] },
      {
        b: [k * k * norm, 2 * k * k * norm, k * k * norm],
        a: [2 * (k * k - 1) * norm, (1 - k + k * k) * norm],
      },
    ];
  }
}

function filter(values: Float64Array, { b, a }: Section, state: Float64Array, at: number): void {
  const [b0, b1, b2] = b;
  const [a1, a2] = a;
  let one = state[at]!;
  let two = state[at + 1]!;
  for (let place = 0; place < values.length; place += 1) {
    const value = values[place]!;
    const passed = b0 * value + one;
    one = b1 * value - a1 * passed + two;
    two = b2 * value - a2 * passed;
    values[place] = passed;
  }
  state[at] = one;
  state[at + 1] = two;
}
