/**
 * The part of the stream that is in memory and not a segment yet: which positions it covers, and when they were stored.
 */

import type { Gap } from '../contract/history.ts';

export interface OpenPart {
  readonly first: number;
  last: number;
  readonly received: [first: number, last: number];
  readonly gaps: Gap[];
  messages: number;
  samples: number;
}

export function newPart(first: number, storedMs: number): OpenPart {
  return { first, last: first - 1, received: [storedMs, storedMs], gaps: [], messages: 0, samples: 0 };
}

/** A part that could not be written, with what came behind it. */
export function joinedPart(part: OpenPart, behind: OpenPart | undefined): OpenPart {
  if (behind === undefined) return part;
  return {
    first: part.first,
    last: behind.last,
    received: [part.received[0], behind.received[1]],
    gaps: [...part.gaps, ...behind.gaps],
    messages: part.messages + behind.messages,
    samples: part.samples + behind.samples,
  };
}
