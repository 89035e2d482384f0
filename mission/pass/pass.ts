/** A stored pass as rules ask about it: its window and its names. Mission Control Service, sections 2.6 and 4.5. */

import { assert } from '../../contract/assert.ts';
import { readInstant } from '../../contract/instant.ts';
import type { Pass, StoredPass } from '../../contract/pass.ts';

export interface Window {
  /** ms since 1970 */
  readonly aos: number;
  readonly los: number;
}

type Timed = Pick<Pass, 'aos' | 'los'>;

/** Read once of each pass: lists of many thousands are sorted and searched by it. */
const windows = new WeakMap<Timed, Window>();

export function windowOf(pass: Timed): Window {
  const known = windows.get(pass);
  if (known !== undefined) return known;
  const window = { aos: momentOf(pass.aos), los: momentOf(pass.los) };
  windows.set(pass, window);
  return window;
}

/** How long two windows overlap, ms; 0 where they do not, also where one begins as the other ends. */
export function overlapMs(one: Window, other: Window): number {
  return Math.max(0, Math.min(one.los, other.los) - Math.max(one.aos, other.aos));
}

/** MC-PASS-057 */
export function isOver(pass: Timed, now: number): boolean {
  return windowOf(pass).los < now;
}

/** Not cancelled, begun and not over. */
export function isInProgress(pass: StoredPass, now: number): boolean {
  const { aos, los } = windowOf(pass);
  return pass.status !== 'cancelled' && aos <= now && now < los;
}

/** The identifiers a pass is known by: its own first, then those of its contributions. */
export function namesOf({ id, contributions }: StoredPass): string[] {
  return [id, ...Object.values(contributions).map((each) => each.id)];
}

/** The pass of a target that somebody names by its own identifier or by that of a contribution (MC-PASS-032). */
export function passNamed(passes: Iterable<StoredPass>, name: string): StoredPass | undefined {
  let contributed: StoredPass | undefined;
  for (const pass of passes) {
    if (pass.id === name) return pass;
    if (contributed === undefined && namesOf(pass).includes(name)) contributed = pass;
  }
  return contributed;
}

/** By AOS, then by target and identifier: the order of every list. */
export function byAos(one: StoredPass, other: StoredPass): number {
  const between = windowOf(one).aos - windowOf(other).aos;
  if (between !== 0) return between;
  const [first, second] = [`${one.target}.${one.id}`, `${other.target}.${other.id}`];
  return first < second ? -1 : first > second ? 1 : 0;
}

/** What callers see: the contributions of a merged pass alone (MC-PASS-013). */
export function shownPass({ contributions, ...pass }: StoredPass): Pass {
  return Object.keys(contributions).length > 1 ? { ...pass, contributions } : pass;
}

function momentOf(text: string): number {
  const ms = readInstant(text);
  assert(ms !== undefined, 'what is stored of a pass was checked');
  return ms;
}
