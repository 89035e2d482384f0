/**
 * The server of the twin: what all simulated processes share. It has no faults of its own; whether and when a request
 * reaches it is the affair of the wire (`wire.ts`). Mission Control Service, section 6.
 *
 * V1. What is acknowledged is kept, also while the server is away, but for V3.
 * V2. Subscriptions live as long as the connection that made them.
 * V3. While it is away its store may go back, as one that is put back from a copy or loses its newest messages with the
 *     power.
 */

import { assert } from '../../../contract/assert.ts';
import type { BucketDefinition } from '../../../contract/bus/buckets.ts';
import type { StreamDefinition } from '../../../contract/bus/streams.ts';
import type { CoreMessage } from '../../../ports/bus.ts';
import { type Publication, type PublishAnswer, StoredStream } from './stored-stream.ts';

export interface Subscriber {
  readonly by: string;
  readonly matches: (subject: string) => boolean;
  readonly queue: string | undefined;
  /** Hands the message towards the process; `respond`, and where that goes, is given to those that were asked. */
  readonly deliver: (message: CoreMessage, respond?: (reply: Uint8Array) => void, inbox?: string) => void;
}

export interface ServerOptions {
  readonly now: () => number;
  /** Which member of a queue gets a message: one of `count`. */
  readonly choose: (count: number) => number;
  /** A planted defect: conditions of writers are not looked at. */
  readonly ignoresExpectations?: boolean;
}

const BUCKET_DEDUPE_MS = 120_000;

export class TwinServer {
  readonly #options: ServerOptions;
  readonly #streams = new Map<string, StoredStream>();
  readonly #subscribers = new Set<Subscriber>();
  readonly #listeners = new Set<(up: boolean) => void>();
  /** The largest message it takes, bytes. */
  maxPayload = Number.POSITIVE_INFINITY;
  #up = true;
  #order = 0;

  constructor(options: ServerOptions) {
    this.#options = options;
  }

  get up(): boolean {
    return this.#up;
  }

  get now(): number {
    return this.#options.now();
  }

  /** Place of what was stored last, whatever the stream. */
  get order(): number {
    return this.#order;
  }

  turn(up: boolean): void {
    if (up === this.#up) return;
    this.#up = up;
    if (!up) this.#subscribers.clear();
    for (const listener of [...this.#listeners]) listener(up);
  }

  /** V3: each stream to what it held at the moment given for its name. */
  rewind(to: (stream: string) => number): void {
    assert(!this.#up, 'V3');
    this.#order += 1;
    for (const [name, stream] of this.#streams) stream.rewind(to(name), this.#order);
  }

  /** V3: one stream was deleted, and is created again. */
  createAgain(definition: Pick<StreamDefinition, 'name' | 'dedupeMs'>): void {
    assert(!this.#up, 'V3');
    this.#order += 1;
    this.stream(definition).createAgain(this.#order, this.now);
  }

  /** A stream is full: all but its newest so many messages are gone. */
  discard(definition: Pick<StreamDefinition, 'name' | 'dedupeMs'>, left: number): void {
    this.#order += 1;
    this.stream(definition).discard(left, this.#order);
  }

  /** Copies of a stream differ: what the one that leads does not have is gone, and nobody is informed. */
  lose(
    definition: Pick<StreamDefinition, 'name' | 'dedupeMs'>,
    what: { readonly count: number; readonly behind: number; readonly keepsIds: boolean },
  ): void {
    this.#order += 1;
    this.stream(definition).lose(what, this.#order);
  }

  onTurn(listener: (up: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  stream({ name, dedupeMs }: Pick<StreamDefinition, 'name' | 'dedupeMs'>): StoredStream {
    let stream = this.#streams.get(name);
    if (stream === undefined) {
      stream = new StoredStream({ name, dedupeMs }, this.now, this.#options.ignoresExpectations === true);
      this.#streams.set(name, stream);
    }
    return stream;
  }

  bucket({ name }: Pick<BucketDefinition, 'name'>): StoredStream {
    return this.stream({ name: `KV_${name}`, dedupeMs: BUCKET_DEDUPE_MS });
  }

  publish(stream: StoredStream, publication: Publication): PublishAnswer {
    this.#order += 1;
    return stream.publish(publication, this.now, this.#order);
  }

  // Messages that nobody keeps ---------------------------------------------------------------------------------------

  subscribe(subscriber: Subscriber): void {
    this.#subscribers.add(subscriber);
  }

  unsubscribe(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
  }

  /** Everybody, and of each queue one. */
  listeners(subject: string): Subscriber[] {
    const matching = [...this.#subscribers].filter((subscriber) => subscriber.matches(subject));
    const queues = new Map<string, Subscriber[]>();
    for (const subscriber of matching) {
      if (subscriber.queue === undefined) continue;
      queues.set(subscriber.queue, [...(queues.get(subscriber.queue) ?? []), subscriber]);
    }
    const chosen = [...queues.values()].map((members) => members[this.#options.choose(members.length)]!);
    return [...matching.filter(({ queue }) => queue === undefined), ...chosen];
  }
}
