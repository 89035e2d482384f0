/**
 * The actor runtime beside bare XState: what a live entity takes of memory, how many are activated in a second, and how
 * long it takes to bring all entities of a kind back from their records.
 */

import { startGround } from '../ground.ts';
import { type Peer, startPeer } from '../peer.ts';
import { type Contender, compare, type Result, type Row, type Settings } from '../row.ts';

const COUNTS = {
  full: { live: 10_000, activated: 10_000, restored: 10_000 },
  quick: { live: 500, activated: 500, restored: 500 },
};
const GIGABYTE = 1e9;

export const cellRow: Row = {
  name: 'cells',
  async run(settings) {
    const counts = settings.quick ? COUNTS.quick : COUNTS.full;
    return [
      await memory(counts.live, settings),
      await activation(counts.activated, settings),
      await restoration(counts.restored, settings),
    ];
  },
};

/** A process for each turn: memory once taken is not given back. */
function memory(count: number, settings: Settings): Promise<Result> {
  const contender = (name: string, call: string): Contender => ({
    name,
    async turn() {
      const peer = await startPeer('cells', ['--expose-gc']);
      try {
        const { heapBytes, rssBytes } = await peer.call<{ heapBytes: number; rssBytes: number }>(call, {
          count,
        });
        const bytes = Math.max(heapBytes, rssBytes) / count;
        return { rate: GIGABYTE / bytes, cpuUs: Number.NaN };
      } finally {
        await peer.end();
      }
    },
  });
  return compare(
    {
      row: 'cells.live',
      unit: 'live entities/GB',
      note: `${count} telecommands waiting for their verification, heap or resident memory, whichever grew more`,
      contenders: [contender('cells', 'liveCells'), contender('bare actors', 'liveActors')],
    },
    settings,
  );
}

async function activation(count: number, settings: Settings): Promise<Result> {
  const peer = await startPeer('cells', ['--expose-gc']);
  const contender = (name: string, call: string): Contender => ({
    name,
    async turn() {
      const { ms, cpuUs } = await peer.call<{ ms: number; cpuUs: number }>(call, { count });
      return { rate: (count / ms) * 1_000, cpuUs: cpuUs / count };
    },
  });
  try {
    await peer.call('prepare', { count });
    return await compare(
      {
        row: 'cells.activation',
        unit: 'activations/s',
        note: 'from the record: started, sent one event, written, stopped',
        contenders: [contender('cells', 'activateCells'), contender('bare actors', 'activateActors')],
      },
      settings,
    );
  } finally {
    await peer.end();
  }
}

async function restoration(count: number, settings: Settings): Promise<Result> {
  const ground = await startGround();
  const peer = await startPeer('restore');
  try {
    await peer.call('start', ground.address);
    await peer.call('fill', { count });
    const contender = (name: string, call: string): Contender => ({
      name,
      turn: () => timed(peer, call, count),
    });
    return await compare(
      {
        row: 'cells.restore',
        unit: 'entities/s',
        note: `${count} entities from bucket mcs_actors`,
        contenders: [contender('cells', 'restore'), contender('bare scan', 'scan')],
      },
      settings,
    );
  } finally {
    await peer.end();
    await ground.end();
  }
}

async function timed(peer: Peer, call: string, count: number) {
  const before = await peer.cpuUs();
  const ms = await peer.call<number>(call, { count });
  return { rate: (count / ms) * 1_000, cpuUs: ((await peer.cpuUs()) - before) / count };
}
