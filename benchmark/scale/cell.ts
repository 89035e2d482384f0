/** Processes of the service under measure: started, owning everything, idle, joined, killed. */

import { setTimeout as pause } from 'node:timers/promises';
import { ROLES } from '../../supervision/role.ts';
import type { Ground } from '../ground.ts';
import type { Peer } from '../peer.ts';
import { cpuUsOf } from '../processor.ts';
import type { Start } from '../with-peers.ts';
import { followShares } from './shares.ts';

const LOOK_MS = 100;
const PATIENCE_MS = 600_000;
const ALL_BUT_ARCHIVE = ROLES.filter((role) => role !== 'archive');

export interface Timed {
  readonly ms: number;
  /** Processor time of the processes under measure meanwhile. */
  readonly cpuMs: number;
  /** That of the bus. */
  readonly busMs: number;
}

/** How long some work takes, and the processor time that these processes and the bus use meanwhile. */
export async function timed(
  ground: Ground,
  pids: () => readonly number[],
  work: () => Promise<unknown>,
): Promise<Timed> {
  const used = async () => (await Promise.all(pids().map(cpuUsOf))).reduce((sum, us) => sum + us, 0);
  const [begun, before, busBefore] = [performance.now(), await used(), await ground.cpuUs()];
  await work();
  const ms = performance.now() - begun;
  return {
    ms,
    cpuMs: ((await used()) - before) / 1_000,
    busMs: ((await ground.cpuUs()) - busBefore) / 1_000,
  };
}

export interface Member {
  readonly peer: Peer;
  readonly instance: string;
  api: string;
}

/** A process that has loaded its program and does nothing yet. */
export async function member(start: Start, instance: string): Promise<Member> {
  return { peer: await start('service', ['--expose-gc']), instance, api: '' };
}

/** Starts every role but the archive; resolves when it is ready. Each says it runs on a machine of its own. */
export async function join(ground: Ground, one: Member, memberTtlMs: number): Promise<void> {
  const { peer, instance } = one;
  one.api = await peer.call<string>('start', {
    address: ground.address,
    roles: ALL_BUT_ARCHIVE,
    instance,
    host: `host-${instance}`,
    memberTtlMs,
  });
}

/** Resolves when these processes own everything that is to be owned, and each its share; how much that is. */
export async function owned(ground: Ground, instances: readonly string[], least: number): Promise<number> {
  const end = performance.now() + PATIENCE_MS;
  const followed = await followShares(ground.bus);
  try {
    for (;;) {
      const counts = followed.counted();
      const of = instances.map((instance) => counts.get(instance) ?? 0);
      const sum = of.reduce((total, count) => total + count, 0);
      const spread = instances.length === 1 || Math.min(...of) > sum / (instances.length + 1);
      if (sum >= least && [...counts.values()].reduce((a, b) => a + b, 0) === sum && spread) return sum;
      if (performance.now() > end)
        throw new Error(`not owned within ${PATIENCE_MS} ms: ${JSON.stringify([...counts])}`);
      await pause(LOOK_MS);
    }
  } finally {
    await followed.stop();
  }
}
