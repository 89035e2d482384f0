/**
 * A bus inside the process for tests of links: synchronous where it can be, with a switch for its absence. It keeps the
 * promises of ports/bus.ts that links rely on (message ids, conditional writes, order), no others.
 */

import type { BucketDefinition } from '../../contract/bus/buckets.ts';
import type { StreamDefinition } from '../../contract/bus/streams.ts';
import { Outage } from '../../contract/outage.ts';
import type {
  Appended,
  AppendOptions,
  Bucket,
  Bus,
  CoreMessage,
  Entry,
  Follower,
  Headers,
  Stoppable,
  StreamMessage,
  Watch,
  Written,
} from '../../ports/bus.ts';

type Answer = (message: CoreMessage) => Promise<Uint8Array>;

export class MemoryBus implements Bus {
  connected = true;
  readonly stored: StreamMessage[] = [];
  readonly published: CoreMessage[] = [];
  /** Called before each append; may throw or wait. */
  before: (subject: string) => Promise<void> | void = () => undefined;
  /** Called when something was stored; throwing loses the acknowledgement. */
  after: () => void = () => undefined;
  readonly #ids = new Map<string, number>();
  readonly #servers = new Map<string, Answer[]>();
  readonly #buckets = new Map<string, MemoryBucket>();

  onConnection(): () => void {
    return () => undefined;
  }

  publish(subject: string, data: Uint8Array, headers: Headers = {}): void {
    if (this.connected) this.published.push({ subject, data, headers });
  }

  subscribe(): Stoppable {
    throw new Error('links subscribe to nothing');
  }

  serve(subject: string, answer: Answer): Stoppable {
    const servers = this.#servers.get(subject) ?? [];
    this.#servers.set(subject, [...servers, answer]);
    return {
      stop: async () => {
        this.#servers.set(
          subject,
          (this.#servers.get(subject) ?? []).filter((each) => each !== answer),
        );
      },
    };
  }

  async request(
    subject: string,
    data: Uint8Array,
    { headers = {} }: { timeoutMs: number; headers?: Headers },
  ): Promise<Uint8Array> {
    const [server] = this.#servers.get(subject) ?? this.#servers.get(subject.replace(/[^.]+$/, '*')) ?? [];
    if (server === undefined) throw new Outage('bus.no-responder', subject);
    return server({ subject, data, headers }).catch((error: unknown) => {
      throw new Outage('bus.timeout', subject, { cause: error });
    });
  }

  /** Asks in JSON and reads the answer. */
  async ask<Reply>(subject: string, call: unknown, headers: Headers = {}): Promise<Reply> {
    const reply = await this.request(subject, Buffer.from(JSON.stringify(call)), {
      timeoutMs: 1_000,
      headers,
    });
    return JSON.parse(Buffer.from(reply).toString('utf8')) as Reply;
  }

  async append(
    _stream: StreamDefinition,
    subject: string,
    data: Uint8Array,
    { id, headers = {} }: AppendOptions = {},
  ): Promise<Appended> {
    await this.before(subject);
    if (!this.connected) throw new Outage('bus.unavailable', subject);
    const known = id === undefined ? undefined : this.#ids.get(id);
    if (known !== undefined) return { outcome: 'duplicate', seq: known };
    const seq = this.stored.length + 1;
    this.stored.push({ subject, data: Buffer.from(data), headers, seq, at: seq, pending: 0 });
    if (id !== undefined) this.#ids.set(id, seq);
    this.after();
    return { outcome: 'stored', seq };
  }

  async last(_stream: StreamDefinition, subject: string): Promise<StreamMessage | undefined> {
    if (!this.connected) throw new Outage('bus.unavailable', subject);
    return this.stored.findLast((message) => message.subject === subject);
  }

  /** The time is over for which a stream remembers ids. */
  forgetIds(): void {
    this.#ids.clear();
  }

  async follow(): Promise<Follower> {
    throw new Error('links follow nothing');
  }

  async stillHolds(): Promise<boolean> {
    return true;
  }

  async holesUntil(): Promise<undefined> {}

  async leftUntil(): Promise<number> {
    return 0;
  }

  objects(): never {
    throw new Error('this bus keeps no objects');
  }

  bucket({ name }: BucketDefinition): MemoryBucket {
    const bucket = this.#buckets.get(name) ?? new MemoryBucket(this);
    this.#buckets.set(name, bucket);
    return bucket;
  }

  async close(): Promise<void> {}

  on(subject: string): StreamMessage[] {
    return this.stored.filter((message) => message.subject === subject);
  }
}

export class MemoryBucket implements Bucket {
  readonly entries = new Map<string, Entry>();
  /** Runs between a read and the write that relies on it. */
  beforePut: () => void = () => undefined;
  puts = 0;
  readonly #bus: MemoryBus;
  #revision = 0;

  constructor(bus: MemoryBus) {
    this.#bus = bus;
  }

  async get(key: string): Promise<Entry | undefined> {
    this.#check();
    return this.entries.get(key);
  }

  async put(key: string, value: Uint8Array, expected: number): Promise<Written> {
    this.#check();
    this.beforePut();
    this.puts += 1;
    if ((this.entries.get(key)?.revision ?? 0) !== expected) return { outcome: 'conflict' };
    return { outcome: 'written', revision: await this.overwrite(key, value) };
  }

  async overwrite(key: string, value: Uint8Array): Promise<number> {
    this.#revision += 1;
    this.entries.set(key, { key, value: Buffer.from(value), revision: this.#revision, at: 0 });
    return this.#revision;
  }

  async remove(): Promise<Written> {
    throw new Error('links remove nothing');
  }

  async watch(): Promise<Watch> {
    throw new Error('links watch nothing');
  }

  async list(): Promise<Entry[]> {
    return [...this.entries.values()];
  }

  async position(): Promise<number> {
    return this.#revision;
  }

  #check(): void {
    if (!this.#bus.connected) throw new Outage('bus.unavailable', 'bucket');
  }
}
