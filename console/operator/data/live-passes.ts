/**
 * The passes of one target, by AOS, kept current by the watch: all that were not over when it opened.
 *
 * L1. Passes are put in order once for each change, not once for each drawing: a year of them is looked at in every
 *     frame.
 * L2. What has been over for a day is forgotten.
 */

import type { PassView } from '../../../contract/pass.ts';
import { Follower } from './follower.ts';
import { type HeldPass, heldPass, inOrder } from './held-pass.ts';

const FORGOTTEN_MS = 86_400_000;

export class LivePasses {
  readonly #byId = new Map<string, HeldPass>();
  readonly #follower: Follower<PassView>;
  #all: readonly HeldPass[] | undefined;
  #ahead: { readonly views: readonly PassView[]; readonly until: number } | undefined;
  /** Counts changes. */
  version = 0;

  constructor(target: string, changed: () => void) {
    this.#follower = new Follower<PassView>({
      path: `/v1/passes/watch?target=${encodeURIComponent(target)}`,
      message: (view) => {
        this.#byId.set(view.pass.id, heldPass(view));
        this.#forget();
        changed();
      },
      changed: (state) => {
        // The watch begins with each pass: what it does not name after it was opened again is gone.
        if (state === 'open') this.#begin();
        changed();
      },
    });
  }

  get isLive(): boolean {
    return this.#follower.state === 'open';
  }

  /** Whether they were followed and are not now. */
  get isLost(): boolean {
    return this.#follower.isLost;
  }

  /** By AOS, also those that are over meanwhile or cancelled. */
  get all(): readonly HeldPass[] {
    this.#all ??= inOrder([...this.#byId.values()]);
    return this.#all;
  }

  /** Those that are neither over nor cancelled at `at`, ms since 1970, by AOS. */
  ahead(at: number): readonly PassView[] {
    if (this.#ahead !== undefined && at < this.#ahead.until) return this.#ahead.views;
    for (const [id, { los }] of this.#byId) if (los < at - FORGOTTEN_MS) this.#byId.delete(id);
    const ahead = this.all.filter(({ view, los }) => view.pass.status !== 'cancelled' && los > at);
    const until = ahead.reduce((first, { los }) => Math.min(first, los), Number.POSITIVE_INFINITY);
    this.#ahead = { views: ahead.map(({ view }) => view), until };
    return this.#ahead.views;
  }

  reopen(): void {
    this.#follower.reopen();
  }

  close(): void {
    this.#follower.close();
  }

  #begin(): void {
    this.#byId.clear();
    this.#forget();
  }

  #forget(): void {
    this.version += 1;
    this.#all = undefined;
    this.#ahead = undefined;
  }
}
