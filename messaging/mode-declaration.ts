/**
 * A mode that a person declares while no run holds the target. Mission Control Service, section 4.3; the holds are
 * another key than the mode, so that one write cannot depend on both.
 *
 * N1. It is announced in the entry of the mode, which stays what it was, before the holds are looked at; only then it
 *     is set, by a write that depends on the announcement.
 * N2. A run that has taken the target removes what is announced before it does anything: of a run and a person at the
 *     same moment either the person finds the run, or the run the mode, whoever of them sleeps or dies in between. A
 *     mode that is set before the run has looked was set before the run began.
 * N3. An announcement alone is nothing: whoever dies behind it has set no mode.
 */

import { buckets } from '../contract/bus/buckets.ts';
import type { TargetMode } from '../contract/mode.ts';
import { announcedMode, isAnnounced, readTargetMode } from '../mission/mode.ts';
import type { Bus } from '../ports/bus.ts';

/** Stands in an entry where no mode was set: the removal of a key could reach the reconciler late. */
const NEVER_SET = new Uint8Array();
/** Writers of one mode at once are a run and a person or two at a console; each loses to another a few times at most. */
const ATTEMPTS = 8;

type Declared<Held> =
  | { readonly outcome: 'set' | 'busy' }
  | { readonly outcome: 'held'; readonly held: Held };

/** `heldNow` says what stands in the way, read from the bus. Throws `Outage`. */
export async function declareMode<Held>(
  bus: Bus,
  target: string,
  set: TargetMode,
  heldNow: () => Promise<Held | undefined>,
): Promise<Declared<Held>> {
  const bucket = bus.bucket(buckets.modes);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const before = await bucket.get(target);
    const inTheWay = await heldNow();
    if (inTheWay !== undefined) return { outcome: 'held', held: inTheWay };
    const announced = await bucket.put(target, announcedMode(before?.value, set), before?.revision ?? 0);
    if (announced.outcome === 'conflict') continue;
    const held = await heldNow();
    const value = held === undefined ? Buffer.from(JSON.stringify(set)) : (before?.value ?? NEVER_SET);
    const written = await bucket.put(target, value, announced.revision);
    if (held !== undefined) return { outcome: 'held', held };
    if (written.outcome === 'written') return { outcome: 'set' };
  }
  return { outcome: 'busy' };
}

/** Of a target that a run has just taken (N2). Throws `Outage`. */
export async function removeAnnouncedMode(bus: Bus, target: string): Promise<void> {
  const bucket = bus.bucket(buckets.modes);
  for (;;) {
    const entry = await bucket.get(target);
    if (entry === undefined || !isAnnounced(entry.value)) return;
    const stands = readTargetMode(entry.value);
    // What cannot be read stays unreadable, and is as much in the way of the write.
    const value = stands === 'unreadable' ? Buffer.from('{"mode":null}') : bytesOf(stands);
    if ((await bucket.put(target, value, entry.revision)).outcome === 'written') return;
  }
}

function bytesOf(set: TargetMode | undefined): Uint8Array {
  return set === undefined ? NEVER_SET : Buffer.from(JSON.stringify(set));
}
