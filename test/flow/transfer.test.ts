/**
 * A download through real processes and a real bus: chunks lost, doubled and out of order, SIGKILL of the leader in the
 * middle. Flow F-18. The spacecraft and its driver are a stand-in here. In CI a few MiB; MCS_TRANSFER_MIB=64 is the
 * long form, which prints the memory of the process.
 */

import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { encodeBatch } from '../../contract/batch.ts';
import { buckets, objectStores } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { chunkHeaders } from '../../contract/file-chunk.ts';
import type { TcSubmission } from '../../contract/telecommand.ts';
import {
  contentObject,
  readStoredTransfer,
  receivedBy,
  type StoredTransfer,
} from '../../contract/transfer.ts';
import { createDownload } from '../../messaging/transfer-writes.ts';
import { compile } from '../../mission/compile.ts';
import { load } from '../../mission/load.ts';
import type { Mission } from '../../mission/mission.ts';
import type { Bus, StreamMessage } from '../../ports/bus.ts';
import { realClock } from '../../supervision/clock.ts';
import { DEMO } from '../support/demo-cell.ts';
import { endAllMcs, type Mcs, startMcs } from '../support/mcs.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { until } from '../support/until.ts';

const MIB = Number(process.env['MCS_TRANSFER_MIB'] ?? 3);
const SIZE = MIB * 1024 * 1024 + 12_345;
const CHUNK = 32_768;
/** What a process of 64 MiB more may take beside it: pieces, parts and what the collector has not collected. */
const GROWTH_MB = 160;
const PATIENTLY = { timeoutMs: 60_000 + MIB * 10_000 };

const TOPOLOGY = `
topology: files
environments:
  bench: { identity: declared, human_orchestration: false }
gateways:
  sim-1: { simulated: true, model: cubesat-6u }
drivers:
  pus: { protocol: pus-c }
targets:
  sat1:
    platform: cubesat-6u@1.0.0
    environments: [bench]
    links:
      uhf: { default: true, driver: pus, transport: { kind: space-packet, apid: 0x73 }, gateway: sim-1 }
`;

let nats: TestNats;
let bus: Bus;
let folder: string;
let mission: Mission;
let reports: NodeJS.Timeout;
const KEY = 'sat1.7.1';

/** The bytes of the file from an offset on: any part without the rest. */
function bytesAt(offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; at += 1) bytes[at] = ((offset + at) * 2_654_435_761) >>> 24;
  return bytes;
}

function checksums(): { readonly crc32: string; readonly sha256: string } {
  const sha256 = createHash('sha256');
  let crc = 0;
  for (let at = 0; at < SIZE; at += CHUNK) {
    const bytes = bytesAt(at, Math.min(CHUNK, SIZE - at));
    sha256.update(bytes);
    crc = crc32(bytes, crc);
  }
  return { crc32: crc.toString(16).padStart(8, '0'), sha256: sha256.digest('hex') };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcs-transfer-'));
  const platform = (await readFile(join(DEMO, 'cubesat-6u.yaml'), 'utf8'))
    .replace(', on_raise: run "shed_load"', '')
    .replace('max_chunk: 200', `max_chunk: ${CHUNK}`)
    .replace('bytes, range: [1, 200] }', `bytes, range: [1, ${CHUNK}] }`)
    .replace('range: [1, 200], default: 200 }', `range: [1, ${CHUNK}], default: ${CHUNK} }`);
  const documents = [
    { file: 'cubesat-6u.yaml', text: platform },
    { file: 'topology.yaml', text: TOPOLOGY },
  ];
  for (const { file, text } of documents) await writeFile(join(folder, file), text);
  const compiled = compile(documents);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults));
  mission = load(compiled.value.configuration, compiled.value.revision);
  nats = await startNats();
  bus = await nats.connected();
  const rate = { frames: 0, bytes: 0, frames_per_second: 1, bytes_per_second: 4_000_000 };
  const link = { state: 'up', since: 0 };
  const report = { gateway: 'sim-1', kind: 'simulated', at: 0, link, downlink: rate, uplink: rate };
  reports = setInterval(() => bus.publish(subject.metrics, Buffer.from(JSON.stringify(report))), 500);
  await bus.follow(streams.telecommands, subject.tcSubmit('sat1'), { from: 'start' }, answer);
}, 60_000);
afterAll(async () => {
  clearInterval(reports);
  await endAllMcs();
  await nats.stop();
  await rm(folder, { recursive: true, force: true });
});

let requests = 0;
let held: (() => Promise<unknown>) | undefined;

/** One in nine is lost, one in seven doubled, one in five comes behind the next. */
async function answer({ data }: StreamMessage): Promise<void> {
  const { id, args } = JSON.parse(Buffer.from(data).toString()) as TcSubmission;
  requests += 1;
  const n = requests;
  const say = async (state: string): Promise<unknown> => {
    const event = { tc: id, state, at: new Date().toISOString() };
    return bus.append(
      streams.telecommandEvents,
      subject.tcEvent('sat1', id),
      Buffer.from(JSON.stringify(event)),
    );
  };
  // What is lost has failed here: its 15 s are shown on a clock of their own.
  if (n % 9 === 0) return void (await say('SEND_FAILED'));
  await say('SENT');
  const offset = Number(args['offset']);
  const bytes = bytesAt(offset, Number(args['length']));
  const headers = chunkHeaders({ file: '7', generation: 1, offset, data: bytes });
  const chunk = (): Promise<unknown> =>
    bus.append(streams.fileChunks, subject.fileChunk('sat1', '7'), bytes, { headers });
  const late = held;
  held = undefined;
  if (n % 5 === 0 && n < SIZE / CHUNK) held = chunk;
  else await chunk();
  if (n % 7 === 0) await chunk();
  await late?.();
  await say('VERIFIED');
}

const stored = async (): Promise<StoredTransfer | undefined> => {
  const entry = await bus.bucket(buckets.transfers).get(KEY);
  return entry && readStoredTransfer(KEY, entry.value);
};

const manager = (instance: string): Promise<Mcs> =>
  startMcs({
    args: [
      'serve',
      '--roles',
      'transfers',
      '--mission',
      folder,
      '--nats',
      nats.url,
      '--credentials',
      nats.credentialsFile,
    ],
    env: { MCS_INSTANCE: instance },
  });

async function memoryMb({ child }: Mcs): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
}

it(
  'MC-XFER-049 MC-XFER-054 MC-GEN-022 F-18 comes down through a leader that is killed, with the digest of what the spacecraft has',
  async () => {
    const { crc32: checksum, sha256 } = checksums();
    const first = await manager('one');
    const files = { file: () => ({ size: SIZE, checksum, generation: 1, listedAt: 0 }) };
    const listing = {
      file: '7',
      size: SIZE,
      checksum,
      generation: 1,
      ground: Date.now(),
      onboard: Number.NaN,
    };
    const values = {
      platform: 'any',
      link: 'uhf',
      environment: 'bench',
      deferred: false,
      blocks: [],
      reports: [],
    };
    await bus.append(
      streams.values,
      subject.values('sat1'),
      encodeBatch({ ...values, files: [listing] } as never),
    );
    const made = await createDownload({ target: 'sat1', file_id: '7' }, { by: 'ada' }, mission, {
      bus,
      clock: realClock,
      files,
      over: { find: async () => undefined },
    });
    expect(made.ok).toBe(true);
    const isThird = async (): Promise<boolean> => {
      const record = await stored();
      return record !== undefined && receivedBy(record).total > SIZE / 3;
    };
    await until(isThird, { ...PATIENTLY, what: 'a third of the file' });
    await first.kill('SIGKILL');
    const second = await manager('two');
    const before = await memoryMb(second);
    let most = before;
    await until(
      async () => {
        most = Math.max(most, await memoryMb(second));
        const record = await stored();
        if (record?.state === 'CORRUPTED') throw new Error(record.reason);
        return record?.state === 'VERIFIED';
      },
      { ...PATIENTLY, what: 'VERIFIED' },
    );
    const content = await bus.objects(objectStores.files).read(contentObject((await stored())!));
    const digest = createHash('sha256');
    for await (const piece of content!.pieces) digest.update(piece);
    expect(digest.digest('hex')).toBe(sha256);
    expect((await stored())?.actor.content).toMatchObject({ sha256, algorithm: 'crc32', checksum });
    console.info(
      `transfer of ${MIB} MiB: ${requests} requests, RSS ${before.toFixed(0)} to ${most.toFixed(0)} MB`,
    );
    expect(most - before).toBeLessThan(GROWTH_MB);
    const isClosed = async (): Promise<boolean> =>
      (await bus.bucket(buckets.openTransfers).list('>')).length === 0;
    await until(isClosed, { ...PATIENTLY, what: 'its parts removed' });
  },
  PATIENTLY.timeoutMs * 3,
);
