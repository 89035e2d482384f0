/**
 * The RF bench: blocks captured, looped back and measured over HTTP, and the spectrum to those who watch it, against
 * bare uWebSockets.js moving as many bytes. Its board delivers as fast as it is asked (`benchmark/prompt-board.ts`).
 */

import { setTimeout as pause } from 'node:timers/promises';
import { BLOCK_BYTES } from '../../contract/bench/datapath.ts';
import { FEED_RATE_HZ } from '../../contract/limits/bench.ts';
import { prbs } from '../../radio/prbs.ts';
import type { Peer } from '../peer.ts';
import { type Comparison, type Contender, compare, type Result, type Row, type Turn } from '../row.ts';
import { percentile } from '../spread.ts';
import { withPeers } from '../with-peers.ts';

const BLOCKS = 1_000;
const BYTES = BLOCKS * BLOCK_BYTES;
const MEGABYTE = 1e6;
/** One is answered while the next one waits for the board. */
const CONNECTIONS = 2;
const WATCHERS = 10;
/** Spectrum messages that are seen before the frames of the ceiling get their size. */
const SEEN_MS = 500;
const PAYLOAD = prbs(15, 16 * BLOCK_BYTES);

interface Served {
  readonly name: string;
  readonly peer: Peer;
  readonly port: number;
  /** Each has a generator of its own: its watchers stay. */
  readonly generator: Peer;
  /** Asks one thing at a time while that one loads. */
  readonly probe: Peer;
}

interface Asked {
  readonly path: string;
  readonly mediaType: string;
  readonly body: Uint8Array;
  /** Operations of one answer. */
  readonly counts: number;
}

const capture: Asked = {
  path: '/api/v1/datapath/capture',
  mediaType: 'application/json',
  body: Buffer.from(JSON.stringify({ blocks: BLOCKS })),
  counts: BYTES / MEGABYTE,
};
const fed = (name: string, counts: number): Asked => ({
  path: `/api/v1/datapath/${name}?blocks=${BLOCKS}&warmup=0`,
  mediaType: 'application/octet-stream',
  body: PAYLOAD,
  counts,
});

const mute = {
  path: '/api/v1/radio/gain',
  mediaType: 'application/json',
  body: Buffer.from(JSON.stringify({ tx_gain_db: -89 })),
} as const;
/** What the four clients do meanwhile. */
const meanwhile: readonly (Omit<Asked, 'counts'> & { readonly connections: number })[] = [
  { path: capture.path, mediaType: capture.mediaType, body: capture.body, connections: 2 },
  ...['loopback', 'measure'].map((name) => ({ ...without(fed(name, 0)), connections: 1 })),
];

function without({ counts: _, ...asked }: Asked): Omit<Asked, 'counts'> {
  return asked;
}

export const benchRow: Row = {
  name: 'bench',
  async run(settings) {
    return withPeers(async (start) => {
      const service = await start('bench-service');
      const served: Served = {
        name: 'service',
        peer: service,
        port: await service.call<number>('start'),
        generator: await start('bench-load'),
        probe: await start('bench-load'),
      };
      const frameBytes = await watched(served);
      const ceiling = await start('bare-bench');
      const status = await statusOf(served.port);
      const bytes = { bytes: BYTES, frameBytes, framesPerSecond: FEED_RATE_HZ, status };
      const bare: Served = {
        name: 'bare uWS',
        peer: ceiling,
        port: await ceiling.call<number>('start', bytes),
        generator: await start('bench-load'),
        probe: await start('bench-load'),
      };
      await watch(bare);
      const results: Result[] = [];
      for (const row of rowsOf([served, bare], settings.roundMs, frameBytes))
        results.push(await compare(row, settings));
      return results;
    });
  },
};

function rowsOf(contenders: readonly Served[], ms: number, frameBytes: number): Comparison[] {
  const asking = (asked: Asked): Contender[] =>
    contenders.map((served) => ({ name: served.name, turn: () => loadTurn(served, asked, ms) }));
  const megabytes = (BYTES / MEGABYTE).toFixed(1);
  return [
    {
      row: 'bench.capture',
      unit: 'MB/s',
      contenders: asking(capture),
      note: `POST ${capture.path}, ${BLOCKS} blocks, ${megabytes} MB an answer`,
    },
    {
      row: 'bench.loopback',
      unit: 'MB/s',
      contenders: asking(fed('loopback', BYTES / MEGABYTE)),
      note: `${PAYLOAD.length} bytes fed, ${BLOCKS} blocks answered`,
    },
    {
      row: 'bench.measure',
      unit: 'blocks/s',
      contenders: asking(fed('measure', BLOCKS)),
      note: `${PAYLOAD.length} bytes fed, ${BLOCKS} blocks compared on a thread; the ceiling knows the rotation`,
    },
    {
      row: 'bench.spectrum',
      unit: 'messages/s delivered',
      note: `${FEED_RATE_HZ} pictures a second made and sent to ${WATCHERS} watchers, ${frameBytes} bytes each; the ceiling makes none`,
      contenders: contenders.map((served) => ({ name: served.name, turn: () => feedTurn(served, ms) })),
    },
    {
      row: 'bench.mute',
      unit: 'mutes/s',
      note: `POST ${mute.path} that mutes, one behind the other, while four clients capture, measure and loop back ${BLOCKS} blocks each`,
      contenders: contenders.map((served) => ({ name: served.name, turn: () => muteTurn(served, ms) })),
    },
  ];
}

async function loadTurn(
  { peer, port, generator }: Served,
  { counts, ...asked }: Asked,
  ms: number,
): Promise<Turn> {
  const cpu = await peer.cpuUs();
  const load = { ...asked, port, connections: CONNECTIONS, ms };
  const loaded = await generator.call<{ operations: number; ms: number; cpuUs: number }>('load', load);
  const operations = loaded.operations * counts;
  return {
    rate: (operations / loaded.ms) * 1_000,
    cpuUs: ((await peer.cpuUs()) - cpu) / operations,
    generator: loaded.cpuUs / 1_000 / loaded.ms,
  };
}

async function muteTurn({ peer, port, generator, probe }: Served, ms: number): Promise<Turn> {
  const cpu = await peer.cpuUs();
  const loads = meanwhile.map((load) => generator.call('load', { ...load, port, ms }));
  const began = performance.now();
  const took = await probe.call<number[]>('latencies', { ...mute, port, ms });
  const lasted = performance.now() - began;
  await Promise.all(loads);
  const sorted = took.toSorted((one, other) => one - other);
  return {
    rate: (took.length / lasted) * 1_000,
    cpuUs: ((await peer.cpuUs()) - cpu) / took.length,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
  };
}

async function statusOf(port: number): Promise<string> {
  const headers = { 'content-type': mute.mediaType };
  const answer = await fetch(`http://127.0.0.1:${port}${mute.path}`, {
    method: 'POST',
    headers,
    body: mute.body,
  });
  if (answer.status !== 200) throw new Error(`a mute is answered ${answer.status}`);
  return answer.text();
}

async function feedTurn({ peer, generator }: Served, ms: number): Promise<Turn> {
  await generator.call('received');
  const cpu = await peer.cpuUs();
  const began = performance.now();
  await pause(ms);
  const { messages } = await generator.call<{ messages: number }>('received');
  const took = performance.now() - began;
  return { rate: (messages / took) * 1_000, cpuUs: ((await peer.cpuUs()) - cpu) / messages };
}

function watch({ port, generator }: Served): Promise<void> {
  return generator.call('watch', { port, path: '/ws/spectrum', watchers: WATCHERS });
}

/** The size of a message, once they come. */
async function watched(served: Served): Promise<number> {
  await watch(served);
  await pause(SEEN_MS);
  const { messages, bytes } = await served.generator.call<{ messages: number; bytes: number }>('received');
  // Without the head of a frame up to 64 KiB.
  return Math.round(bytes / messages) - 4;
}
