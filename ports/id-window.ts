/** How long a stream recognizes what is appended again by its message id. */

import type { StreamDefinition } from '../contract/bus/streams.ts';
import type { Bus } from './bus.ts';

/**
 * For so long behind an append its repetition is recognized, ms: half of the window of the stream, which leaves room
 * for a repetition that is under way.
 */
export function recognizedMs(bus: Pick<Bus, 'dedupeMs'>, stream: StreamDefinition): number {
  return (bus.dedupeMs?.(stream) ?? stream.dedupeMs) / 2;
}
