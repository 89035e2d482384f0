/**
 * Transfer managers as processes have them, on the bus in memory and a clock that a test moves: the real role with its
 * cells and records. What is asked of the spacecraft is answered by a stand-in for executor, driver and spacecraft,
 * which loses, doubles and reorders chunks as the test says.
 */

import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { Registry } from 'prom-client';
import { type DecodedBatch, decodeBatch, encodeBatch, type FileSample } from '../../../contract/batch.ts';
import { buckets, objectStores } from '../../../contract/bus/buckets.ts';
import { header } from '../../../contract/bus/headers.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { chunkHeaders } from '../../../contract/file-chunk.ts';
import { TRANSFER_FORGOTTEN_MS } from '../../../contract/limits/transfer.ts';
import type { Holder } from '../../../contract/target-holds.ts';
import type { TcSubmission } from '../../../contract/telecommand.ts';
import { contentObject, readStoredTransfer, type StoredTransfer } from '../../../contract/transfer.ts';
import { createDownload, createUpload, type TransferTools } from '../../../messaging/transfer-writes.ts';
import type { Mission } from '../../../mission/mission.ts';
import { NO_PASSES } from '../../../mission/pass/serving-gateway.ts';
import type { Bus, StreamMessage } from '../../../ports/bus.ts';
import type { FileDirectory } from '../../../ports/file-directory.ts';
import { seededRandom } from '../../../ports/seeded-random.ts';
import { createDeadLetters } from '../../../supervision/cells/dead-letters.ts';
import { HeapClock } from '../../../supervision/clock.ts';
import type { Worker } from '../../../supervision/ownership/owned-worker.ts';
import type { Role, RoleContext } from '../../../supervision/role.ts';
import { startTransfers } from '../../../supervision/roles/transfers.ts';
import { fileDirectory } from '../../../telemetry/file-directory.ts';
import { type RunningValueFeeds, startValueFeeds } from '../../../telemetry/value-feeds.ts';
import { ProcessClock } from '../../simulation/process-clock.ts';
import { TwinServer } from '../../simulation/twin/server.ts';
import { TwinBus } from '../../simulation/twin/twin-bus.ts';
import { fairWeather } from '../../simulation/twin/weather.ts';
import { settled } from '../../support/manual-clock.ts';
import { TestMissions } from '../../support/missions.ts';
import { type KeptLog, keptLog } from '../../support/silent-log.ts';
import { MISSION } from '../run/effects/effect-world.ts';

export const START = Date.parse('2026-03-01T12:00:00Z');
const REPORT_MS = 5_000;
const MINUTE = 60_000;

/** What the stand-in does with a request. */
export type Answer =
  | 'chunk'
  | 'lost'
  | 'doubled'
  | 'late'
  | 'refused'
  /** It waits for its turn for longer than its request is remembered. */
  | 'queued'
  /** Nothing is ever said of it. */
  | 'silent'
  | 'failed';

export interface Requested {
  readonly at: number;
  readonly id: string;
  readonly submission: TcSubmission;
  readonly user: string | undefined;
  readonly offset: number;
  readonly length: number;
}

export interface ManagerProcess {
  readonly name: string;
  readonly log: KeptLog;
  readonly bus: TwinBus;
  readonly registry: Registry;
  readonly failures: unknown[];
  /** Nothing of it acts any more. */
  kill(): void;
  /** It takes itself for the leader no more. */
  resign(): void;
  stop(): Promise<void>;
}

/** Nothing in this world is long over. */
const NONE_OVER = { find: async () => undefined };

export class TransferWorld {
  readonly clock = new HeapClock(START);
  readonly server = new TwinServer({ now: () => this.clock.now(), choose: () => 0 });
  readonly mission: Mission;
  readonly outside: TwinBus;
  readonly files: FileDirectory;
  readonly #feeds: RunningValueFeeds;
  readonly requests: Requested[] = [];
  /** States of files, as they are published. */
  readonly published: FileSample[] = [];
  /** What the spacecraft has, by file. */
  readonly onboard = new Map<string, { content: Buffer; generation: number }>();
  readonly written = new Map<string, Map<number, Buffer>>();
  answer: (request: Requested, n: number) => Answer = () => 'chunk';
  isLinkUp = true;
  /** bit/s, as the gateway measures it. */
  measured = 0;
  /** From a request to its chunk, ms. */
  readonly delayMs = 400;
  #epoch = 0;

  constructor(mission: Mission = MISSION) {
    this.mission = mission;
    this.outside = this.#bus('outside', new ProcessClock(this.clock, 0));
    const missions = new TestMissions(mission);
    this.#feeds = startValueFeeds({ bus: this.outside, missions, clock: this.clock, log: keptLog() });
    this.files = fileDirectory(this.#feeds);
  }

  static async start(mission?: Mission): Promise<TransferWorld> {
    const world = new TransferWorld(mission);
    const { outside } = world;
    const submissions = outside.follow(
      streams.telecommands,
      subject.tcSubmit('sat1'),
      { from: 'start' },
      (each) => world.#submitted(each),
    );
    await world.finish(submissions);
    await world.finish(
      outside.follow(streams.decoded, subject.decoded('sat1'), { from: 'start' }, ({ data }) => {
        world.published.push(...(decodeBatch<DecodedBatch>(data).files ?? []));
      }),
    );
    world.#report();
    return world;
  }

  get now(): number {
    return this.clock.now();
  }

  /** A process that leads. */
  async manager(
    name: string,
    over: (bus: TwinBus, kill: () => void) => Bus = (bus) => bus,
  ): Promise<ManagerProcess> {
    this.#epoch += 1;
    const clock = new ProcessClock(this.clock, 0);
    const log = keptLog();
    const twin = this.#bus(name, clock);
    const kill = (): void => {
      twin.cut();
      clock.end();
    };
    const bus = over(twin, kill);
    const registry = new Registry();
    const failures: unknown[] = [];
    let holds = true;
    const missions = new TestMissions(this.mission);
    const values = startValueFeeds({ bus, missions, clock, log });
    const context = {
      bus,
      clock,
      log,
      registry,
      missions,
      files: fileDirectory(values),
      passes: NO_PASSES,
      random: seededRandom(1),
      instance: name,
      deadLetters: createDeadLetters(bus, log),
      failpoint: undefined,
      failed: (reason: string) => failures.push(reason),
    };
    const role: Role = await startTransfers(context as unknown as RoleContext);
    const failed = (error: unknown): void => void failures.push(error);
    let worker: Worker | undefined;
    const begun = role.leads![0]!.start({ epoch: this.#epoch, holds: () => holds, failed }).then((each) => {
      worker = each;
    });
    begun.catch(failed);
    await this.run(100);
    return {
      name,
      log,
      bus: twin,
      registry,
      failures,
      kill,
      resign: () => {
        holds = false;
      },
      stop: async () => {
        await this.finish(Promise.resolve(worker?.stop()));
        await this.finish(role.stop());
        await this.finish(values.stop());
      },
    };
  }

  /** Moves time, and lets everything happen that happens meanwhile. */
  async run(ms: number): Promise<void> {
    const at = this.now + ms;
    await settled();
    for (let due = this.clock.next(); due !== undefined && due <= at; due = this.clock.next()) {
      this.clock.step();
      await settled();
    }
    this.clock.advanceTo(at);
    await settled();
  }

  /** Runs until this is done, at most for a minute. */
  async finish<Value>(work: Promise<Value>): Promise<Value> {
    let isDone = false;
    void work.finally(() => (isDone = true)).catch(() => undefined);
    const end = this.now + MINUTE;
    for (await settled(); !isDone && this.now < end; await settled()) if (!this.clock.step()) break;
    return work;
  }

  /** Runs until the record is in this state, at most so long. */
  async until(key: string, state: string, mostMs = 10 * MINUTE): Promise<StoredTransfer> {
    for (const end = this.now + mostMs; this.now < end; await this.run(250)) {
      const stored = this.stored(key);
      if (stored?.state === state) return stored;
    }
    throw new Error(`${key} is ${this.stored(key)?.state ?? 'missing'}, not ${state}`);
  }

  stored(key: string): StoredTransfer | undefined {
    const message = this.server.bucket(buckets.transfers).last(`$KV.${buckets.transfers.name}.${key}`);
    return message && readStoredTransfer(key, message.data);
  }

  /** Keys of the index of open transfers. */
  open(): string[] {
    const lasts = this.server.bucket(buckets.openTransfers).lasts();
    return lasts.filter(({ removal }) => !removal).map(({ subject: on }) => on.split('.').slice(2).join('.'));
  }

  /** The content of a file that came down. */
  async content(name: { target: string; file_id: string; generation: number }): Promise<Buffer | undefined> {
    const read = async (): Promise<Buffer | undefined> => {
      const content = await this.outside.objects(objectStores.files).read(contentObject(name));
      if (content === undefined) return undefined;
      const parts: Uint8Array[] = [];
      for await (const piece of content.pieces) parts.push(piece);
      return Buffer.concat(parts);
    };
    return this.finish(read());
  }

  /** Offsets of the chunks of a file that have come. */
  chunks(file: string): number[] {
    const { messages } = this.server.stream(streams.fileChunks);
    const own = messages.filter(({ subject: on }) => on === subject.fileChunk('sat1', file));
    return own.map(({ headers }) => Number(headers[header.offset]));
  }

  /** Names of objects in `mcs_files`. */
  objects(): string[] {
    const lasts = this.server.bucket(objectStores.files).lasts();
    return lasts.filter(({ removal }) => !removal).map(({ subject: on }) => on.split('.').slice(2).join('/'));
  }

  /** Puts a file on board and lists it, as the owner of the target publishes it. */
  async list(file: string, content: Buffer, more: Partial<FileSample> = {}): Promise<void> {
    const { generation = 1 } = more;
    this.onboard.set(file, { content, generation });
    const checksum = crc32(content).toString(16).padStart(8, '0');
    await this.say({ file, size: content.length, checksum, generation, file_type: 9, ...more });
  }

  /** `onboard`: when it was made there; default: nothing says so. Who dates it may be ahead. */
  async say(
    sample: Omit<FileSample, 'ground' | 'onboard'>,
    onboard = Number.NaN,
    aheadMs = 0,
  ): Promise<void> {
    const values = {
      platform: this.mission.targets.get('sat1')!.platform!.digest,
      link: 'uhf',
      environment: 'bench',
      deferred: false,
      blocks: [],
      reports: [],
    };
    const files = [{ ...sample, ground: this.now + aheadMs, onboard }];
    const headers = { [header.config]: this.mission.revision };
    const data = encodeBatch({ ...values, files } as never);
    await this.finish(this.outside.append(streams.values, subject.values('sat1'), data, { headers }));
    await this.finish(this.files.upToDate('sat1'));
    await this.run(50);
  }

  async download(file: string, priority = 0, run?: string): Promise<StoredTransfer> {
    const tools = { bus: this.outside, clock: this.clock, files: this.files, over: NONE_OVER };
    const requester = run === undefined ? { by: 'ada' } : { by: `run ${run}`, run };
    const request = { target: 'sat1', file_id: file, priority };
    const made = await this.finish(createDownload(request, requester, this.mission, tools));
    if (!made.ok) throw new Error(JSON.stringify(made.faults));
    return made.value;
  }

  /** Of a run that is not over. */
  async upload(
    file: string,
    content: Buffer,
    run: string,
    over: TransferTools['over'] = NONE_OVER,
  ): Promise<StoredTransfer> {
    await this.begin(run);
    async function* pieces() {
      yield content;
    }
    const source = createHash('sha256').update(content).digest('hex');
    await this.finish(this.outside.objects(objectStores.uploads).put(source, pieces()));
    const tools = { bus: this.outside, clock: this.clock, files: this.files, over };
    const request = { target: 'sat1', file_id: file, source };
    const made = await this.finish(createUpload(request, { by: `run ${run}`, run }, this.mission, tools));
    if (!made.ok) throw new Error(JSON.stringify(made.faults));
    return made.value;
  }

  async hold(...holders: Holder[]): Promise<void> {
    const value = Buffer.from(JSON.stringify({ holders }));
    await this.finish(this.outside.bucket(buckets.leases).overwrite('sat1', value));
    await this.run(20);
  }

  /** A run that is not over, as its executor enters it. */
  async begin(run: string): Promise<void> {
    await this.finish(this.outside.bucket(buckets.openRuns).overwrite(`0.${run}`, Buffer.from('{}')));
    await this.run(20);
  }

  /** The run is over. */
  async end(run: string): Promise<void> {
    const bucket = this.outside.bucket(buckets.openRuns);
    const entry = await this.finish(bucket.get(`0.${run}`));
    await this.finish(bucket.remove(`0.${run}`, entry!.revision));
    await this.run(20);
  }

  /** A chunk as a driver publishes it. */
  chunk(file: string, generation: number, offset: number, data: Uint8Array): void {
    const headers = chunkHeaders({ file, generation, offset, data });
    void this.outside.append(streams.fileChunks, subject.fileChunk('sat1', file), data, { headers });
  }

  // The stand-in -----------------------------------------------------------------------------------------------------

  #submitted({ data, headers }: StreamMessage): void {
    const submission = JSON.parse(Buffer.from(data).toString()) as TcSubmission;
    const { args, id } = submission;
    const bytes = typeof args['data'] === 'string' ? Buffer.from(args['data'], 'hex') : undefined;
    const length = bytes?.length ?? Number(args['length']);
    const user = headers[header.user];
    const request = { at: this.now, id, submission, user, offset: Number(args['offset']), length };
    this.requests.push(request);
    this.#carryOut(request, this.answer(request, this.requests.length - 1), bytes);
  }

  #carryOut(request: Requested, answer: Answer, bytes: Buffer | undefined): void {
    if (answer === 'silent') return;
    if (answer === 'queued')
      return this.#after(TRANSFER_FORGOTTEN_MS + 10_000, () => this.#carryOut(request, 'chunk', bytes));
    const { id, offset, length } = request;
    if (answer === 'refused')
      return this.#say(id, 'REJECTED', 'tc::target-held: target sat1 is held by run X');
    this.#say(id, 'SENT');
    if (answer === 'failed') return this.#after(this.delayMs, () => this.#say(id, 'VERIFY_FAILED'));
    const file = request.submission.instance ?? '';
    this.#after(this.delayMs, () => {
      if (bytes !== undefined) {
        const ofFile = this.written.get(file) ?? new Map<number, Buffer>();
        this.written.set(file, ofFile.set(offset, bytes));
      }
      this.#say(id, 'VERIFIED');
    });
    if (bytes !== undefined || answer === 'lost') return;
    const chunk = (): void => {
      const onboard = this.onboard.get(file);
      if (onboard === undefined) return;
      const data = onboard.content.subarray(offset, offset + length);
      this.chunk(file, onboard.generation, offset, data);
    };
    this.#after(answer === 'late' ? this.delayMs * 5 : this.delayMs, chunk);
    if (answer === 'doubled') this.#after(this.delayMs * 3, chunk);
  }

  #after(ms: number, act: () => void): void {
    this.clock.setTimeout(act, ms);
  }

  #say(id: string, state: string, detail?: string): void {
    const event = { tc: id, state, at: new Date(this.now).toISOString(), detail };
    const data = Buffer.from(JSON.stringify(event));
    void this.outside.append(streams.telecommandEvents, subject.tcEvent('sat1', id), data);
  }

  #report(): void {
    if (this.isLinkUp) {
      const rate = { frames: 0, bytes: 0, frames_per_second: 1, bytes_per_second: this.measured / 8 };
      const link = { state: 'up', since: START };
      const report = {
        gateway: 'sim-1',
        kind: 'simulated',
        at: this.now,
        link,
        downlink: rate,
        uplink: rate,
      };
      this.outside.publish(subject.metrics, Buffer.from(JSON.stringify(report)));
    }
    this.#after(REPORT_MS, () => this.#report());
  }

  #bus(name: string, clock: ProcessClock): TwinBus {
    return new TwinBus({
      server: this.server,
      name,
      settleMs: 0,
      outside: this.clock,
      inside: clock,
      arrivals: clock.arrivals,
      pulled: clock.pulled,
      weather: { ...fairWeather, latencyMs: () => 1, pullMs: () => 1 },
      log: keptLog(),
    });
  }
}

/** Bytes that no file has by chance. */
export function seededBytes(length: number, seed = 1): Buffer {
  const random = seededRandom(seed);
  return Buffer.from(Uint8Array.from({ length }, () => Math.floor(random.next() * 256)));
}
