/**
 * A chart as a store holds it. What is saved here went through the codec of the service's own snapshots, so that a
 * context which would not come back is found in a test and not after a crash.
 */

import { isDeepStrictEqual } from 'node:util';
import { Packr } from 'msgpackr';
import type { ArmedTimer } from '../../ports/entity.ts';

export interface Saved {
  /** When it was saved, ms since 1970. */
  readonly at: number;
  readonly snapshot: unknown;
  readonly timers: readonly ArmedTimer[];
}

/** As `supervision/cells/snapshot-store.ts` has it. */
const packr = new Packr({ useRecords: false, moreTypes: true });

/** What the store would give back; throws when a part of it does not survive, saying which. */
export function stored(saved: Saved): Saved {
  let back: Saved;
  try {
    back = packr.unpack(packr.pack(saved)) as Saved;
  } catch (cause) {
    throw new Error('the snapshot cannot be stored', { cause });
  }
  const lost = lostPart(saved.snapshot, back.snapshot, '');
  if (lost !== undefined) throw new Error(`${lost.slice(1)} of the snapshot does not survive being stored`);
  return back;
}

/** The path of the first part of `value` that came back different. */
function lostPart(value: unknown, back: unknown, path: string): string | undefined {
  if (typeof value !== 'object' || value === null || !isPlain(value))
    return typeof value !== 'function' && isDeepStrictEqual(value, back) ? undefined : path;
  if (typeof back !== 'object' || back === null || Array.isArray(value) !== Array.isArray(back)) return path;
  for (const [key, inner] of Object.entries(value)) {
    // A field that is undefined and one that is absent read alike.
    const found = lostPart(inner, (back as Record<string, unknown>)[key], `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Array.isArray(value);
}
