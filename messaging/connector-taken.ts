/**
 * What a connector has taken and not stored yet, of those that store many messages at once: they are unread as long as
 * only their place in the stream keeps them, and no sign of a fault.
 *
 * T1. The connector says it with its heartbeat: it is measured against the stream at the time of that, and of a dead
 *     connector against the present.
 */

import type { StreamDefinition } from '../contract/bus/streams.ts';
import type { ReadPosition } from '../contract/connector-wire.ts';
import type { StreamLevel, StreamLevels } from '../ports/stream-levels.ts';
import type { ReaderLevel, Taken } from './connector-lag.ts';

/** Undefined where the connector does not say so. Throws `Outage`. */
export async function takenOf(
  levels: StreamLevels,
  { name, subjects }: StreamDefinition,
  level: StreamLevel,
  { seq, taken }: ReadPosition,
  { reader, at }: { readonly reader: ReaderLevel; readonly at: number },
): Promise<Taken | undefined> {
  if (taken === undefined) return undefined;
  const upTo = Math.min(Math.max(taken.seq, seq), level.lastSeq);
  const held = Math.min(reader.pending, Math.max(0, upTo - Math.max(seq, level.firstSeq - 1)));
  const first = Math.max(upTo + 1, level.firstSeq);
  const oldest = first > level.lastSeq ? undefined : await levels.next(name, subjects[0]!, first);
  return {
    held,
    behindS: oldest === undefined ? 0 : Math.max(0, (at - oldest.at) / 1_000),
    storesAt: held === 0 ? undefined : taken.stores_at,
  };
}
