/**
 * What the service needs of its bus. One adapter speaks NATS JetStream (`bus/`); an in-memory twin serves the seeded
 * simulation; the same contract tests run on both.
 *
 * P1. Every write that matters is conditional or carries a message id, and is retried inside with the same id; its
 *     outcome is stored, duplicate or conflict, never "maybe": a retry that finds its own earlier attempt says stored.
 * P2. A follower sees each message of its subject exactly once and in order, across reconnects and server restarts.
 * P3. A watch sees the newest value of each key and every later one it can tell apart, again after each reconnect.
 * P4. While the bus is away, writes and reads fail with `Outage('bus.unavailable')` within their deadline.
 * P5. "Nobody serves it" is a fact: while those who were there before an outage may still be on their way back, a
 *     request asks again within its time, and then says `bus.timeout` (`unsettled`).
 * P6. An answer goes out with the rights of the process that serves, and the bus checks the subject of a message, never
 *     where its answer is wanted. On a subject that limited credentials open (`ServeOptions.asker`), what wants its
 *     answer elsewhere than in the inbox of whom the subject names is not handed over.
 */

import type { BucketDefinition, ObjectsDefinition } from '../contract/bus/buckets.ts';
import type { StreamDefinition } from '../contract/bus/streams.ts';
import type { StreamLevels } from './stream-levels.ts';

export type Headers = Readonly<Record<string, string>>;

export interface Stoppable {
  stop(): Promise<void>;
}

export interface CoreMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly headers: Headers;
}

/** Whose credential opens a served subject and little else; its last token says which one. */
export type LimitedAsker = 'unit' | 'connector';

export interface ServeOptions {
  /** Those that serve share the work. */
  readonly queue?: string;
  /** Who may ask (P6); default: nobody whom the bus limits. */
  readonly asker?: LimitedAsker;
}

export interface StreamMessage extends CoreMessage {
  /** Position in the stream, from 1. */
  readonly seq: number;
  /** When the bus stored it, ms since 1970. */
  readonly at: number;
  /**
   * Messages still to come when this one was delivered, 0 at the head: of the same follower, or of those it is read
   * together with (`FollowOptions.together`).
   */
  readonly pending: number;
}

export interface AppendOptions {
  /** Message id: the same id inside the window of the stream is stored once. */
  readonly id?: string;
  /** The append holds only if the last message of the subject has this position; 0: the subject is empty. */
  readonly expectLastSubjectSeq?: number;
  readonly headers?: Headers;
  /** How long to keep trying, default `BUS_REQUEST_MS`. */
  readonly deadlineMs?: number;
  /** Tries once: for who keeps many appends in order, which one that is tried again by itself would leave. */
  readonly once?: boolean;
}

export type Appended =
  | { readonly outcome: 'stored'; readonly seq: number }
  /** The id was stored before, by somebody else or by an earlier call. */
  | { readonly outcome: 'duplicate'; readonly seq: number }
  /** The expectation did not hold; nothing was stored. */
  | { readonly outcome: 'conflict' };

export type FollowFrom =
  | { readonly from: 'start' }
  /** Only what is stored after the call. */
  | { readonly from: 'now' }
  /** This position and later. */
  | { readonly from: 'seq'; readonly seq: number }
  /** What the bus stored at this time (ms since 1970) and later. */
  | { readonly from: 'time'; readonly at: number };

/** What somebody knows of a message that a stream held: its position, and when it was stored or its subject. */
export interface KnownMessage {
  readonly seq: number;
  /** It cannot have left by its age yet: that nothing stands at its position is a loss. */
  readonly isYoung?: true;
  readonly at?: number;
  readonly subject?: string;
}

export interface FollowOptions {
  /**
   * The stream does not hold any more what was handed over: it was put back from a copy, lost its newest messages or
   * was recreated. It is read on from where it differs; positions from before mean nothing.
   */
  readonly wentBack?: () => void;
  /** This process follows many single subjects of the stream, this one among them: they may be read together. */
  readonly together?: boolean;
  /** Nothing is left to come, after a message that said otherwise (`StreamMessage.pending`): what came was another's. */
  readonly atHead?: () => void;
}

export interface Follower extends Stoppable {
  /** Resolves when everything stored before the call has been handled; with the last position of the stream then. */
  readonly caughtUp: Promise<number>;
}

export interface Entry {
  readonly key: string;
  readonly value: Uint8Array;
  /** Strictly rising within the bucket. */
  readonly revision: number;
  /** When it was written, ms since 1970. */
  readonly at: number;
  /**
   * Of a watch: the store went back or is another one; what was known of the key before, later or not, is not so any
   * more.
   */
  readonly rewound?: true;
}

export type Written =
  | { readonly outcome: 'written'; readonly revision: number }
  | { readonly outcome: 'conflict' };

export interface Watch extends Stoppable {
  /** Resolves when every key present at the call has been handled. */
  readonly ready: Promise<void>;
}

export interface Bucket {
  /**
   * The newest value as the leader knows it. `known` is a revision that the key has had: what is older than that comes
   * only from a store that went back, and never from a leader that may still be catching up, for which it rejects.
   */
  get(key: string, known?: number): Promise<Entry | undefined>;
  /** Writes if the newest revision of the key is `expected` (0: the key does not exist). */
  put(key: string, value: Uint8Array, expected: number, options?: { deadlineMs?: number }): Promise<Written>;
  /** Writes whatever stands there: only for keys with one writer. */
  overwrite(key: string, value: Uint8Array): Promise<number>;
  /** Removes the key with its history and without a marker, if its newest revision is `expected`. */
  remove(key: string, expected: number): Promise<Written>;
  /**
   * Calls `changed` for each key that matches (`>`, `member.*`, an exact key) now, and at each change. A removed key
   * comes as `undefined`; removals are noticed at once where the adapter can tell and at the latest on the next
   * reconnect, and one that left by its age (`ttlMs`) within hours: nobody relies on them for safety.
   */
  watch(filter: string, changed: (key: string, entry: Entry | undefined) => void): Promise<Watch>;
  /**
   * Every entry that matches, at one moment. It takes as long as entries keep coming: P4 counts from the last one that
   * came, and `BUS_LIST_MS` bounds it in all.
   */
  list(filter: string): Promise<Entry[]>;
  /** The revision of its last write, as the leader knows it: also of one that was a removal. 0: there was none. */
  position(): Promise<number>;
}

/**
 * Contents kept whole: under their own SHA-256 (hexadecimal), or under a name of tokens with `/` between them that its
 * one writer gives. Pieces that are given are not changed afterwards: they may be on their way while the next one is
 * asked for.
 */
export interface Objects {
  /** Bytes of the content; undefined when it is not stored. What the store lost of it since is not looked at. */
  size(name: string): Promise<number | undefined>;
  /**
   * The same; undefined also when the store has lost some of the bytes and, of what is to be `lasting`, when more than
   * half of the time is over for which it is kept: `put` writes it once more.
   */
  wholeSize(name: string, options?: { readonly lasting?: boolean }): Promise<number | undefined>;
  /**
   * Stores content given in pieces, and resolves with its bytes; what is stored whole already is left as it is. Rejects
   * when the pieces are not what the hash names.
   */
  put(hash: string, pieces: AsyncIterable<Uint8Array>): Promise<number>;
  /**
   * `wholeSize` of content that is about to be used: past half of the time for which it is kept it is written once more
   * first, so that it does not leave under its user. Where there is no room for that it stays for as long as it has.
   */
  keep(hash: string): Promise<number | undefined>;
  /** Stores content under a name, in the place of what stands there, and resolves with its bytes. */
  replace(name: string, pieces: AsyncIterable<Uint8Array>): Promise<number>;
  /**
   * The bytes from `from` to before `to` (default: all), read as they are asked for; undefined when it is not stored.
   * The iteration rejects with `ContentGone` where bytes are missing, and with `Outage`.
   */
  read(
    name: string,
    range?: { readonly from?: number; readonly to?: number },
  ): Promise<StoredContent | undefined>;
  /** Removes it with its bytes; nothing happens where it is not stored. */
  remove(name: string): Promise<void>;
}

export interface StoredContent {
  /** Of the whole content. */
  readonly size: number;
  readonly pieces: AsyncIterable<Uint8Array>;
}

export interface Bus {
  readonly connected: boolean;
  /** Called at each loss and return of the connection. */
  onConnection(listener: (connected: boolean) => void): () => void;
  /**
   * The server has left questions unanswered for seconds, whether or not the connection stands: what is known may be
   * old.
   */
  readonly silent?: boolean;
  /** Called each time that begins. */
  onSilence?(listener: () => void): () => void;

  /** Fire and forget; lost while disconnected. */
  publish(subject: string, data: Uint8Array, headers?: Headers): void;
  subscribe(subject: string, handle: (message: CoreMessage) => void, options?: { queue?: string }): Stoppable;
  /**
   * Serves a subject: what `answer` resolves to is the reply. A rejection is logged and leaves the caller to its
   * timeout. Who stops is still given what was asked before; once `stop` has resolved nothing comes any more.
   */
  serve(
    subject: string,
    answer: (message: CoreMessage) => Promise<Uint8Array>,
    options?: ServeOptions,
  ): Stoppable;
  /** Outages: `bus.no-responder`, `bus.timeout`, `bus.unavailable`. */
  request(
    subject: string,
    data: Uint8Array,
    options: { timeoutMs: number; headers?: Headers },
  ): Promise<Uint8Array>;

  append(
    stream: StreamDefinition,
    subject: string,
    data: Uint8Array,
    options?: AppendOptions,
  ): Promise<Appended>;
  /** The last message of a subject (no wildcard) as the leader knows it. */
  last(stream: StreamDefinition, subject: string): Promise<StreamMessage | undefined>;
  /**
   * Delivers the messages of a subject (wildcards allowed) in order, one at a time: the next is handed over when
   * `handle` has resolved. A rejection of `handle` is a defect: it is logged and the same message is handed over again.
   */
  follow(
    stream: StreamDefinition,
    subject: string,
    from: FollowFrom,
    handle: (message: StreamMessage) => void | Promise<void>,
    options?: FollowOptions,
  ): Promise<Follower>;
  /** Whether a stream still holds a message; one that has left it by its age counts as held. */
  stillHolds(stream: StreamDefinition, known: KnownMessage): Promise<boolean>;
  /**
   * Until when messages are lost out of the middle of a stream or off its end; undefined: none are. Rejects with an
   * outage.
   */
  holesUntil(stream: StreamDefinition): Promise<number | undefined>;
  /**
   * Until when what was stored may have left a stream from its front, whatever its retention is now, or was in another
   * stream that bore its name: when it was made, where it still holds its first message. Rejects with an outage.
   */
  leftUntil(stream: StreamDefinition): Promise<number>;
  /**
   * When the last message was stored of which this process found that the store went back behind it; undefined: none.
   */
  readonly lostUntil?: number | undefined;
  /** Another process has found that the store went back, and something of the time until then is lost. */
  lost?(until: number): void;
  /**
   * For how long the stream remembers the ids of messages, ms, where an installation states another time than its
   * declaration.
   */
  dedupeMs?(stream: StreamDefinition): number;
  /** For how long it keeps messages, likewise. */
  keptMs?(stream: StreamDefinition): number;

  /** How full its streams are, and how far their readers came; undefined where the bus does not say. */
  readonly levels?: StreamLevels;

  bucket(definition: BucketDefinition): Bucket;
  objects(definition: ObjectsDefinition): Objects;

  /** Stops followers and watches, flushes, closes. */
  close(): Promise<void>;
}
