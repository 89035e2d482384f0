/**
 * A peer of the telemetry under test: streams and buckets in memory with a connection the test cuts and joins, and
 * appends it can hold back. The real bus is used in the integration tests.
 */

import type { BucketDefinition } from '../../contract/bus/buckets.ts';
import type { StreamDefinition } from '../../contract/bus/streams.ts';
import { Outage } from '../../contract/outage.ts';
import type {
  Appended,
  AppendOptions,
  Bucket,
  Bus,
  Entry,
  Follower,
  FollowFrom,
  KnownMessage,
  StreamMessage,
  Written,
} from '../../ports/bus.ts';

type Handle = (message: StreamMessage) => void | Promise<void>;

export class FakeBus implements Bus {
  connected = true;
  now: () => number = () => 0;
  readonly streams = new Map<string, StreamMessage[]>();
  readonly buckets = new Map<string, FakeBucket>();
  /** Decides the fate of an append: undefined lets it through. `after` stores it and loses the answer. */
  fate: (id: string) => 'before' | 'after' | 'defect' | undefined = () => undefined;
  /** While set, appends wait for it before they are stored. */
  gate: Promise<void> | undefined;
  /** Ids of the appends in the order they were asked for. */
  readonly attempts: string[] = [];
  readonly followed: FollowFrom[] = [];
  readonly #followers = new Set<FakeFollower>();
  readonly #listeners = new Set<(connected: boolean) => void>();

  connect(connected: boolean): void {
    this.connected = connected;
    for (const listener of this.#listeners) listener(connected);
  }

  onConnection(listener: (connected: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  messages(stream: StreamDefinition): StreamMessage[] {
    const messages = this.streams.get(stream.name) ?? [];
    this.streams.set(stream.name, messages);
    return messages;
  }

  async append(
    stream: StreamDefinition,
    subject: string,
    data: Uint8Array,
    options: AppendOptions = {},
  ): Promise<Appended> {
    this.attempts.push(options.id ?? '');
    await this.gate;
    this.demand();
    const fate = this.fate(options.id ?? '');
    if (fate === 'before') throw new Outage('bus.unavailable', 'lost');
    if (fate === 'defect') throw new Error('payload too large');
    const messages = this.messages(stream);
    const known = messages.find(
      (message) => message.headers['id'] !== undefined && message.headers['id'] === options.id,
    );
    if (known !== undefined) return { outcome: 'duplicate', seq: known.seq };
    const expected = options.expectLastSubjectSeq;
    const newest = messages.findLast((message) => message.subject === subject)?.seq ?? 0;
    if (expected !== undefined && expected !== newest) return { outcome: 'conflict' };
    const headers = { ...options.headers, ...(options.id !== undefined && { id: options.id }) };
    const message = { subject, data, headers, seq: messages.length + 1, at: this.now(), pending: 0 };
    messages.push(message);
    for (const follower of this.#followers) follower.offer(stream, message);
    if (fate === 'after') throw new Outage('bus.unavailable', 'answer lost');
    return { outcome: 'stored', seq: message.seq };
  }

  last(stream: StreamDefinition, subject: string): Promise<StreamMessage | undefined> {
    this.demand();
    return Promise.resolve(this.messages(stream).findLast((message) => message.subject === subject));
  }

  async follow(
    stream: StreamDefinition,
    subject: string,
    from: FollowFrom,
    handle: Handle,
  ): Promise<Follower> {
    this.demand();
    this.followed.push(from);
    const pattern = new RegExp(`^${subject.replaceAll('.', '\\.').replaceAll('*', '[^.]+')}$`);
    const follower = new FakeFollower(stream, pattern, handle, () => this.#followers.delete(follower));
    follower.stands = this.messages(stream).length;
    const first = from.from === 'seq' ? from.seq : from.from === 'start' ? 1 : Number.POSITIVE_INFINITY;
    const since = from.from === 'time' ? from.at : Number.POSITIVE_INFINITY;
    for (const message of this.messages(stream)) {
      if (message.seq >= first || message.at >= since) follower.offer(stream, message);
    }
    this.#followers.add(follower);
    return follower;
  }

  async stillHolds(stream: StreamDefinition, { seq, at }: KnownMessage): Promise<boolean> {
    this.demand();
    const messages = this.messages(stream);
    // What a test hands to an owner itself is in no stream.
    if (messages.length === 0) return true;
    return messages.length >= seq && (at === undefined || messages[seq - 1]?.at === at);
  }

  async holesUntil(): Promise<undefined> {
    this.demand();
  }

  async leftUntil(): Promise<number> {
    this.demand();
    return 0;
  }

  objects(): never {
    throw new Error('this bus keeps no objects');
  }

  bucket(definition: BucketDefinition): FakeBucket {
    const bucket = this.buckets.get(definition.name) ?? new FakeBucket(this);
    this.buckets.set(definition.name, bucket);
    return bucket;
  }

  demand(): void {
    if (!this.connected) throw new Outage('bus.unavailable', 'cut');
  }

  publish(): never {
    throw new Error('not used');
  }
  subscribe(): never {
    throw new Error('not used');
  }
  serve(): never {
    throw new Error('not used');
  }
  request(): never {
    throw new Error('not used');
  }
  close(): Promise<void> {
    return Promise.resolve();
  }
}

class FakeFollower implements Follower {
  #tail: Promise<void> = Promise.resolve();
  readonly #stream: StreamDefinition;
  readonly #pattern: RegExp;
  readonly #handle: Handle;
  readonly #end: () => void;
  #stopped = false;
  /** Last position of the stream when it began. */
  stands = 0;

  constructor(stream: StreamDefinition, pattern: RegExp, handle: Handle, end: () => void) {
    this.#stream = stream;
    this.#pattern = pattern;
    this.#handle = handle;
    this.#end = end;
  }

  get caughtUp(): Promise<number> {
    return this.#tail.then(() => this.stands);
  }

  offer(stream: StreamDefinition, message: StreamMessage): void {
    if (stream.name !== this.#stream.name || !this.#pattern.test(message.subject)) return;
    this.#tail = this.#tail.then(() => (this.#stopped ? undefined : this.#handle(message)));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#end();
    await this.#tail;
  }
}

export class FakeBucket implements Bucket {
  readonly entries = new Map<string, Entry>();
  writes = 0;
  written: () => void = () => {};
  /** The next put is stored and its answer lost. */
  loseAnswer = false;
  readonly #bus: FakeBus;
  #revision = 0;

  constructor(bus: FakeBus) {
    this.#bus = bus;
  }

  async get(key: string): Promise<Entry | undefined> {
    this.#bus.demand();
    return this.entries.get(key);
  }

  async put(key: string, value: Uint8Array, expected: number): Promise<Written> {
    this.#bus.demand();
    if ((this.entries.get(key)?.revision ?? 0) !== expected) return { outcome: 'conflict' };
    const revision = await this.overwrite(key, value);
    if (!this.loseAnswer) return { outcome: 'written', revision };
    this.loseAnswer = false;
    throw new Outage('bus.unavailable', 'answer lost');
  }

  async overwrite(key: string, value: Uint8Array): Promise<number> {
    this.#revision += 1;
    this.writes += 1;
    this.written();
    this.entries.set(key, { key, value, revision: this.#revision, at: 0 });
    return this.#revision;
  }

  async list(): Promise<Entry[]> {
    this.#bus.demand();
    return [...this.entries.values()];
  }

  remove(): never {
    throw new Error('not used');
  }
  watch(): never {
    throw new Error('not used');
  }
  position(): never {
    throw new Error('not used');
  }
}
