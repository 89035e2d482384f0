/** How far back a stream reaches, as the installation states it or its declaration does. */

import type { StreamDefinition } from '../contract/bus/streams.ts';
import type { Bus } from '../ports/bus.ts';

/** What was stored before may have left the stream by its age; ms since 1970. */
export function keptSince(bus: Pick<Bus, 'keptMs'>, stream: StreamDefinition, now: number): number {
  return now - (bus.keptMs?.(stream) ?? stream.maxAgeMs);
}
