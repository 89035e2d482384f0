/**
 * The part of the stream that is in memory and not a segment yet: which positions it covers, and when they were stored.
 */

import type { Gap } from '../contract/history.ts';
import { joinedGaps } from './gaps.ts';
import { type Held, NOTHING_HELD, plus } from './held.ts';

export interface OpenPart {
  readonly first: number;
  last: number;
  readonly received: [first: number, last: number];
  readonly gaps: Gap[];
  held: Held;
}

export function newPart(first: number, storedMs: number): OpenPart {
  return { first, last: first - 1, received: [storedMs, storedMs], gaps: [], held: NOTHING_HELD };
}

/** A message of a part. */
export interface PartMessage {
  readonly position: number;
  readonly storedMs: number;
  readonly held: Held;
}

/** The part up to the position of a message, and what is behind that; `messages` are those of the part. */
export function splitPart(
  part: OpenPart,
  until: number,
  messages: readonly PartMessage[],
): [head: OpenPart, rest: OpenPart] {
  const [head, rest] = [
    messages.filter(({ position }) => position <= until),
    messages.filter(({ position }) => position > until),
  ];
  const [begins, ends] = part.received;
  const heldBy = (some: readonly PartMessage[]): Held =>
    some.reduce((sum, { held }) => plus(sum, held), NOTHING_HELD);
  return [
    {
      first: part.first,
      last: until,
      received: [begins, head.at(-1)?.storedMs ?? begins],
      gaps: part.gaps.filter(({ last }) => last <= until),
      held: heldBy(head),
    },
    {
      first: until + 1,
      last: part.last,
      received: [rest[0]?.storedMs ?? ends, ends],
      gaps: part.gaps.filter(({ last }) => last > until),
      held: heldBy(rest),
    },
  ];
}

/** A part that could not be written, with what came behind it. */
export function joinedPart(part: OpenPart, behind: OpenPart | undefined): OpenPart {
  if (behind === undefined) return part;
  return {
    first: part.first,
    last: behind.last,
    received: [part.received[0], behind.received[1]],
    gaps: joinedGaps([...part.gaps, ...behind.gaps]),
    held: plus(part.held, behind.held),
  };
}
