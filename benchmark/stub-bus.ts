/**
 * A bus that acknowledges at once and delivers what the benchmark hands it: for rows that measure what stands in front
 * of the bus. It stores nothing.
 */

import type { StreamDefinition } from '../contract/bus/streams.ts';
import type {
  Appended,
  Bucket,
  Bus,
  Follower,
  FollowFrom,
  Stoppable,
  StreamMessage,
  Watch,
} from '../ports/bus.ts';

const nothing: Stoppable = { stop: async () => undefined };

const emptyBucket: Bucket = {
  get: async () => undefined,
  put: async () => ({ outcome: 'written', revision: 1 }),
  overwrite: async () => 1,
  remove: async () => ({ outcome: 'written', revision: 1 }),
  watch: async (): Promise<Watch> => ({ ...nothing, ready: Promise.resolve() }),
  list: async () => [],
  position: async () => 0,
};

type Handle = (message: StreamMessage) => void | Promise<void>;

export class StubBus implements Bus {
  readonly connected = true;
  readonly #followers: Handle[] = [];
  #seq = 0;

  /** Gives a message to everybody who follows. */
  deliver(message: StreamMessage): void {
    for (const handle of this.#followers) void handle(message);
  }

  onConnection(): () => void {
    return () => undefined;
  }

  publish(): void {}

  subscribe(): Stoppable {
    return nothing;
  }

  serve(): Stoppable {
    return nothing;
  }

  async request(): Promise<Uint8Array> {
    throw new Error('this bus has no responders');
  }

  async append(): Promise<Appended> {
    this.#seq += 1;
    return { outcome: 'stored', seq: this.#seq };
  }

  async last(): Promise<StreamMessage | undefined> {
    return undefined;
  }

  async follow(
    _stream: StreamDefinition,
    _subject: string,
    _from: FollowFrom,
    handle: Handle,
  ): Promise<Follower> {
    this.#followers.push(handle);
    return { ...nothing, caughtUp: Promise.resolve(0) };
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

  bucket(): Bucket {
    return emptyBucket;
  }

  async close(): Promise<void> {}
}
