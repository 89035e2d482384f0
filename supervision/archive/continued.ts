/**
 * Which stream an archive goes on with: the one that it read last, or another one in its place.
 *
 * C1. The stream is the same while it holds the last message that is archived, at its position and of its time, or has
 *     let it go by its age. Else it was made again, put back from a copy or lost its newest messages: its positions
 *     mean something else, and it has an identity of its own.
 * C2. Of a stream in the place of another one everything counts as new that the bus stored later than the last message
 *     archived: what is older in it, a copy, was archived before. What stood between the two is a gap
 *     (archive/archive.V3).
 * C3. Identities are ULIDs: the last one in their order is the one that was read last.
 */

import type { ArchivedStream, Continued } from '../../archive/archive.ts';
import type { StreamDefinition } from '../../contract/bus/streams.ts';
import type { Bus, FollowFrom } from '../../ports/bus.ts';

/** Rejects with `Outage`. */
export async function continuedStream(
  bus: Pick<Bus, 'stillHolds'>,
  definition: StreamDefinition,
  archived: readonly ArchivedStream[],
  newId: () => string,
): Promise<Continued> {
  const newest = archived.at(-1);
  if (newest === undefined) return { stream: newId() };
  const { stream, last, storedMs } = newest;
  if (await bus.stillHolds(definition, { seq: last, at: storedMs })) return { stream };
  return { stream: newId(), after: Math.max(...archived.map((each) => each.storedMs)) };
}

/** Where the stream is read on from (C2). */
export function readFrom({ after }: Continued, position: number): FollowFrom {
  if (after !== undefined) return { from: 'time', at: after + 1 };
  return position === 1 ? { from: 'start' } : { from: 'seq', seq: position };
}
