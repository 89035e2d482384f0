/**
 * Which events an entity would accept now. A guard may look at what an event carries, and nobody knows that beforehand:
 * an event counts as refused only when no content of it could be accepted.
 *
 * V1. Guards are asked about an event without content. One that looks for content, or throws for want of it, may
 *     accept: its event counts as accepted.
 */

import type { AnyMachineSnapshot } from 'xstate';

interface Acceptance {
  readonly accepts: readonly string[];
  readonly refuses: readonly string[];
}

/** The event types sorted by what the entity would do with them in this state, at time `now`. */
export function accepted(snapshot: AnyMachineSnapshot, events: readonly string[], now: number): Acceptance {
  if (snapshot.status !== 'active') return { accepts: [], refuses: events };
  const accepts = events.filter((type) => mayAccept(snapshot, type, now));
  return { accepts, refuses: events.filter((type) => !accepts.includes(type)) };
}

function mayAccept(snapshot: AnyMachineSnapshot, type: string, now: number): boolean {
  let looked = false;
  const known: Record<string, unknown> = { type, at: now };
  const event = new Proxy(known, {
    get: (target, key) => {
      looked ||= typeof key === 'string' && !(key in target);
      return target[key as string];
    },
    has: (target, key) => {
      looked ||= !(key in target);
      return key in target;
    },
  });
  try {
    return snapshot.can(event as never) || looked;
  } catch {
    return true;
  }
}
