/**
 * A message of the log of events as its watchers get it.
 *
 * W1. It is read and written once, however many watch: the last few messages are kept, and taken for the same where
 *     position and bytes are.
 */

import { readEventBatch, type WatchedEvent } from '../../contract/event.ts';
import type { EventKind, EventSeverity } from '../../contract/event-kinds.ts';
import type { StreamMessage } from '../../ports/bus.ts';

export interface WatchedLine {
  readonly kind: EventKind;
  readonly severity: EventSeverity;
  readonly target: string | undefined;
  /** The event as it is sent. */
  readonly json: Buffer;
}

interface Read {
  readonly data: Uint8Array;
  readonly lines: readonly WatchedLine[] | undefined;
}

/** Watchers of one process are not further apart, unless they are held up. */
const KEPT = 8;

const kept = new Map<number, Read>();

/** The events of a message, in their order; undefined where it cannot be read. */
export function watchedLines({ seq, data }: StreamMessage): readonly WatchedLine[] | undefined {
  const known = kept.get(seq);
  if (known !== undefined && Buffer.compare(known.data, data) === 0) return known.lines;
  const lines = readEventBatch(data)?.events.map(({ source: _source, data: _data, ...event }) => ({
    kind: event.kind,
    severity: event.severity,
    target: event.target,
    json: Buffer.from(JSON.stringify(event satisfies WatchedEvent)),
  }));
  kept.delete(seq);
  kept.set(seq, { data, lines });
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT) break;
    kept.delete(oldest);
  }
  return lines;
}
