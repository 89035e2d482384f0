/** Things that a person has the service do, each under a name, and what became of the last one of each. */

import type { ServiceError } from '../../service-error.ts';
import { refusalOf } from './refusal.ts';

export class Deeds {
  readonly #changed: () => void;
  readonly #underWay = new Set<string>();
  readonly #refusals = new Map<string, ServiceError>();
  readonly #said = new Map<string, unknown>();

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  isUnderWay(name: string): boolean {
    return this.#underWay.has(name);
  }

  refusalOf(name: string): ServiceError | undefined {
    return this.#refusals.get(name);
  }

  /** What the service answered; undefined before it has, and after a refusal. */
  answerOf(name: string): unknown {
    return this.#said.get(name);
  }

  forget(name: string): void {
    this.#refusals.delete(name);
    this.#said.delete(name);
    this.#changed();
  }

  /** One at a time under a name: another one meanwhile is left out. */
  async give(name: string, work: () => Promise<unknown>): Promise<void> {
    if (this.#underWay.has(name)) return;
    this.#underWay.add(name);
    this.#refusals.delete(name);
    this.#said.delete(name);
    this.#changed();
    try {
      const refusal = await refusalOf(async () => {
        this.#said.set(name, await work());
      });
      if (refusal !== undefined) this.#refusals.set(name, refusal);
    } finally {
      this.#underWay.delete(name);
      this.#changed();
    }
  }
}
