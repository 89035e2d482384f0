/**
 * How much of a link CFDP uses, in the time of the link, beside its rate; and what bytes that came cost until the file
 * is VERIFIED: stored in parts, recorded, put together, its checksum compared, beside the digests alone.
 */

import { crc32 } from 'node:zlib';
import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { chunkHeaders } from '../../contract/file-chunk.ts';
import { CHUNK_MESSAGE_BYTES } from '../../contract/limits/transfer.ts';
import { readStoredTransfer, transferKey } from '../../contract/transfer.ts';
import { createdTransfer } from '../../machines/transfer/step.ts';
import { publishConfiguration } from '../../supervision/configuration.ts';
import { goodputOf } from '../../test/simulation/cfdp/goodput.ts';
import { until } from '../../test/support/until.ts';
import { compiledDemo } from '../demo-mission.ts';
import type { Ground } from '../ground.ts';
import { compare, type Result, type Row, type Settings, type Turn } from '../row.ts';
import { measuredTurn, onGround } from '../with-peers.ts';

const MIB = 2 ** 20;
const LINK_BITS_PER_S = 1e6;
/** Of each PDU each way, and what is to be left of the link. */
const LOSSES = [
  [0, 0.97],
  [0.01, 0.95],
  [0.05, 0.85],
  [0.1, 0.75],
] as const;
/** As long as what lies between two of them: the time of the link is what counts. */
const PASS_MS = 60_000;
const FILE = '90';
const CHUNKS_AT_ONCE = 32;
/** So long the first chunk is waited for before it is sent again. */
const AGAIN_MS = 500;

export const transferBytesRows: readonly Row[] = [
  {
    name: 'transfer.goodput',
    async run(settings) {
      const results: Result[] = [];
      for (const [loss, share] of settings.quick ? LOSSES.slice(0, 1) : LOSSES)
        results.push(await goodput({ loss, share, mib: settings.quick ? 1 : 8 }, settings));
      return results;
    },
  },
  {
    name: 'transfer.passes',
    async run(settings) {
      const results: Result[] = [];
      for (const [loss, share] of settings.quick ? LOSSES.slice(-1) : LOSSES)
        results.push(await goodput({ loss, share, mib: settings.quick ? 8 : 64, passMs: PASS_MS }, settings));
      return results;
    },
  },
  { name: 'transfer.store', run: async (settings) => [await stored(settings)] },
];

interface GoodputRow {
  readonly loss: number;
  readonly share: number;
  readonly mib: number;
  /** Without it the link is always there. */
  readonly passMs?: number;
}

/** It is the same in every round but for the processor time: of both entities, for each MB. */
function goodput({ loss, share, mib, passMs }: GoodputRow, settings: Settings): Promise<Result> {
  const bytes = mib * MIB;
  const mbits = LINK_BITS_PER_S / 1e6;
  const turn = async (): Promise<Turn> => {
    const before = process.cpuUsage();
    const { ratio, faults } = goodputOf({ bytes, bitsPerSecond: LINK_BITS_PER_S, loss, passMs });
    if (faults.length > 0) throw new Error(faults.join('; '));
    const { user, system } = process.cpuUsage(before);
    return { rate: ratio * mbits, cpuUs: (user + system) / (bytes / 1e6) };
  };
  const contenders = [
    { name: 'CFDP class 2', turn },
    { name: 'the link', turn: async () => ({ rate: mbits, cpuUs: Number.NaN }) },
  ];
  const passes = passMs === undefined ? '' : `, passes of ${passMs / 1_000} s that end in the middle`;
  const note = `${mib} MiB down, a round trip of 600 ms, ${loss * 100} % of PDUs lost each way${passes}; processor time per MB, of both ends`;
  const aim = { share, of: 'the link', by: 'rate' } as const;
  const row = `transfer.${passMs === undefined ? 'goodput' : 'passes'}.${loss * 100}`;
  return compare({ row, unit: 'Mbit/s', note, contenders, aim }, settings);
}

/** A file whose chunks are published as fast as the bus takes them; each turn is another generation. */
class Arriving {
  readonly #ground: Ground;
  readonly #content: Buffer;
  #generation = 0;

  constructor(ground: Ground, bytes: number) {
    this.#ground = ground;
    this.#content = Buffer.alloc(bytes, 'a file that comes down, ');
  }

  /** From its first chunk to VERIFIED, ms. */
  async whole(): Promise<number> {
    const key = await this.#ask();
    await this.#open(key);
    const begin = performance.now();
    await this.#publish();
    await until(async () => (await this.#stateOf(key)) === 'VERIFIED', {
      timeoutMs: 120_000,
      what: `${key} being VERIFIED`,
    });
    return performance.now() - begin;
  }

  /** The manager knows it once its first bytes are recorded: what comes before that would be asked for again. */
  async #open(key: string): Promise<void> {
    let asked = 0;
    await until(
      async () => {
        if (performance.now() - asked > AGAIN_MS) {
          asked = performance.now();
          await this.#chunk(0);
        }
        return (await this.#stateOf(key)) !== 'REQUESTED';
      },
      { timeoutMs: 120_000, what: `${key} being PARTIAL` },
    );
  }

  async #stateOf(key: string): Promise<string | undefined> {
    const entry = await this.#ground.bus.bucket(buckets.transfers).get(key);
    return entry === undefined ? undefined : readStoredTransfer(key, entry.value)?.state;
  }

  async #ask(): Promise<string> {
    this.#generation += 1;
    const name = {
      target: 'sat1',
      file_id: FILE,
      generation: this.#generation,
      direction: 'download',
    } as const;
    const checksum = crc32(this.#content).toString(16).padStart(8, '0');
    const size = this.#content.length;
    const record = createdTransfer({ record: { ...name, size, checksum, priority: 0 }, at: Date.now() });
    const key = transferKey(name);
    const { bus } = this.#ground;
    await bus.bucket(buckets.openTransfers).put(key, Buffer.from('{}'), 0);
    await bus.bucket(buckets.transfers).put(key, Buffer.from(JSON.stringify(record)), 0);
    return key;
  }

  async #publish(): Promise<void> {
    const underWay = new Set<Promise<unknown>>();
    for (let offset = CHUNK_MESSAGE_BYTES; offset < this.#content.length; offset += CHUNK_MESSAGE_BYTES) {
      const sent: Promise<unknown> = this.#chunk(offset).finally(() => underWay.delete(sent));
      underWay.add(sent);
      if (underWay.size >= CHUNKS_AT_ONCE) await Promise.race(underWay);
    }
    await Promise.all(underWay);
  }

  #chunk(offset: number): Promise<unknown> {
    const data = this.#content.subarray(offset, offset + CHUNK_MESSAGE_BYTES);
    const headers = chunkHeaders({ file: FILE, generation: this.#generation, offset, data });
    return this.#ground.bus.append(streams.fileChunks, subject.fileChunk('sat1', FILE), data, { headers });
  }
}

async function stored(settings: Settings): Promise<Result> {
  const bytes = (settings.quick ? 2 : 64) * MIB;
  return onGround(async (ground, start) => {
    await publishConfiguration(ground.bus, await compiledDemo());
    const [service, bare] = [await start('service'), await start('bare-digests')];
    await service.call('start', { address: ground.address, roles: ['transfers'] });
    await bare.call('start', { bytes });
    const arriving = new Arriving(ground, bytes);
    const operations = bytes / 1e6;
    const turn = (peer: typeof service, work: () => Promise<number>) => () =>
      measuredTurn({ ground, peer, operations, work });
    return compare(
      {
        row: 'transfer.store',
        unit: 'MB/s',
        note: `${bytes / MIB} MiB in chunks of ${CHUNK_MESSAGE_BYTES} bytes until VERIFIED; processor time per MB`,
        contenders: [
          { name: 'service', turn: turn(service, () => arriving.whole()) },
          { name: 'SHA-256 and CRC-32 alone', turn: turn(bare, () => bare.call<number>('digest', {})) },
        ],
      },
      settings,
    );
  });
}
