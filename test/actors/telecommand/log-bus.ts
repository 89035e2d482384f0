/**
 * A bus in memory for the tests of telecommands: streams with conditional appends and message ids, buckets, requests
 * that a test answers. It can lose the answer of a write, refuse reads, and hold messages back; the real bus is in
 * test/flow.
 */

import type { BucketDefinition } from '../../../contract/bus/buckets.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import type { StreamDefinition } from '../../../contract/bus/streams.ts';
import { Outage } from '../../../contract/outage.ts';
import type {
  Appended,
  AppendOptions,
  Bucket,
  Bus,
  CoreMessage,
  Entry,
  Follower,
  FollowFrom,
  FollowOptions,
  KnownMessage,
  Stoppable,
  StreamMessage,
  Watch,
  Written,
} from '../../../ports/bus.ts';
import { settled } from '../../support/manual-clock.ts';

type Handle = (message: StreamMessage) => void | Promise<void>;

interface Feed {
  readonly stream: string;
  readonly pattern: RegExp;
  readonly handle: Handle;
  readonly options: FollowOptions;
  tail: Promise<void>;
  stopped: boolean;
}

export class LogBus implements Bus {
  lostUntil: number | undefined;
  /** For how long it keeps messages, as it says. */
  keptMs?: (stream: StreamDefinition) => number;
  /** What it answers about holes. */
  emptyUntil: number | undefined;
  connected = true;
  now: () => number = () => 0;
  readonly stored = new Map<string, StreamMessage[]>();
  readonly asked: { subject: string; call: Record<string, unknown> }[] = [];
  /** What happens to an append: nothing, not stored, or stored with its answer lost; a promise delays its answer. */
  fate: (id: string) => 'lost' | 'unanswered' | 'defect' | Promise<void> | undefined = () => undefined;
  /** Follows that fail before one succeeds. */
  followsToFail = 0;
  /** How many messages those that are appended say to have behind them, as for a follower that is slow. */
  behind = 0;
  /** Followers opened meanwhile are handed their first message once this has resolved. */
  firstAfter: Promise<void> | undefined;
  /** Followers opened meanwhile have caught up once this has resolved too. */
  headAfter: Promise<void> | undefined;
  /** Answers requests; throwing or rejecting is what the caller gets. */
  answer: (subject: string, call: Record<string, unknown>) => unknown = (subject) => {
    throw new Outage('bus.no-responder', subject);
  };
  readonly #feeds = new Set<Feed>();
  readonly #connections = new Set<(connected: boolean) => void>();
  readonly #buckets = new Map<string, LogBucket>();
  readonly #heard = new Map<string, (message: CoreMessage) => void>();

  messages(stream: StreamDefinition): StreamMessage[] {
    const messages = this.stored.get(stream.name) ?? [];
    this.stored.set(stream.name, messages);
    return messages;
  }

  async append(
    stream: StreamDefinition,
    subject: string,
    data: Uint8Array,
    { id, headers = {}, expectLastSubjectSeq }: AppendOptions = {},
  ): Promise<Appended> {
    const messages = this.messages(stream);
    const fate = this.fate(id ?? '');
    if (fate === 'lost') throw new Outage('bus.unavailable', 'lost');
    if (fate === 'defect') throw new Error('refused by the bus');
    for (const value of Object.values(headers))
      if (typeof value !== 'string' || /[\r\n]/.test(value)) throw new TypeError('not a value of a header');
    const known = id === undefined ? undefined : messages.find((message) => message.headers['id'] === id);
    if (known !== undefined) return { outcome: 'duplicate', seq: known.seq };
    const last = messages.findLast((message) => message.subject === subject)?.seq ?? 0;
    if (expectLastSubjectSeq !== undefined && last !== expectLastSubjectSeq) return { outcome: 'conflict' };
    const seq = messages.length + 1;
    const message = {
      subject,
      data: Buffer.from(data),
      headers: { ...headers, ...(id !== undefined && { id }) },
      seq,
      at: this.now(),
      pending: this.behind,
    };
    messages.push(message);
    for (const feed of this.#feeds) this.#offer(feed, stream, message);
    if (fate === 'unanswered') throw new Outage('bus.unavailable', 'answer lost');
    await fate;
    return { outcome: 'stored', seq };
  }

  async last(stream: StreamDefinition, subject: string): Promise<StreamMessage | undefined> {
    return this.messages(stream).findLast((message) => message.subject === subject);
  }

  async follow(
    stream: StreamDefinition,
    subject: string,
    from: FollowFrom,
    handle: Handle,
    options: FollowOptions = {},
  ): Promise<Follower> {
    if (this.followsToFail > 0) {
      this.followsToFail -= 1;
      throw new Outage('bus.unavailable', 'not followed');
    }
    const pattern = new RegExp(`^${subject.replaceAll('.', '\\.').replaceAll('*', '[^.]+')}$`);
    const tail = this.firstAfter ?? Promise.resolve();
    const feed: Feed = { stream: stream.name, pattern, handle, options, tail, stopped: false };
    const wanted = this.messages(stream).filter(
      (message) => pattern.test(message.subject) && isFrom(from, message),
    );
    for (const [n, message] of wanted.entries()) {
      this.#offer(feed, stream, { ...message, pending: wanted.length - 1 - n });
    }
    this.#feeds.add(feed);
    const { headAfter } = this;
    let refuse = (_: Outage): void => undefined;
    const caughtUp = new Promise<number>((resolve, reject) => {
      refuse = reject;
      feed.tail
        .then(() => headAfter)
        .then(() => !feed.stopped && resolve(this.messages(stream).length), reject);
    });
    caughtUp.catch(() => undefined);
    return {
      caughtUp,
      stop: async () => {
        refuse(new Outage('bus.unavailable', `the follower of ${subject} was stopped`));
        feed.stopped = true;
        this.#feeds.delete(feed);
      },
    };
  }

  /** What those that follow the stream now have asked for. */
  following({ name }: StreamDefinition): FollowOptions[] {
    return [...this.#feeds].filter(({ stream }) => stream === name).map(({ options }) => options);
  }

  /** How many follow a stream or listen to a subject. */
  get listening(): number {
    return this.#feeds.size + this.#heard.size;
  }

  /** Followers find that the stream does not hold any more what was handed over. */
  wentBack({ name }: StreamDefinition): void {
    for (const feed of this.#feeds) if (feed.stream === name) feed.options.wentBack?.();
  }

  lost(until: number): void {
    this.lostUntil = Math.max(this.lostUntil ?? 0, until);
  }

  async stillHolds(stream: StreamDefinition, { seq, at, subject }: KnownMessage): Promise<boolean> {
    const message = this.messages(stream)[seq - 1];
    if (message === undefined) return seq < 1;
    return (at ?? message.at) === message.at && (subject ?? message.subject) === message.subject;
  }

  async holesUntil(): Promise<number | undefined> {
    return this.emptyUntil;
  }

  async leftUntil(): Promise<number> {
    return 0;
  }

  #offer(feed: Feed, stream: StreamDefinition, message: StreamMessage): void {
    if (feed.stream !== stream.name || !feed.pattern.test(message.subject)) return;
    feed.tail = feed.tail.then(() => handOver(feed, message));
  }

  async request(subject: string, data: Uint8Array): Promise<Uint8Array> {
    const call = JSON.parse(Buffer.from(data).toString() || '{}') as Record<string, unknown>;
    this.asked.push({ subject, call });
    const reply = await this.answer(subject, call);
    return Buffer.from(typeof reply === 'string' ? reply : JSON.stringify(reply));
  }

  subscribe(subject: string, handle: (message: CoreMessage) => void): Stoppable {
    this.#heard.set(subject, handle);
    return { stop: async () => void this.#heard.delete(subject) };
  }

  publish(subject: string, data: Uint8Array): void {
    this.#heard.get(subject)?.({ subject, data, headers: {} });
  }

  objects(): never {
    throw new Error('this bus keeps no objects');
  }

  bucket({ name }: BucketDefinition): LogBucket {
    const bucket = this.#buckets.get(name) ?? new LogBucket(name === buckets.members.name ? OWNERS_FROM : 0);
    this.#buckets.set(name, bucket);
    return bucket;
  }

  onConnection(listener: (connected: boolean) => void): () => void {
    this.#connections.add(listener);
    return () => void this.#connections.delete(listener);
  }

  /** Those that want to know hear that it is lost or back. */
  connection(connected: boolean): void {
    this.connected = connected;
    for (const listener of this.#connections) listener(connected);
  }

  serve(): never {
    throw new Error('nobody serves here');
  }

  async close(): Promise<void> {}
}

/** What fails is handed over again. */
async function handOver(feed: Feed, message: StreamMessage): Promise<void> {
  while (!feed.stopped) {
    try {
      return await feed.handle(message);
    } catch {
      await settled();
    }
  }
}

function isFrom(from: FollowFrom, { seq, at }: StreamMessage): boolean {
  if (from.from === 'seq') return seq >= from.seq;
  if (from.from === 'time') return at >= from.at;
  return from.from === 'start';
}

/** Epochs of owners are revisions of the bucket that holds their low-water marks: those of tests stay below. */
const OWNERS_FROM = 1_000;

export class LogBucket implements Bucket {
  readonly entries = new Map<string, Entry>();
  /** The next put is stored and its answer lost. */
  loseAnswer = false;
  /** Nothing can be written. */
  away = false;
  #revision: number;

  /** `first`: revisions begin behind it. */
  constructor(first = 0) {
    this.#revision = first;
  }

  async get(key: string): Promise<Entry | undefined> {
    return this.entries.get(key);
  }

  async put(key: string, value: Uint8Array, expected: number): Promise<Written> {
    if (this.away) throw new Outage('bus.unavailable', 'away');
    if ((this.entries.get(key)?.revision ?? 0) !== expected) return { outcome: 'conflict' };
    const revision = await this.overwrite(key, value);
    if (!this.loseAnswer) return { outcome: 'written', revision };
    this.loseAnswer = false;
    throw new Outage('bus.unavailable', 'answer lost');
  }

  async overwrite(key: string, value: Uint8Array): Promise<number> {
    this.#revision += 1;
    this.entries.set(key, { key, value, revision: this.#revision, at: 0 });
    return this.#revision;
  }

  async watch(): Promise<Watch> {
    return { ready: Promise.resolve(), stop: async () => undefined };
  }

  async remove(key: string, expected: number): Promise<Written> {
    if (expected === 0 || this.entries.get(key)?.revision !== expected) return { outcome: 'conflict' };
    this.entries.delete(key);
    this.#revision += 1;
    return { outcome: 'written', revision: this.#revision };
  }

  async list(): Promise<Entry[]> {
    return [...this.entries.values()];
  }

  async position(): Promise<number> {
    return this.#revision;
  }
}
