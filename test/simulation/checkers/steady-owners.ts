/** Who lives is judged by what was received on one's own monotonic clock (membership.E3): a clock that is set moves nothing. */

import { bodyOf, keyOf } from '../run-history.ts';
import { SHARED_OUT_MS } from '../scenario.ts';
import { START_MS } from '../start.ts';
import type { StoredMessage } from '../twin/stored-stream.ts';
import type { Checker } from './checker.ts';

export const steadyOwners: Checker = {
  name: 'steady-owners',
  promise:
    'where nothing but clocks goes wrong, nobody takes a partition or a lead from anybody, or gives it up',
  *check({ onlyClocks, members, alarms }) {
    if (onlyClocks !== true) return;
    const owners = new Map<string, string>();
    const claims = members.filter((message) => keyOf(message).startsWith('partition.'));
    for (const message of [...claims, ...alarms.leases]) yield* movesOf(message, owners);
  },
};

function* movesOf(message: StoredMessage, owners: Map<string, string>): Iterable<string> {
  const key = keyOf(message);
  const owner = message.removal ? 'nobody' : (bodyOf<{ owner: string | null }>(message).owner ?? 'nobody');
  const before = owners.get(key);
  owners.set(key, owner);
  if (before === undefined || before === owner || message.at < START_MS + SHARED_OUT_MS) return;
  yield `${key}: from ${before} to ${owner} at ${message.at - START_MS} ms, written by ${message.by}`;
}
