/** A pass with its times read once. Pure. */

import type { PassView } from '../../../contract/pass.ts';

export interface HeldPass {
  readonly view: PassView;
  /** ms since 1970. */
  readonly aos: number;
  readonly los: number;
}

export function heldPass(view: PassView): HeldPass {
  return { view, aos: Date.parse(view.pass.aos), los: Date.parse(view.pass.los) };
}

/** By AOS, then by identifier; the list itself is put in order. */
export function inOrder(passes: HeldPass[]): HeldPass[] {
  return passes.sort((a, b) => a.aos - b.aos || (a.view.pass.id < b.view.pass.id ? -1 : 1));
}

/** Those of `passes`, which are by AOS, that are not over at `from` and have begun before `to`. */
export function between(passes: readonly HeldPass[], from: number, to: number): readonly HeldPass[] {
  return passes.slice(0, firstFrom(passes, to)).filter(({ los }) => los > from);
}

/** Place of the first that begins at `at` or later. */
export function firstFrom(passes: readonly { readonly aos: number }[], at: number): number {
  let [low, high] = [0, passes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (passes[middle]!.aos < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
