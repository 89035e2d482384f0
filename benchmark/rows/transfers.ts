/**
 * Chunks of a file that comes down, to readers who see it grow, one process serving, against bare uWebSockets.js
 * sending the same bytes, the same number per turn.
 */

import type { Driven } from '../acknowledged.ts';
import type { Peer } from '../peer.ts';
import { type Contender, compare, type Result, type Row, type Settings } from '../row.ts';
import { withPeers } from '../with-peers.ts';

/** What a driver gives of one frame of a fast downlink. */
const CHUNK_BYTES = 4_096;
/** Chunks of one turn: as many bytes as wait for one socket. */
const CHUNKS = 16;
const READERS = [1, 10, 100];
/** A frame of up to 64 KiB has four bytes in front. */
const FRAME_HEAD_BYTES = 4;
const PATH = '/v1/transfers/sat1/7/2/chunks';

interface Serving {
  readonly port: number;
  readonly acknowledgements: number;
}

export const transferRow: Row = {
  name: 'transfer.chunks',
  async run(settings) {
    const results: Result[] = [];
    for (const readers of settings.quick ? [READERS[0]!] : READERS)
      results.push(await measure(readers, settings));
    return results;
  },
};

async function measure(readers: number, settings: Settings): Promise<Result> {
  return withPeers(async (start) => {
    const [ours, bare] = [await start('chunks'), await start('bare-fan-out')];
    const [generator, other] = [await start('watchers'), await start('watchers')];
    const started = await ours.call<Serving & { messageBytes: number }>('start', {
      bytes: CHUNK_BYTES,
      chunks: CHUNKS,
    });
    const messages = new Array<string>(CHUNKS).fill('x'.repeat(started.messageBytes));
    const startedBare = await bare.call<Serving>('start', { messages });
    const batchBytes = CHUNKS * (started.messageBytes + FRAME_HEAD_BYTES);
    const contender = async (name: string, peer: Peer, at: Serving, to: Peer): Promise<Contender> => {
      const { port, acknowledgements } = at;
      await to.call('watch', {
        port,
        path: PATH,
        watchers: readers,
        acknowledgements,
        batchBytes,
        before: 0,
      });
      return { name, turn: () => turn(peer, to, readers, settings.roundMs) };
    };
    return await compare(
      {
        row: `transfer.chunks.${readers}`,
        unit: 'MB/s delivered',
        note: `chunks of ${CHUNK_BYTES} bytes, ${CHUNKS} per turn, to each of ${readers} readers; processor time per MB`,
        contenders: [
          await contender('service', ours, started, generator),
          await contender('bare uWS', bare, startedBare, other),
        ],
        aim: { share: 0.5, of: 'bare uWS', by: 'processor time' },
      },
      settings,
    );
  });
}

async function turn(peer: Peer, generator: Peer, readers: number, ms: number) {
  const before = await generator.cpuUs();
  const driven = await peer.call<Driven>('drive', { ms });
  const megabytes = (driven.batches * CHUNKS * CHUNK_BYTES * readers) / 1e6;
  return {
    rate: (megabytes / driven.ms) * 1_000,
    cpuUs: driven.cpuUs / megabytes,
    generator: ((await generator.cpuUs()) - before) / 1_000 / driven.ms,
  };
}
