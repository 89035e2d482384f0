/**
 * What computes the derived measures of a target, by the catalogue that is in force: goes on from the one before, and
 * is filled from the value stream where the new catalogue derives over windows that the one before did not keep
 * (telemetry-owner.O6).
 */

import type { Platform } from '../../mission/platform.ts';
import type { Log } from '../../ports/log.ts';
import type { CurrentValues } from '../current-values.ts';
import { Compute } from './compute.ts';

interface DerivationOptions {
  readonly log: Log;
  /** What is current now. */
  readonly values: () => CurrentValues | undefined;
  /** Fills a computation from what is published; false where it is not wanted any more. */
  readonly fill: (filled: Compute, isWanted: () => boolean) => Promise<boolean>;
  /** When something comes due may have changed. */
  readonly changed: () => void;
}

export class Derivation {
  readonly #options: DerivationOptions;
  #compute: Compute | undefined;
  #filling: Promise<void> | undefined;
  /** The computation before the one that is being filled. */
  #unfilled: Compute | undefined;

  constructor(options: DerivationOptions) {
    this.#options = options;
  }

  /** Absent where the catalogue derives nothing. */
  get compute(): Compute | undefined {
    return this.#compute;
  }

  /** Resolves when the computation is filled; undefined when it is. */
  get filling(): Promise<void> | undefined {
    return this.#filling;
  }

  /** Computes by the catalogue from now on, going on from what is known. */
  begin(platform: Platform, values: CurrentValues, mayFill: boolean): void {
    const earlier = this.#filling === undefined ? this.#compute : this.#unfilled;
    this.#compute = platform.derived.length === 0 ? undefined : new Compute(platform, earlier);
    this.#compute?.restore(values);
    this.#compute?.resume();
    if (mayFill && this.#compute?.whole === false) this.#fill(this.#compute, earlier);
    this.#options.changed();
  }

  #fill(begun: Compute, earlier: Compute | undefined): void {
    const { log, changed } = this.#options;
    this.#unfilled = earlier;
    const filling: Promise<void> = (this.#filling ?? Promise.resolve())
      .then(() => this.#fillNow(begun, earlier))
      .catch((error: unknown) =>
        log.warn({ err: error }, 'derived measures of the new catalogue start with empty windows'),
      )
      .then(() => {
        if (this.#filling !== filling) return;
        this.#filling = undefined;
        changed();
      });
    this.#filling = filling;
  }

  async #fillNow(begun: Compute, earlier: Compute | undefined): Promise<void> {
    const { fill, values } = this.#options;
    const { platform } = begun;
    const filled = new Compute(platform);
    const isFilled = await fill(filled, () => this.#compute === begun);
    const current = values();
    if (!isFilled || current === undefined) return;
    this.#compute = new Compute(platform, earlier, filled);
    this.#compute.restore(current);
    this.#compute.resume();
  }
}
