/**
 * Fan-out: batches of changed values to many WebSocket watchers, one process serving, against bare uWebSockets.js
 * sending the same bytes, the same number per turn.
 */

import type { Driven } from '../acknowledged.ts';
import type { Peer } from '../peer.ts';
import { type Contender, compare, type Result, type Row, type Settings } from '../row.ts';
import { withPeers } from '../with-peers.ts';

/** Measures that change in one batch: what a frame of a small spacecraft holds. */
const MEASURES = 10;
const WATCHERS = [100, 1_000];
/** A text frame from 126 bytes on has four bytes in front. */
const FRAME_HEAD_BYTES = 4;
const PATH = '/v1/targets/sat1/values/watch';

interface Serving {
  readonly peer: Peer;
  readonly port: number;
  readonly acknowledgements: number;
}

export const fanOutRow: Row = {
  name: 'fan-out',
  async run(settings) {
    const results: Result[] = [];
    for (const watchers of settings.quick ? [WATCHERS[0]!] : WATCHERS) {
      results.push(await measure(watchers, settings));
    }
    return results;
  },
};

async function measure(watchers: number, settings: Settings): Promise<Result> {
  return withPeers(async (start) => {
    const [ours, bare] = [await start('fan-out'), await start('bare-fan-out')];
    const [generator, other] = [await start('watchers'), await start('watchers')];
    const started = await ours.call<Serving & { messages: string[] }>('start', { measures: MEASURES });
    const { messages } = started;
    const startedBare = await bare.call<Serving>('start', { messages });
    const batchBytes = messages.reduce((sum, text) => sum + Buffer.byteLength(text) + FRAME_HEAD_BYTES, 0);
    const contender = async (name: string, peer: Peer, at: Serving, to: Peer): Promise<Contender> => {
      const { port, acknowledgements } = at;
      // The first values are there before the watchers: every one of them gets them once.
      const before = peer === ours ? batchBytes : 0;
      await to.call('watch', { port, path: PATH, watchers, acknowledgements, batchBytes, before });
      return { name, turn: () => turn(peer, to, watchers * messages.length, settings.roundMs) };
    };
    return await compare(
      {
        row: `fan-out.${watchers}`,
        unit: 'messages/s delivered',
        note: `${MEASURES} changed measures per batch to each of ${watchers} watchers, ${Math.round(batchBytes / MEASURES)} bytes per message`,
        contenders: [
          await contender('service', ours, started, generator),
          await contender('bare uWS', bare, startedBare, other),
        ],
        aim: { share: 0.7, of: 'bare uWS', by: 'processor time' },
      },
      settings,
    );
  });
}

async function turn(peer: Peer, generator: Peer, perBatch: number, ms: number) {
  const before = await generator.cpuUs();
  const driven = await peer.call<Driven>('drive', { ms });
  const messages = driven.batches * perBatch;
  return {
    rate: (messages / driven.ms) * 1_000,
    cpuUs: driven.cpuUs / messages,
    generator: ((await generator.cpuUs()) - before) / 1_000 / driven.ms,
  };
}
