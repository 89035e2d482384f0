/** Who owns what of a cell, as bucket `mcs_members` says. */

import { buckets } from '../../contract/bus/buckets.ts';
import type { Bus } from '../../ports/bus.ts';

/** How many partitions each process owns; under `free` those without an owner. */
export async function shares(bus: Bus): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const watch = await bus.bucket(buckets.members).watch('partition.>', (_key, entry) => {
    if (entry === undefined) return;
    const { owner } = JSON.parse(Buffer.from(entry.value).toString()) as { owner: string | null };
    counts.set(owner ?? 'free', (counts.get(owner ?? 'free') ?? 0) + 1);
  });
  await watch.ready;
  await watch.stop();
  return counts;
}
