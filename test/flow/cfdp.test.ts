/**
 * Files by CFDP through real processes, a real bus and UDP to an entity in a process of its own, with PDUs lost each
 * way: the process that has the files of the gateway is killed in the middle, and another takes over. Flow F-21 (the
 * part of CFDP).
 */

import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { encodeBatch } from '../../contract/batch.ts';
import { buckets, objectStores } from '../../contract/bus/buckets.ts';
import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { type CfdpAnswer, type CfdpCall, readCfdpReply } from '../../contract/cfdp.ts';
import { Outage } from '../../contract/outage.ts';
import { contentObject, readStoredTransfer } from '../../contract/transfer.ts';
import { createDownload } from '../../messaging/transfer-writes.ts';
import { compile } from '../../mission/compile.ts';
import { load } from '../../mission/load.ts';
import type { Mission } from '../../mission/mission.ts';
import type { Bus } from '../../ports/bus.ts';
import { writeSpacePacket } from '../../protocol/space-packet.ts';
import { realClock } from '../../supervision/clock.ts';
import { platform, topology } from '../mission/documents.ts';
import { endAllMcs, type Mcs, STEADY, startMcs } from '../support/mcs.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { freePort } from '../support/radio.ts';
import { until } from '../support/until.ts';
import type { SpacecraftNews, SpacecraftOrder } from './cfdp-spacecraft.fixture.ts';
import { CFDP_APID, fileBytes, TC_APID } from './cfdp-spacecraft.ts';

const RATE = 4_000_000;
const SIZE = 900_000;
const CONTENT = fileBytes(SIZE);
const SHA256 = createHash('sha256').update(CONTENT).digest('hex');
const PATIENTLY = { timeoutMs: 90_000 };
const KEY = 'sat.7.1';
const UPLOAD: CfdpCall = {
  target: 'sat',
  file_id: '9',
  generation: 1,
  direction: 'upload',
  size: SIZE,
  source: SHA256,
};

let nats: TestNats;
let bus: Bus;
let folder: string;
let mission: Mission;
let spacecraft: ChildProcess;
const news: SpacecraftNews[] = [];
const drivers = new Map<string, Mcs>();

async function start(roles: string, instance: string): Promise<Mcs> {
  const place = ['--mission', folder, '--nats', nats.url, '--credentials', nats.credentialsFile];
  return startMcs({
    args: ['serve', '--roles', roles, ...place],
    env: { MCS_INSTANCE: instance, ...STEADY },
  });
}

function documentsOf(port: number, peer: number) {
  const transport = { kind: 'space-packet', apid: TC_APID, cfdp: { entity: 42, apid: CFDP_APID } };
  const link = { default: true, driver: 'pus', gateway: 'modem', transport };
  return [
    platform({
      components: { obc: { measures: { n: { type: 'u8' } } } },
      files: { types: { 1: { name: 'image' } }, transfer: { protocol: 'cfdp', checksum: 'crc32' } },
    }),
    topology({
      gateways: { modem: { udp: { port, peer: { host: '127.0.0.1', port: peer } }, rate: `${RATE} bit/s` } },
      drivers: { pus: { protocol: 'pus-c', cfdp: { entity: 1 } } },
      targets: { sat: { platform: 'box@1.0.0', environments: ['bench'], links: { s: link } } },
    }),
  ];
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcs-cfdp-'));
  const [port, peer] = [await freePort('udp'), await freePort('udp')];
  const documents = documentsOf(port, peer);
  for (const { file, text } of documents) await writeFile(join(folder, file), text);
  const compiled = compile(documents);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults));
  mission = load(compiled.value.configuration, compiled.value.revision);
  nats = await startNats();
  bus = await nats.connected();
  const fixture = new URL('cfdp-spacecraft.fixture.ts', import.meta.url);
  const args = [peer, port, RATE, 20, SIZE].map(String);
  spacecraft = fork(fixture, args, { execArgv: ['--import', 'tsx'] });
  spacecraft.on('message', (each) => void news.push(each as SpacecraftNews));
  await Promise.all([
    start('gateways,transfers', 'ground'),
    ...['one', 'two', 'three'].map(async (name) => drivers.set(name, await start('drivers', name))),
  ]);
  await until(() => news.length > 0, { ...PATIENTLY, what: 'the spacecraft' });
}, 120_000);
afterAll(async () => {
  const ended = once(spacecraft, 'exit');
  spacecraft.kill('SIGKILL');
  await ended;
  await endAllMcs();
  await nats.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The process that has the files of the gateway. */
async function owner(): Promise<string> {
  return until(
    async () => {
      const entry = await bus.bucket(buckets.members).get('partition.cfdp.modem');
      const { owner: name } = JSON.parse(Buffer.from(entry?.value ?? '{}').toString()) as { owner?: string };
      return name !== undefined && drivers.has(name) ? name : undefined;
    },
    { ...PATIENTLY, what: 'an owner' },
  );
}

async function kill(name: string): Promise<void> {
  const mcs = drivers.get(name)!;
  drivers.delete(name);
  await mcs.kill('SIGKILL');
}

/** Resolves when the spacecraft goes by it. */
async function order(wanted: SpacecraftOrder): Promise<void> {
  const ordered = (): number => news.filter((each) => each.news === 'ordered').length;
  const before = ordered();
  spacecraft.send(wanted);
  await until(() => ordered() > before, { ...PATIENTLY, what: 'the spacecraft to go by an order' });
}

const stored = async () => {
  const entry = await bus.bucket(buckets.transfers).get(KEY);
  return entry && readStoredTransfer(KEY, entry.value);
};

/** As the transfer manager asks; undefined while nobody answers. */
async function ask(call: CfdpCall): Promise<CfdpAnswer | undefined> {
  const headers = { [header.config]: mission.revision };
  const data = Buffer.from(JSON.stringify(call));
  try {
    const reply = await bus.request(subject.driverVerb('pus', 'cfdp'), data, { timeoutMs: 5_000, headers });
    return readCfdpReply(reply);
  } catch (error) {
    if (error instanceof Outage) return undefined;
    throw error;
  }
}

async function listed(): Promise<void> {
  const checksum = crc32(CONTENT).toString(16).padStart(8, '0');
  const ground = Date.now();
  const listing = { file: '7', size: SIZE, checksum, generation: 1, ground, onboard: Number.NaN };
  const values = {
    platform: 'any',
    link: 's',
    environment: 'bench',
    deferred: false,
    blocks: [],
    reports: [],
  };
  const batch = { ...values, files: [listing] };
  await bus.append(streams.values, subject.values('sat'), encodeBatch(batch as never));
  const files = { file: () => ({ size: SIZE, checksum, generation: 1, listedAt: 0 }) };
  const over = { find: async () => undefined };
  const tools = { bus, clock: realClock, files, over };
  const made = await createDownload({ target: 'sat', file_id: '7' }, { by: 'ada' }, mission, tools);
  expect(made.ok).toBe(true);
}

it(
  'MC-CFDP-001 MC-CFDP-002 MC-CFDP-007 MC-CFDP-009 MC-CFDP-010 a download ends with the same digest though the process that has it is killed',
  async () => {
    const first = await owner();
    let chunks = 0;
    const counting = await bus.follow(
      streams.fileChunks,
      subject.fileChunk('sat', '7'),
      { from: 'start' },
      ({ data }) => {
        chunks += data.length;
      },
    );
    await listed();
    await until(() => chunks > SIZE / 3, { ...PATIENTLY, what: 'a third of the file' });
    await kill(first);
    await until(
      async () => {
        const record = await stored();
        if (record?.state === 'CORRUPTED') throw new Error(record.reason);
        return record?.state === 'VERIFIED';
      },
      { ...PATIENTLY, what: 'VERIFIED' },
    );
    const content = await bus.objects(objectStores.files).read(contentObject((await stored())!));
    const digest = createHash('sha256');
    for await (const piece of content!.pieces) digest.update(piece);
    expect(digest.digest('hex')).toBe(SHA256);
    // Nothing was sent as a telecommand.
    expect(await bus.last(streams.telecommands, subject.tcSubmit('sat'))).toBeUndefined();
    await counting.stop();
  },
  PATIENTLY.timeoutMs * 2,
);

it(
  'MC-CFDP-004 MC-CFDP-005 MC-CFDP-006 MC-CFDP-008 an upload ends with the same digest though the process that has it is killed, and telecommands go by',
  async () => {
    async function* pieces() {
      yield CONTENT;
    }
    await bus.objects(objectStores.uploads).put(SHA256, pieces());
    const first = await owner();
    const late = telecommands();
    let isKilled = false;
    // However long nobody looks, it is not over before its process is killed.
    await order({ room: SIZE / 2 });
    await until(
      async () => {
        const answer = await ask(UPLOAD);
        if (answer?.ok === true && answer.value.outcome === 'completed') return true;
        const isMiddle =
          answer?.ok === true && answer.value.outcome === 'running' && answer.value.bytes > SIZE / 3;
        if (isMiddle && !isKilled) {
          isKilled = true;
          await kill(first);
          await order({ room: null });
        }
        return false;
      },
      { ...PATIENTLY, what: 'completed' },
    );
    expect(isKilled).toBe(true);
    const taken = news.filter((each) => each.news === 'taken');
    expect(taken).toEqual([{ news: 'taken', name: '9', sha256: SHA256 }]);
    const ms = await late.stop();
    expect(ms.length).toBeGreaterThan(10);
    console.info(`telecommands beside an upload at ${RATE} bit/s: ${inWords(ms)} until they leave the modem`);
  },
  PATIENTLY.timeoutMs * 2,
);

/**
 * Sends one now and again over the gateway, until it is stopped; with how long those took that have left the modem, ms:
 * datagrams that the spacecraft has no time to read are lost to it.
 */
function telecommands() {
  let number = 0;
  const sentAt = new Map<number, number>();
  const epoch = 1;
  const send = async (): Promise<void> => {
    number += 1;
    sentAt.set(number, Date.now());
    const data = Buffer.alloc(20);
    data.writeUInt32BE(number);
    const fields = { secondaryHeader: true, apid: TC_APID, sequenceFlags: 'unsegmented' } as const;
    const frame = writeSpacePacket({ type: 'telecommand', ...fields, sequenceCount: number }, data);
    const notAfter = Date.now() + PATIENTLY.timeoutMs;
    const call = { target: 'sat', key: `k${number}`, epoch, frame: frame.toString('hex'), notAfter };
    const to = subject.gatewayVerb('modem', 'send');
    await bus.request(to, Buffer.from(JSON.stringify(call)), PATIENTLY);
  };
  const sending: Promise<void>[] = [];
  const timer = setInterval(() => void sending.push(send()), 50);
  return {
    stop: async (): Promise<number[]> => {
      clearInterval(timer);
      await Promise.all(sending);
      const left = (): number[] =>
        news.flatMap((each) =>
          each.news === 'telecommand' ? [Math.max(0, each.at - sentAt.get(each.number)!)] : [],
        );
      await until(() => left().length >= number * 0.9, { ...PATIENTLY, what: 'telecommands on board' });
      return left().sort((a, b) => a - b);
    },
  };
}

function inWords(ms: readonly number[]): string {
  const at = (part: number): string => `${ms[Math.floor(part * (ms.length - 1))]!.toFixed(0)} ms`;
  return `median ${at(0.5)}, 95 % ${at(0.95)}, most ${at(1)} of ${ms.length}`;
}
