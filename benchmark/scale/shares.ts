/** Who owns what of a cell, as bucket `mcs_members` says. */

import { buckets } from '../../contract/bus/buckets.ts';
import type { Bus } from '../../ports/bus.ts';

export interface Shares {
  /** How many partitions each process owns now; under `free` those without an owner. */
  counted(): ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

/** Reads all once and follows what changes: reading thousands of entries again and again would be the load itself. */
export async function followShares(bus: Bus): Promise<Shares> {
  const owners = new Map<string, string>();
  const watch = await bus.bucket(buckets.members).watch('partition.>', (key, entry) => {
    if (entry === undefined) return void owners.delete(key);
    const { owner } = JSON.parse(Buffer.from(entry.value).toString()) as { owner: string | null };
    owners.set(key, owner ?? 'free');
  });
  await watch.ready;
  const counted = () => {
    const counts = new Map<string, number>();
    for (const owner of owners.values()) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    return counts;
  };
  return { counted, stop: () => watch.stop() };
}

/** As `Shares.counted`, once. */
export async function shares(bus: Bus): Promise<ReadonlyMap<string, number>> {
  const followed = await followShares(bus);
  await followed.stop();
  return followed.counted();
}
