/** Whether this process still owns its archive (archive/archive.V6). */

import { codeOf } from './error-code.ts';
import { FENCED } from './writing-place.ts';

export class Owner {
  readonly #told: ((error: Error) => void) | undefined;
  #isOut = false;

  /** `told` once, with what shut it out. */
  constructor(told: ((error: Error) => void) | undefined) {
    this.#told = told;
  }

  get isOut(): boolean {
    return this.#isOut;
  }

  /** Whether the error says that another process has opened the archive. */
  isShutOutBy(error: unknown): boolean {
    if (codeOf(error) !== FENCED) return false;
    if (!this.#isOut) this.#told?.(error as Error);
    this.#isOut = true;
    return true;
  }
}
