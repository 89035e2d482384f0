/** How full something is, for a person: what follows from it. */

import type { Resource, StreamFill } from '../ports/fills.ts';
import { durationText } from './connector-lag.ts';

const RESOURCES: Readonly<Record<Resource, readonly [of: string, then: string]>> = {
  account: ['the storage of the account', 'beyond it nothing is stored any more'],
  disk: ['the disk of the bus', 'beyond it nothing is stored any more; free space on it'],
  message: [
    'the largest message that the bus takes',
    'what is larger is refused; raise `max_payload` of nats-server',
  ],
  descriptors: [
    'the files and sockets that this process may open',
    'beyond them connections are refused; raise its limit (`ulimit -n`)',
  ],
};

export function reasonOf(level: StreamFill): string {
  const { stream, resource, fill = 0, bytes, maxBytes = 0, bytesPerS, keepsS, isFull } = level;
  const percent = `${Math.round(100 * fill)} % of`;
  if (resource !== undefined) {
    const [of, then] = RESOURCES[resource];
    return `${percent} ${of} ${resource === 'message' ? 'was the size of one' : 'is taken'}: ${then}`;
  }
  const full = `${percent} ${stream} is taken`;
  if (isFull) return `${full}: it takes nothing more; raise its limits, or free space in it`;
  const leftS = bytesPerS === 0 ? Number.POSITIVE_INFINITY : (maxBytes - bytes) / bytesPerS;
  const when = Number.isFinite(leftS)
    ? `in ${durationText(leftS)} the oldest messages give way`
    : 'it stands still';
  const keeps = Number.isFinite(keepsS) ? `; at this rate it keeps ${durationText(keepsS)}` : '';
  return `${full}: ${when}${keeps}`;
}

/** Why a process that answers cannot do its work: what takes nothing, and what does not answer. */
export function blockedBy(fills: readonly StreamFill[], silent: readonly string[]): string[] {
  return [
    ...fills.filter(({ isFull }) => isFull).map(reasonOf),
    ...(silent.length === 0 ? [] : [`streams of the bus do not answer: ${silent.join(', ')}`]),
  ];
}
