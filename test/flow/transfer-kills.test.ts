/**
 * Large files through real processes while they are killed: a download and an upload by the chunked protocol, with the
 * simulated spacecraft at the other end. The leader of the transfers and the process that encodes and decodes are
 * killed (SIGKILL) in turn, so often each, spread over the file. Digests are equal, and the memory of each life is
 * printed. `npm run campaign:transfers`; TRANSFER_KILLS, DOWNLOAD_MIB and UPLOAD_MIB set how much.
 */

import { createHash } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

const KILLS = Number(process.env['TRANSFER_KILLS'] ?? 0);
const MIB = 1024 * 1024;
const DOWN = Number(process.env['DOWNLOAD_MIB'] ?? 64) * MIB + 4_321;
// At most as much as the API stores.
const UP = Number(process.env['UPLOAD_MIB'] ?? 256) * MIB - 4_321;
const CHUNK = 60_000;
/** What a process may take beside what it has at its start, however large the file is. */
const GROWTH_MB = 64;
const PATIENTLY = { timeoutMs: 1_500_000 };

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
    inputs: { name: { type: instance, of: files }, content: { type: file } }
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
    env: { MCS_INSTANCE: instance },
    readyWithinMs: 120_000,
  });

async function memoryMb({ child }: Mcs, of: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  return Number(new RegExp(`${of}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024;
}

/** Processes of a role, one at a time: each is killed, and the next one takes over. */
class Lives {
  readonly growths: number[] = [];
  readonly #roles: string;
  #count = 0;
  #mcs: Mcs | undefined;
  #atStart = 0;

  constructor(roles: string) {
    this.#roles = roles;
  }

  async begin(): Promise<void> {
    this.#count += 1;
    this.#mcs = await start(`${this.#roles}-${this.#count}`, this.#roles);
    this.#atStart = await memoryMb(this.#mcs, 'VmRSS');
  }

  async end(signal: NodeJS.Signals): Promise<void> {
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

/** Kills each so often while the file is under way; `end`: whether it is there. */
async function throughKills(key: string, size: number, end: () => Promise<boolean>): Promise<void> {
  const [leaders, drivers] = [new Lives('transfers'), new Lives('drivers')];
  await Promise.all([leaders.begin(), drivers.begin()]);
  const begun = performance.now();
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
  await Promise.all([leaders.end('SIGTERM'), drivers.end('SIGTERM')]);
  const rate = ((size * 8) / seconds / 1e6).toFixed(1);
  console.info(
    `${key}, ${(size / MIB).toFixed(0)} MiB in ${seconds.toFixed(0)} s, ${rate} Mbit/s with every kill`,
  );
  console.info(`  ${leaders.said}\n  ${drivers.said}`);
  console.info(`  everything else, with the spacecraft: ${(await memoryMb(base, 'VmHWM')).toFixed(0)} MB`);
  expect([leaders.growths.length, drivers.growths.length]).toEqual([KILLS + 1, KILLS + 1]);
  expect(Math.max(...leaders.growths)).toBeLessThan(GROWTH_MB);
}

async function refresh(): Promise<void> {
  const { status } = await call('POST', `${base.api}/v1/targets/sat1/files/refresh`);
  expect(status).toBe(202);
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

describe.runIf(KILLS > 0)('large files through processes that die', () => {
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
    const drivers = new Lives('drivers');
    await drivers.begin();
    await until(async () => (await call('POST', `${base.api}/v1/targets/sat1/files/refresh`)).status === 202);
    await until(async () => (await listed('20'))?.size === DOWN, { timeoutMs: 60_000, what: 'the listing' });
    await drivers.end('SIGTERM');
  }, 300_000);
  afterAll(async () => {
    await endAllMcs();
    await nats.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it(
    'MC-XFER-049 MC-XFER-054 MC-GEN-022 F-18 a download comes down, and its digest is that of the spacecraft',
    async () => {
      const made = await call('POST', `${base.api}/v1/transfers`, { target: 'sat1', file_id: '20' });
      expect(made.status).toBe(201);
      await throughKills('sat1.20.1', DOWN, async () => {
        await receivedOf('sat1.20.1');
        return (await stored('sat1.20.1'))?.state === 'VERIFIED';
      });
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
      expect(await put.json()).toMatchObject({ sha256 });
      const run = {
        run: 'put',
        environment: 'bench',
        targets: { sat: 'sat1' },
        inputs: { name: '40', content: sha256 },
      };
      const launched = await call<{ run: string }>('POST', `${base.api}/v1/runs`, run);
      expect(launched.status, JSON.stringify(launched.body)).toBe(202);
      await throughKills(
        'sat1.40.1.up',
        UP,
        async () => (await stored('sat1.40.1.up'))?.state === 'COMPLETE',
      );
      const drivers = new Lives('drivers,transfers');
      await drivers.begin();
      const over = async (): Promise<boolean> => {
        const answer = await call<RunStatus>('GET', `${base.api}/v1/runs/${launched.body.run}`);
        return answer.body.finished === true;
      };
      await until(over, { ...PATIENTLY, what: 'the run being over' });
      await refresh();
      await until(async () => (await stored('sat1.40.1.up'))?.state === 'VERIFIED', PATIENTLY);
      const { body: files } = await call<SimulatedFiles>('GET', `${base.api}/v1/sim/sim-1/files`);
      expect(files.files.find(({ id }) => id === '40')?.sha256).toBe(sha256);
      await drivers.end('SIGTERM');
    },
    PATIENTLY.timeoutMs,
  );
});
