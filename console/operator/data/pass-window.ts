/**
 * The passes of a part of time. Those of the followed target come by its watch, and what was over before it opened by
 * the list; those of all targets by the list, with the newest of what is followed in their place.
 */

import type { PassList, PassView } from '../../../contract/pass.ts';
import { type HeldPass, heldPass, inOrder } from './held-pass.ts';
import type { LivePasses } from './live-passes.ts';
import { WindowList } from './window-list.ts';

/** How old what is not followed may be. */
const EVERY_MS = 30_000;

export interface PassesWanted {
  /** Empty: of all targets. */
  readonly target: string;
  /** ms since 1970. */
  readonly from: number;
  readonly to: number;
  readonly now: number;
}

export class PassWindow {
  readonly list: WindowList<PassList, HeldPass>;
  #merged: { readonly of: string; readonly passes: readonly HeldPass[] } | undefined;

  constructor(changed: () => void) {
    const itemsOf = ({ passes }: PassList): HeldPass[] => passes.map((view: PassView) => heldPass(view));
    this.list = new WindowList({ itemsOf, changed, everyMs: EVERY_MS });
  }

  /** By AOS; also of what lies beside the part that is wanted. */
  of({ target, from, to, now }: PassesWanted, live: LivePasses | undefined): readonly HeldPass[] {
    if (target === '') this.list.want('/v1/passes?all=true', from, to);
    else if (from < now)
      this.list.want(`/v1/passes?all=true&target=${encodeURIComponent(target)}`, from, Math.min(to, now));
    const of = `${target} ${live?.version ?? ''} ${this.list.version}`;
    if (this.#merged?.of !== of) {
      // What was read for another question stays until the next answer.
      const listed = this.list.items.filter(({ view: { pass } }) => target === '' || pass.target === target);
      this.#merged = { of, passes: merged(live?.all ?? [], listed) };
    }
    return this.#merged.passes;
  }
}

/** What is followed counts where both have a pass. */
function merged(live: readonly HeldPass[], listed: readonly HeldPass[]): readonly HeldPass[] {
  const followed = new Set(live.map(nameOf));
  const others = listed.filter((held) => !followed.has(nameOf(held)));
  return others.length === 0 ? live : inOrder([...live, ...others]);
}

function nameOf({ view: { pass } }: HeldPass): string {
  return `${pass.target}/${pass.id}`;
}
