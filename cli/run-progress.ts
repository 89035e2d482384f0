/**
 * How far a run is: the steps begun so far of those it goes through when it passes. Steps that run only after a failure
 * do not count. Pure.
 */

import type { RunStep } from '../contract/run.ts';
import type { RunEvent } from '../contract/run-event.ts';

export class RunProgress {
  readonly #planned: ReadonlySet<string>;
  readonly #begun = new Set<string>();

  constructor(steps: readonly RunStep[]) {
    const counted = steps.filter(({ kind, if_failed }) => kind === 'step' && !if_failed);
    this.#planned = new Set(counted.map(({ path }) => path));
  }

  /** After an event: `3/30` at the beginning of a counted step, else empty. */
  at(event: RunEvent): string {
    if (event.event !== 'step_started' || !this.#planned.has(event.path)) return '';
    this.#begun.add(event.path);
    return `${this.#begun.size}/${this.#planned.size}`;
  }
}
