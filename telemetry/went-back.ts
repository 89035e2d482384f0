/**
 * What a new owner of a target makes of streams that went back (a store that was put back, newest messages lost):
 * telemetry-owner.O7.
 */

import { header } from '../contract/bus/headers.ts';
import { streams } from '../contract/bus/streams.ts';
import type { Bus, StreamMessage } from '../ports/bus.ts';
import type { Log } from '../ports/log.ts';
import type { Checkpoint, Positions } from './checkpoint.ts';

/** What the checkpoint covers of what the value stream still holds. */
export function covered(positions: Positions, last: StreamMessage | undefined): Positions {
  if (last === undefined || positions.values <= last.seq) return positions;
  const source = Number(last.headers[header.source] ?? 0);
  const made = last.headers[header.part] === undefined ? source : source - 1;
  return { decoded: Math.min(positions.decoded, made), values: last.seq };
}

/**
 * When the last decoded message that is known was stored, where its stream does not hold it any more. Throws `Outage`.
 */
export async function decodedLostSince(
  bus: Bus,
  log: Log,
  checkpoint: Checkpoint | undefined,
  last: StreamMessage | undefined,
): Promise<number | undefined> {
  const source = Number(last?.headers[header.source] ?? 0);
  const at = Number(last?.headers[header.sourceAt] ?? Number.NaN);
  const known = [
    { seq: source, ...(!Number.isNaN(at) && { at }) },
    { seq: checkpoint?.positions.decoded ?? 0 },
  ];
  for (const each of known) {
    if (each.seq === 0 || (await bus.stillHolds(streams.decoded, each))) continue;
    const since = Number.isNaN(at) ? (last?.at ?? 0) : at;
    log.error({ ...each, since }, 'the stream of decoded samples went back: reading on from that time');
    return since;
  }
  return undefined;
}
