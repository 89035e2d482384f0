/**
 * Which sample of a sliding window is the smallest (or largest), at constant cost per sample: only samples that may
 * still become it are remembered, a queue whose values rise (or fall).
 */

export class Extreme {
  /** 1 for the smallest, -1 for the largest. */
  readonly #sign: 1 | -1;
  #indexes: number[] = [];
  #values: number[] = [];
  #head = 0;

  constructor(sign: 1 | -1) {
    this.#sign = sign;
  }

  /** Index of the extreme sample; the window must not be empty. */
  get index(): number {
    return this.#indexes[this.#head]!;
  }

  push(index: number, value: number): void {
    const signed = this.#sign * value;
    while (this.#values.length > this.#head && this.#values[this.#values.length - 1]! >= signed) {
      this.#values.pop();
      this.#indexes.pop();
    }
    this.#values.push(signed);
    this.#indexes.push(index);
  }

  forgetBefore(first: number): void {
    while (this.#head < this.#indexes.length && this.#indexes[this.#head]! < first) this.#head += 1;
    if (this.#head > 64 && this.#head * 2 > this.#indexes.length) this.#compact();
  }

  clear(): void {
    this.#indexes = [];
    this.#values = [];
    this.#head = 0;
  }

  /** Half the queue is spent: moving the other half costs each sample once. */
  #compact(): void {
    this.#indexes = this.#indexes.slice(this.#head);
    this.#values = this.#values.slice(this.#head);
    this.#head = 0;
  }
}
