/**
 * The members of a cell, as a test moves them: who came and who is dead is seen at once, and not with the next
 * heartbeat.
 */

import { buckets } from '../../contract/bus/buckets.ts';
import type { Bus } from '../../ports/bus.ts';
import { until } from './until.ts';

type MembersOf = Pick<Bus, 'bucket'>;

const VISIT_EVERY_MS = 250;
let visits = 0;

/** A member without a role comes and goes: everybody looks who is there and who has died on this machine. */
export async function visit(bus: MembersOf): Promise<void> {
  visits += 1;
  const instance = `visitor-${visits}`;
  const visitor = { instance, roles: [], host: 'elsewhere', pid: 0 };
  for (const member of [visitor, { ...visitor, left: true }])
    await bus.bucket(buckets.members).overwrite(`member.${instance}`, Buffer.from(JSON.stringify(member)));
}

/** Resolves when the instance owns the partition. */
export async function owned(bus: MembersOf, partition: string, instance: string): Promise<void> {
  let visitedAt = 0;
  const isOwned = async (): Promise<boolean> => {
    if ((await ownerOf(bus, partition)) === instance) return true;
    if (performance.now() - visitedAt > VISIT_EVERY_MS) {
      visitedAt = performance.now();
      await visit(bus);
    }
    return false;
  };
  await until(isOwned, { timeoutMs: 30_000, what: `${instance} owning ${partition}` });
}

/** Null or undefined while nobody does. */
async function ownerOf(bus: MembersOf, partition: string): Promise<string | null | undefined> {
  const entry = await bus.bucket(buckets.members).get(`partition.${partition}`);
  return entry && (JSON.parse(Buffer.from(entry.value).toString()) as { owner: string | null }).owner;
}
