/**
 * Work that processes claim (`supervision/ownership/`): partitions and leases of leaders whose owner is not among the
 * living. Whoever may do the work takes such a claim by itself after the time to live; one that stays shows that nobody
 * has the role.
 */

import { bucketStream } from '../../bus/declared.ts';
import { type BucketDefinition, buckets } from '../../contract/bus/buckets.ts';
import { MEMBER_FORGOTTEN_TTLS, MEMBER_TTL_MS } from '../../contract/limits/membership.ts';
import type { Entry } from '../../ports/bus.ts';
import type { Look, LookTools } from './finding.ts';
import { fieldsIn, unreadable, whereOf } from './records.ts';

const MEMBER = 'member.';
const PARTITION = 'partition.';
/** As long as members keep one that is silent. */
const SILENT_MS = MEMBER_FORGOTTEN_TTLS * MEMBER_TTL_MS;

interface Heard {
  /** By the clock of the bus. */
  readonly at: number;
  readonly left: boolean;
}

export const claims: Look = {
  checks: ['claim-of-dead-member', 'unreadable-record'],
  needs: [bucketStream(buckets.members), bucketStream(buckets.leaders)],
  look: async (tools) => {
    const { inventory } = tools.bus;
    const members = new Map<string, Heard>();
    await inventory.entries(buckets.members, async ({ key, value, at }) => {
      if (!key.startsWith(MEMBER)) return;
      const member = fieldsIn(value);
      if (member === undefined) tools.found(unreadable(buckets.members, key, 'the heartbeat'));
      members.set(key.slice(MEMBER.length), { at, left: member?.['left'] === true });
    });
    const newest = Math.max(0, ...[...members.values()].map(({ at }) => at));
    const lives = (owner: string): boolean => {
      const heard = members.get(owner);
      return heard !== undefined && !heard.left && newest - heard.at < SILENT_MS;
    };
    const lookAt = (bucket: BucketDefinition) => async (entry: Entry) => {
      if (bucket === buckets.leaders || entry.key.startsWith(PARTITION))
        lookAtClaim(entry, bucket, lives, tools);
    };
    await inventory.entries(buckets.members, lookAt(buckets.members));
    await inventory.entries(buckets.leaders, lookAt(buckets.leaders));
  },
};

function lookAtClaim(
  { key, value, revision }: Entry,
  bucket: BucketDefinition,
  lives: (owner: string) => boolean,
  { bus, found }: LookTools,
): void {
  const claim = fieldsIn(value);
  if (claim === undefined) return found(unreadable(bucket, key, 'the claim'));
  const { owner, after = 0 } = claim;
  if (typeof owner !== 'string' || lives(owner)) return;
  found({
    check: 'claim-of-dead-member',
    where: whereOf(bucket, key),
    what: `it is claimed by ${owner}, which is not alive`,
    remedy: 'the claim is released; a process that has the role takes it',
    repair: async () => {
      // lease.A1: the next epoch is above that of the dead owner.
      const free = Buffer.from(
        JSON.stringify({ ...claim, owner: null, after: Math.max(Number(after), revision) }),
      );
      return (await bus.bucket(bucket).put(key, free, revision)).outcome === 'written';
    },
  });
}
