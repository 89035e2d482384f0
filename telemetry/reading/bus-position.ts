/**
 * Where the bus stands for the telemetry of a target, and whether a batch of values stands behind that. Mission Control
 * Service, section 3.1 (what is received after the sending).
 *
 * P1. What is received becomes a message of frames, then one of decoded samples, then one of values, each naming the
 *     one it was made from. A batch of values stands behind a position when every one of them does: a decoder or an
 *     owner that is late makes no sample of before one of after.
 * P2. What time alone turned was made from no frame: it stands where it was stored.
 */

import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { BusPosition } from '../../contract/link.ts';
import type { Bus, StreamMessage } from '../../ports/bus.ts';

/** As it stands now, for a target received by these gateways. Rejects with `Outage`. */
export async function busPosition(
  bus: Bus,
  target: string,
  gateways: readonly string[],
): Promise<BusPosition> {
  const [decoded, values, ...frames] = await Promise.all([
    bus.last(streams.decoded, subject.decoded(target)),
    bus.last(streams.values, subject.values(target)),
    ...gateways.map((gateway) => bus.last(streams.frames, subject.frames(gateway))),
  ]);
  return {
    frames: Math.max(0, ...frames.map((last) => last?.seq ?? 0)),
    decoded: decoded?.seq ?? 0,
    values: values?.seq ?? 0,
  };
}

/** Whether a message of the value stream was received behind the position (P1, P2). */
export function isBehind(
  { seq, headers }: Pick<StreamMessage, 'seq' | 'headers'>,
  position: BusPosition,
): boolean {
  if (seq <= position.values) return false;
  if (headers[header.turned] !== undefined) return true;
  return (
    isAbove(headers[header.source], position.decoded) && isAbove(headers[header.received], position.frames)
  );
}

/** A message that does not say what it was made from stands where it is. */
function isAbove(source: string | undefined, position: number): boolean {
  return source === undefined || Number(source) > position;
}
