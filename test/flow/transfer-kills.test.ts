/**
 * Large files through real processes while they are killed: a download and an upload by the chunked protocol, with the
 * simulated spacecraft at the other end. The leader of the transfers and the process that encodes and decodes are
 * killed (SIGKILL) in turn, so often each, spread over the file. Digests are equal, and the memory of each life and the
 * processor time for each MB are printed. In CI a small upload, each killed once; `npm run campaign:transfers` is the
 * long form; TRANSFER_KILLS, DOWNLOAD_MIB and UPLOAD_MIB say how much.
 *
 * An upload is as fast as the lane of its target: one write leaves behind the other. Between two of them stand four
 * waits for the bus (decision 58).
 */

import { createHash } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cpuUsOf } from '../../benchmark/processor.ts';
import type { NatsBus } from '../../bus/nats-bus.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import type { RunStatus } from '../../contract/run.ts';
import type { SimulatedFiles } from '../../contract/simulation.ts';
import { readStoredTransfer, receivedBy, type StoredTransfer } from '../../contract/transfer.ts';
import { seededContent } from '../../links/simulated/file-content.ts';
import { call } from '../support/client.ts';
import { DEMO } from '../support/demo-cell.ts';
import { endAllMcs, type Mcs, startMcs } from '../support/mcs.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { until } from '../support/until.ts';

const IS_LONG = process.env['TRANSFER_KILLS'] !== undefined;
const KILLS = Number(process.env['TRANSFER_KILLS'] ?? 1);
const MIB = 1024 * 1024;
const DOWN = Number(process.env['DOWNLOAD_MIB'] ?? 64) * MIB + 4_321;
// At most as much as the API stores.
const UP = Number(process.env['UPLOAD_MIB'] ?? (IS_LONG ? 256 : 3)) * MIB - 4_321;
// A frame that writes one is recorded with its telecommand, which holds 32,000 bytes of it.
const CHUNK = 30_000;
/**
 * What a process may take beside what it has at its start, however large the file is. In lives as long as those of the
 * long form V8 lets up to 64 MB of buffers wait for its first full collection, beside a heap of its first size.
 */
const GROWTH_MB = IS_LONG ? 128 : 64;
const PATIENTLY = { timeoutMs: 3_000_000 };

const TOPOLOGY = `
topology: files
environments:
  bench: { identity: declared, human_orchestration: false }
gateways:
  sim-1: { simulated: true, model: cubesat-6u, faults: [tm_silence], settings: { seed: 7, files: { 20: ${DOWN} } } }
drivers:
  pus: { protocol: pus-c }
targets:
  sat1:
    platform: cubesat-6u@1.0.0
    environments: [bench]
    links:
      uhf:
        default: true
        driver: pus
        transport: { kind: space-packet, apid: 0x73 }
        rate: 16 Mbit/s
        gateway: sim-1
`;
const LIBRARY = `
library: campaign
version: 1.0.0
imports: [cubesat-6u@1.0.0]
procedures:
  put:
    roles: { sat: cubesat-6u }
    inputs: { name: { type: file_id, of: image }, content: { type: file } }
    steps:
      - step: put
        do:
          - upload: sat.files[$name]
            content: $content
          - wait_until: sat.files[$name].transfer == "COMPLETE"
            timeout: 3 h
`;

let nats: TestNats;
let bus: NatsBus;
let folder: string;
let base: Mcs;

const start = (instance: string, roles: string, ...more: string[]): Promise<Mcs> =>
  startMcs({
    args: ['serve', '--roles', roles, ...more, '--nats', nats.url, '--credentials', nats.credentialsFile],
    // A machine that stands still for seconds takes the spacecraft, with its files, from no living process.
    env: { MCS_INSTANCE: instance, MCS_MEMBER_TTL_MS: '15000' },
    readyWithinMs: 120_000,
  });

async function memoryMb({ child }: Mcs, of: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  return Number(new RegExp(`${of}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024;
}

/** Processes of a role, one at a time: each is killed, and the next one takes over. */
class Lives {
  readonly growths: number[] = [];
  /** Of all its lives, their starts with them. */
  processorUs = 0;
  readonly #roles: string;
  #count = 0;
  #mcs: Mcs | undefined;
  #atStart = 0;

  constructor(roles: string) {
    this.#roles = roles;
  }

  async begin(): Promise<void> {
    this.#count += 1;
    this.#mcs = await start(`${this.#roles.replaceAll(',', '-')}-${this.#count}`, this.#roles);
    this.#atStart = await memoryMb(this.#mcs, 'VmRSS');
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    this.processorUs += await cpuUsOf(this.#mcs!.child.pid!);
    // The most it ever had, not what it has now.
    this.growths.push((await memoryMb(this.#mcs!, 'VmHWM')) - this.#atStart);
    await this.#mcs!.kill(signal);
  }

  get said(): string {
    const [all, most] = [this.growths.map((mb) => mb.toFixed(0)).join(' '), Math.max(...this.growths)];
    return `${this.#roles}: ${this.growths.length} lives, ${this.#atStart.toFixed(0)} MB and at most ${most.toFixed(0)} more (${all})`;
  }
}

async function stored(key: string): Promise<StoredTransfer | undefined> {
  const entry = await bus.bucket(buckets.transfers).get(key);
  return entry && readStoredTransfer(key, entry.value);
}

async function receivedOf(key: string): Promise<number> {
  const record = await stored(key);
  if (record?.state === 'CORRUPTED') throw new Error(record.reason);
  return record === undefined ? 0 : receivedBy(record).total;
}

interface Way {
  readonly key: string;
  readonly size: number;
  /** Asks for it, once there are processes that can bring it. */
  readonly begin: () => Promise<void>;
  /** Whether it is there. */
  readonly end: () => Promise<boolean>;
  /** What is looked at then, while somebody still leads. */
  readonly finish: () => Promise<void>;
}

/** Of the bus, and of the process with everything else. */
const othersUs = (): Promise<number[]> => Promise.all([cpuUsOf(nats.pid), cpuUsOf(base.child.pid!)]);

/** Kills each so often while the file is under way. */
async function throughKills({ key, size, begin, end, finish }: Way): Promise<void> {
  const [leaders, drivers] = [new Lives('transfers'), new Lives('drivers')];
  await Promise.all([leaders.begin(), drivers.begin()]);
  await begin();
  const begun = performance.now();
  const others = await othersUs();
  for (let n = 1; n <= 2 * KILLS; n += 1) {
    const from = (size * n) / (2 * KILLS + 1);
    await until(async () => (await receivedOf(key)) >= from, {
      ...PATIENTLY,
      what: `${from} bytes of ${key}`,
    });
    const lives = n % 2 === 1 ? leaders : drivers;
    await lives.end('SIGKILL');
    await lives.begin();
  }
  await until(end, { ...PATIENTLY, what: `${key} being there` });
  const seconds = (performance.now() - begun) / 1_000;
  await finish();
  await Promise.all([leaders.end('SIGTERM'), drivers.end('SIGTERM')]);
  const rate = ((size * 8) / seconds / 1e6).toFixed(1);
  console.info(
    `${key}, ${(size / MIB).toFixed(0)} MiB in ${seconds.toFixed(0)} s, ${rate} Mbit/s with every kill`,
  );
  const [server, rest] = (await othersUs()).map((us, n) => us - others[n]!);
  const each = { leaders: leaders.processorUs, drivers: drivers.processorUs, server, rest };
  const shares = Object.entries(each).map(
    ([who, us = 0]) => `${who} ${(us / 1_000 / (size / 1e6)).toFixed(0)}`,
  );
  console.info(`  processor time, ms a MB: ${shares.join(', ')}`);
  console.info(`  ${leaders.said}\n  ${drivers.said}`);
  console.info(`  everything else, with the spacecraft: ${(await memoryMb(base, 'VmHWM')).toFixed(0)} MB`);
  expect([leaders.growths.length, drivers.growths.length]).toEqual([KILLS + 1, KILLS + 1]);
  expect(Math.max(...leaders.growths)).toBeLessThan(GROWTH_MB);
}

/** A run that is over gives its target back before it says so to everybody. */
async function refresh(): Promise<void> {
  const isAccepted = async (): Promise<boolean> =>
    (await call('POST', `${base.api}/v1/targets/sat1/files/refresh`)).status === 202;
  await until(isAccepted, { timeoutMs: 60_000, what: 'a listing being asked for' });
}

const listed = async (id: string): Promise<{ size?: number } | undefined> => {
  const { body } = await call<{ files: { id: string; size?: number }[] }>(
    'GET',
    `${base.api}/v1/targets/sat1/files`,
  );
  return body.files?.find((file) => file.id === id);
};

function contentAt(offset: number, length: number): Buffer {
  return seededContent(11, 40, 1, UP).read(offset, length);
}

function digestOfUpload(): string {
  const digest = createHash('sha256');
  for (let at = 0; at < UP; at += MIB) digest.update(contentAt(at, Math.min(MIB, UP - at)));
  return digest.digest('hex');
}

describe('large files through processes that die', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mcs-kills-'));
    await cp(DEMO, folder, { recursive: true });
    const platform = (await readFile(join(DEMO, 'cubesat-6u.yaml'), 'utf8'))
      .replace(', on_raise: run "shed_load"', '')
      .replace('max_chunk: 200', `max_chunk: ${CHUNK}`)
      .replace('bytes, range: [1, 200] }', `bytes, range: [1, ${CHUNK}] }`)
      .replace('range: [1, 200], default: 200 }', `range: [1, ${CHUNK}], default: ${CHUNK} }`);
    await rm(join(folder, 'jpss-geolocation.yaml'));
    await writeFile(join(folder, 'cubesat-6u.yaml'), platform);
    await writeFile(join(folder, 'topology.yaml'), TOPOLOGY);
    await writeFile(join(folder, 'ops.yaml'), LIBRARY);
    nats = await startNats();
    bus = await nats.connected();
    base = await start('base', 'api,gateways,telemetry,executor,reconciler', '--mission', folder);
  }, 300_000);
  afterAll(async () => {
    await endAllMcs();
    await nats.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it.runIf(IS_LONG)(
    'MC-XFER-049 MC-XFER-054 MC-GEN-022 F-18 a download comes down, and its digest is that of the spacecraft',
    async () => {
      const key = 'sat1.20.1';
      const begin = async (): Promise<void> => {
        await refresh();
        await until(async () => (await listed('20'))?.size === DOWN, {
          timeoutMs: 60_000,
          what: 'the listing',
        });
        const made = await call('POST', `${base.api}/v1/transfers`, { target: 'sat1', file_id: '20' });
        expect(made.status).toBe(201);
      };
      const end = async (): Promise<boolean> => {
        await receivedOf(key);
        return (await stored(key))?.state === 'VERIFIED';
      };
      await throughKills({ key, size: DOWN, begin, end, finish: async () => undefined });
      const { body } = await call<SimulatedFiles>('GET', `${base.api}/v1/sim/sim-1/files`);
      const onBoard = body.files.find(({ id }) => id === '20');
      const digest = createHash('sha256');
      const content = await fetch(`${base.api}/v1/transfers/sat1/20/1/content`);
      for await (const piece of content.body!) digest.update(piece as Uint8Array);
      expect(digest.digest('hex')).toBe(onBoard?.sha256);
    },
    PATIENTLY.timeoutMs,
  );

  it(
    'MC-UPL-006 MC-UPL-009 an upload of a run comes up, and the spacecraft has its digest',
    async () => {
      const sha256 = digestOfUpload();
      function* pieces() {
        for (let at = 0; at < UP; at += MIB) yield contentAt(at, Math.min(MIB, UP - at));
      }
      const body = Readable.toWeb(Readable.from(pieces())) as never;
      const put = await fetch(`${base.api}/v1/uploads`, { method: 'POST', body, duplex: 'half' } as never);
      expect(await put.json()).toMatchObject({ hash: sha256 });
      const run = {
        run: 'put',
        environment: 'bench',
        targets: { sat: 'sat1' },
        inputs: { name: '40', content: sha256 },
      };
      let id = '';
      const key = 'sat1.40.1.up';
      // A target whose driver does not run is not ready, and its run waits for a person.
      const begin = async (): Promise<void> => {
        const launched = await call<{ run: string }>('POST', `${base.api}/v1/runs`, run);
        expect(launched.status, JSON.stringify(launched.body)).toBe(202);
        id = launched.body.run;
      };
      const end = async (): Promise<boolean> => (await stored(key))?.state === 'COMPLETE';
      const over = async (): Promise<boolean> => {
        const answer = await call<RunStatus>('GET', `${base.api}/v1/runs/${id}`);
        return answer.body.finished === true;
      };
      const finish = async (): Promise<void> => {
        await until(over, { ...PATIENTLY, what: 'the run being over' });
        await refresh();
        await until(async () => (await stored(key))?.state === 'VERIFIED', PATIENTLY);
      };
      await throughKills({ key, size: UP, begin, end, finish });
      const { body: files } = await call<SimulatedFiles>('GET', `${base.api}/v1/sim/sim-1/files`);
      expect(files.files.find(({ id }) => id === '40')?.sha256).toBe(sha256);
    },
    PATIENTLY.timeoutMs,
  );
});
