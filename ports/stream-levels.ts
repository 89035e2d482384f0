/**
 * How full streams are, and how far their readers came: what lags and warnings are computed from. Asked of the bus each
 * time; whoever asks often keeps the answers. Every question rejects with an outage while the bus does not answer.
 */

/** A stream as its leader says it stands. */
export interface StreamLevel {
  /** Tells a stream from another one that later bears the same name. */
  readonly identity: string;
  /** Position of the oldest message that it holds; behind the last one when it holds none. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly messages: number;
  readonly bytes: number;
  /** When the oldest and the newest message were stored, ms since 1970; undefined when it holds none. */
  readonly firstAt: number | undefined;
  readonly lastAt: number | undefined;
  /** Undefined: as much as there is room for. */
  readonly maxBytes: number | undefined;
  readonly maxAgeMs: number;
  /** Share of its size that is taken, or of its number of messages; undefined: it has neither. */
  readonly share?: number | undefined;
  /** It discards what is new, and has no room for it. */
  readonly isFull?: boolean;
}

/** How much is taken of what is there. */
export interface ResourceLevel {
  readonly bytes: number;
  /** Undefined: there is no limit. */
  readonly maxBytes: number | undefined;
  /** Nothing more is taken until there is room. */
  readonly isFull?: boolean;
}

/** A durable consumer. */
export interface ConsumerLevel {
  /** Everything up to this position of the stream is acknowledged. */
  readonly ackFloor: number;
  /** Deliveries up to it. */
  readonly acked: number;
  /** Subject that it is limited to; undefined: all of the stream. */
  readonly filter: string | undefined;
  /** Not delivered yet. */
  readonly pending: number;
  /** Delivered, and not acknowledged. */
  readonly unacked: number;
  /** Whether somebody waits for its messages now. */
  readonly awaited: boolean;
}

export interface StreamLevels {
  /** Undefined where there is none. */
  stream(name: string): Promise<StreamLevel | undefined>;
  /** Undefined where the stream has none of that name. */
  consumer(stream: string, name: string): Promise<ConsumerLevel | undefined>;
  /** The first message of a subject (wildcards allowed) from a position on; undefined: none. */
  next(
    stream: string,
    filter: string,
    seq: number,
  ): Promise<{ readonly seq: number; readonly at: number } | undefined>;
  /** What the streams of the account take, and may take; `maxBytes` undefined: the account has no limit. */
  account(): Promise<ResourceLevel>;
  /** Of an embedded server, as whoever runs it says; undefined: nobody does. */
  disk?(): ResourceLevel | undefined;
  /** The largest message this process has sent, and the largest that the server takes. */
  message?(): ResourceLevel | undefined;
  /** Every stream of the contract, and those below its buckets and object stores. */
  names?(): readonly string[];
  /** Whether there was one. */
  removeConsumer(stream: string, name: string): Promise<boolean>;
}
