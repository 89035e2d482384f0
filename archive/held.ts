/**
 * How much waits in memory for its segment.
 *
 * H1. Messages, samples and bytes are bounded each: messages may have no samples, and few samples may be long texts.
 *     Bytes are those that a message had on the bus; what is said without them counts by the others alone.
 */

export interface Held {
  readonly messages: number;
  readonly samples: number;
  readonly bytes: number;
}

export const NOTHING_HELD: Held = { messages: 0, samples: 0, bytes: 0 };

/** One message. */
export function heldBy(samples: number, bytes: number | undefined): Held {
  return { messages: 1, samples, bytes: bytes ?? 0 };
}

export function plus(one: Held, other: Held): Held {
  return {
    messages: one.messages + other.messages,
    samples: one.samples + other.samples,
    bytes: one.bytes + other.bytes,
  };
}

export function minus(one: Held, other: Held): Held {
  return {
    messages: one.messages - other.messages,
    samples: one.samples - other.samples,
    bytes: one.bytes - other.bytes,
  };
}

/** Whether one of the bounds is reached (H1). */
export function reaches(held: Held, bounds: Held): boolean {
  return held.messages >= bounds.messages || held.samples >= bounds.samples || held.bytes >= bounds.bytes;
}
