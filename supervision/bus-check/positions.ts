/**
 * Positions that readers keep, against the streams they read: low-water marks (`messaging/low-water-mark.ts`) and
 * checkpoints of current values. Whoever takes the work over finds the same and goes on from what is there; a position
 * beyond the end that nobody takes over is put back here.
 */

import { bucketStream } from '../../bus/declared.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { markIn, markKey, markWith } from '../../messaging/mark-entry.ts';
import { positionsOf } from '../../messaging/mark-positions.ts';
import type { Entry } from '../../ports/bus.ts';
import { decodeCheckpoint } from '../../telemetry/checkpoint.ts';
import type { Look, LookTools } from './finding.ts';
import { whereOf } from './records.ts';

const MARK = markKey('');

export const marks: Look = {
  checks: ['position-beyond-end', 'past-lost', 'unreadable-record'],
  needs: [bucketStream(buckets.members), ...Object.values(streams).map(({ name }) => name)],
  look: (tools) =>
    tools.bus.inventory.entries(buckets.members, async (entry) => {
      if (entry.key.startsWith(MARK)) await lookAtMark(entry, tools);
    }),
};

async function lookAtMark(entry: Entry, { bus, found, end }: LookTools): Promise<void> {
  const where = whereOf(buckets.members, entry.key);
  const mark = markIn(entry.value);
  if (mark === undefined) {
    const remedy = 'the next owner reads its streams from their beginning and writes it again';
    return found({ check: 'unreadable-record', where, what: 'the low-water mark is malformed', remedy });
  }
  for (const known of mark.known) {
    if (await bus.stillHolds(known.stream, known.subject === undefined ? known : without(known))) continue;
    const at = new Date(known.at).toISOString();
    const what = `${known.stream.name} does not hold message ${known.seq} of ${at} any more`;
    const remedy = 'the next owner continues with what is there: decision 27';
    found({ check: 'past-lost', where, what, remedy });
  }
  const back: Record<string, number> = {};
  for (const { field, stream, read } of positionsOf(entry.key.slice(MARK.length), mark.stands)) {
    const last = await end(stream.name);
    if (read <= last) continue;
    back[field] = (mark.stands[field] ?? 0) - (read - last);
    const what = `${field} stands behind position ${read} of ${stream.name}, which ends at ${last}`;
    const repair = async (): Promise<boolean> => {
      const bucket = bus.bucket(buckets.members);
      const written = await bucket.put(entry.key, markWith(entry.value, back), entry.revision);
      return written.outcome === 'written';
    };
    found({ check: 'position-beyond-end', where, what, remedy: 'it is put back to the end', repair });
  }
}

function without<Known extends { readonly at: number }>({ at: _, ...known }: Known): Omit<Known, 'at'> {
  return known;
}

export const values: Look = {
  checks: ['position-beyond-end', 'unreadable-record'],
  needs: [bucketStream(buckets.values), streams.decoded.name, streams.values.name],
  look: ({ bus, found, end }) =>
    bus.inventory.entries(buckets.values, async ({ key, value }) => {
      const where = whereOf(buckets.values, key);
      const checkpoint = await decodeCheckpoint(value);
      if (checkpoint === undefined) {
        const remedy = 'current values are read from the streams instead, as far as these reach';
        return found({ check: 'unreadable-record', where, what: 'the checkpoint is malformed', remedy });
      }
      for (const [field, stream] of [
        ['decoded', streams.decoded],
        ['values', streams.values],
      ] as const) {
        const position = checkpoint.positions[field];
        const last = await end(stream.name);
        if (position <= last) continue;
        const what = `it covers position ${position} of ${stream.name}, which ends at ${last}`;
        const remedy = 'the owner of the target continues with what is there, and writes it again';
        found({ check: 'position-beyond-end', where, what, remedy });
      }
    }),
};
