/**
 * Catalogues of targets, each asked for once per revision of the mission, and what they say of a measure.
 *
 * C1. One that is read again is shown until the answer comes: a form does not vanish under the pointer. A refusal that
 *     the service answers ends that; its silence does not.
 * C2. Those that were not needed for the longest time are dropped first, and never one that was needed within
 *     `DRAWN_MS`: a table of many targets needs each of them at each drawing.
 */

import type { CatalogueView } from '../../../contract/catalogue.ts';
import { later, measured } from '../../browser-clock.ts';
import type { ServiceError } from '../../service-error.ts';
import { type Catalogue, catalogueOf } from './catalogue.ts';
import { asked } from './connection.ts';

/** Targets whose catalogues are kept. */
const KEPT = 32;
const AGAIN_MS = 3_000;
/** Everything in sight is drawn at least so often. */
const DRAWN_MS = 5_000;

interface Known {
  readonly catalogue?: Catalogue;
  readonly refusal?: ServiceError;
  /** It is to be asked for by whoever needs it next. */
  readonly isStale?: boolean;
}

export class Catalogues {
  readonly #changed: () => void;
  readonly #known = new Map<string, Known>();
  /** How long ago each was asked about; in that order. */
  readonly #sinceAsked = new Map<string, () => number>();

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Undefined while it is on its way for the first time, or was refused. */
  of(target: string): Catalogue | undefined {
    const known = this.#known.get(target);
    this.#sinceAsked.delete(target);
    this.#sinceAsked.set(target, measured());
    if (known === undefined || known.isStale === true) void this.#read(target, known);
    return known?.catalogue;
  }

  /** Why there is none. */
  refusalOf(target: string): ServiceError | undefined {
    return this.#known.get(target)?.refusal;
  }

  /** The mission has another revision, or the service was away (C1). */
  forget(): void {
    for (const [target, known] of this.#known) this.#known.set(target, { ...known, isStale: true });
  }

  async #read(target: string, before: Known | undefined): Promise<void> {
    if (before === undefined) this.#giveWay();
    const question: Known = { ...before, isStale: false };
    this.#known.set(target, question);
    let refusal: ServiceError | undefined;
    const view = await asked<CatalogueView>(
      `/v1/targets/${encodeURIComponent(target)}/catalogue`,
      (error) => {
        refusal = error;
      },
    );
    // It was forgotten meanwhile, and is asked for again.
    if (this.#known.get(target) !== question) return this.#changed();
    this.#known.set(
      target,
      view === undefined ? refused(question, refusal) : { catalogue: catalogueOf(view) },
    );
    if (view === undefined) later(() => this.#again(target), AGAIN_MS);
    this.#changed();
  }

  /** C2 */
  #giveWay(): void {
    for (const [target, since] of this.#sinceAsked) {
      if (this.#known.size < KEPT || since() < DRAWN_MS) return;
      this.#sinceAsked.delete(target);
      this.#known.delete(target);
    }
  }

  /** So that one that was refused is asked for again by who needs it. */
  #again(target: string): void {
    const known = this.#known.get(target);
    if (known?.refusal !== undefined) this.#known.set(target, { ...known, isStale: true });
    this.#changed();
  }
}

/** C1 */
function refused({ catalogue }: Known, refusal: ServiceError | undefined): Known {
  const isSilent = refusal?.status === 0;
  return {
    ...(refusal !== undefined && { refusal }),
    ...(isSilent && catalogue !== undefined && { catalogue }),
  };
}
