/** What most rows stand on: peers, with a bus or without, of which nothing outlives the work done with them. */

import { type Ground, startGround } from './ground.ts';
import { type Peer, startPeer } from './peer.ts';
import type { Turn } from './row.ts';

/** Starts a peer; flags are for Node. */
export type Start = (name: string, flags?: readonly string[]) => Promise<Peer>;

export async function withPeers<Value>(work: (start: Start) => Promise<Value>): Promise<Value> {
  const peers: Peer[] = [];
  const start: Start = async (name, flags) => {
    const peer = await startPeer(name, flags);
    peers.push(peer);
    return peer;
  };
  try {
    return await work(start);
  } finally {
    for (const peer of peers) await peer.end();
  }
}

export async function onGround<Value>(
  work: (ground: Ground, start: Start) => Promise<Value>,
  options: { readonly monitored?: boolean } = {},
): Promise<Value> {
  const ground = await startGround(options);
  try {
    return await withPeers((start) => work(ground, start));
  } finally {
    await ground.end();
  }
}

interface Measured {
  readonly ground: Ground;
  readonly peer: Peer;
  readonly generator?: Peer | undefined;
  readonly operations: number;
  /** Resolves with how long it took, ms. */
  readonly work: () => Promise<number>;
}

/** One round of operations on a bus, with the processor time they took. */
export async function measuredTurn({ ground, peer, generator, operations, work }: Measured): Promise<Turn> {
  const before = [await peer.cpuUs(), await ground.cpuUs(), (await generator?.cpuUs()) ?? 0] as const;
  const ms = await work();
  const generatorUs = ((await generator?.cpuUs()) ?? 0) - before[2];
  return {
    rate: (operations / ms) * 1_000,
    cpuUs: ((await peer.cpuUs()) - before[0]) / operations,
    busUs: ((await ground.cpuUs()) - before[1]) / operations,
    ...(generator !== undefined && { generator: generatorUs / 1_000 / ms }),
  };
}
