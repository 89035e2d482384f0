/** Which of the last events that an owner stored its stream does not hold any more (decision 70). */

import type { StreamDefinition } from '../contract/bus/streams.ts';
import { EVENTS_LOOKED_AT_ONCE } from '../contract/limits/telecommand.ts';
import type { Bus } from '../ports/bus.ts';
import { inTurns } from './in-turns.ts';

export interface LastEvent {
  readonly subject: string;
  readonly seq: number;
  /** When it was stored, ms since 1970. */
  readonly at: number;
}

/** Those that are gone and cannot have left by their age, in their order. Rejects with `Outage`. */
export async function lostEvents<Event extends LastEvent>(
  bus: Pick<Bus, 'stillHolds'>,
  stream: StreamDefinition,
  known: readonly Event[],
  now: number,
): Promise<Event[]> {
  const held = await inTurns(known, EVENTS_LOOKED_AT_ONCE, ({ subject, seq, at }) => {
    const isYoung = at > now - stream.maxAgeMs / 2;
    return bus.stillHolds(stream, { seq, subject, ...(isYoung && { isYoung }) });
  });
  return known.filter((_, n) => !held[n]);
}
