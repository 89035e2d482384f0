/** Who leads: leader.D1 to D3, holding.H2 to H4, and Mission Control Service, section 4.4 (recovery). */

import type { AlarmHistory } from '../alarm-history.ts';
import { bodyOf, keyOf } from '../run-history.ts';
import type { StoredMessage } from '../twin/stored-stream.ts';
import type { Checker } from './checker.ts';

interface Lease {
  readonly owner: string | null;
  readonly ttlMs: number;
}

/** A standby begins after this share of the time to live, counted from what it has seen. */
const TAKE = 0.9;

export const oneLeader: Checker = {
  name: 'one-leader',
  promise:
    'a lead is written behind what its writer knew, and taken from a leader only when it is free, over, or was silent for long enough',
  *check({ alarms }) {
    const before = new Map<string, StoredMessage>();
    for (const message of alarms.leases) {
      const { subject, expect, before: stood, by, seq } = message;
      const role = keyOf(message);
      if (expect !== stood) yield `${role}: ${seq} was written by ${by} behind ${stood}, it knew ${expect}`;
      const { owner } = bodyOf<Lease>(message);
      if (owner !== null && owner !== by) yield `${role}: ${seq} names ${owner} and is written by ${by}`;
      const last = before.get(subject);
      if (last !== undefined) yield* takeFaults(role, last, message, alarms);
      before.set(subject, message);
    }
  },
};

function* takeFaults(
  role: string,
  last: StoredMessage,
  { by, at, seq }: StoredMessage,
  { ended }: AlarmHistory,
): Iterable<string> {
  const { owner, ttlMs } = bodyOf<Lease>(last);
  if (owner === null || owner === by) return;
  // Times of the stream are whole.
  if (ended.some((each) => each.instance === owner && Math.floor(each.at) <= at)) return;
  const silentMs = at - last.at;
  if (silentMs + 1 < TAKE * ttlMs)
    yield `${role}: ${by} took it (${seq}) from ${owner}, which had written ${silentMs} ms before`;
}
