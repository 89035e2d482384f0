/**
 * A stream or bucket of the bus, as those see it who use it; `bus/assets.ts` makes it.
 *
 * I1. A stream is known by what its description says, drawn when it is made and the same on every server of a cluster.
 *     When it was created tells one stream from another on one server only: each copy has a time of its own, and after
 *     an election the same stream seems to be another one. Decision 74.
 */

import type { StreamInfo } from 'nats';

/** A stream that was there when it was last ensured; another one may bear its name by now. */
export interface Asset {
  readonly stream: string;
  /** Tells a stream from another one that later bears the same name (I1); a token. */
  readonly identity: string;
}

/** A stream as its leader says it stands, asked just now. */
export interface Standing extends Asset {
  readonly lastSeq: number;
  /** How many messages it holds, and the position of the first. */
  readonly messages: number;
  readonly firstSeq: number;
  /** When the first message that it holds was stored; undefined where it holds none. */
  readonly firstAt: number | undefined;
  /** When the last message was stored, as far as the server knows it still: ms since 1970. */
  readonly lastAt: number | undefined;
  /** When it was made; on a cluster when that copy of it was (I1). */
  readonly madeAt: number | undefined;
  readonly replicas: number;
  /** The server that leads it; undefined where there is one server. */
  readonly leader?: string | undefined;
  /** What a message takes in the store on average; 0 when there is none. */
  readonly meanBytes: number;
}

/** A stream beside its declaration. */
export interface Compared {
  readonly stream: string;
  /** As its leader says it stands; undefined: there is none of that name. */
  readonly standing: Standing | undefined;
  /** Fields of its configuration that are not as declared, but for its size: with little room it is made smaller. */
  readonly differs: readonly string[];
}

/** How a stream and its copies stand. */
export interface Copies {
  readonly stream: string;
  readonly inPlace: number;
}

/** One stream or bucket, to be made sure of before each use. */
export interface AssetHandle {
  /** Of the stream. */
  readonly name: string;
  /**
   * There and up to date, known at once after the first time; tries once. Rejects with an outage after `timeoutMs`,
   * with `ApiError` when the server refuses the asset for good.
   */
  ensure(timeoutMs: number): Promise<Asset>;
  /**
   * The stream as it stands, made first where it is missing; asks the server each time, and rejects as `ensure` does.
   */
  look(timeoutMs: number): Promise<Standing>;
  /** To be called when it turned out to be gone. */
  forget(): void;
  /** The stream beside its declaration; asks the server, and makes and changes nothing. Rejects as `ensure` does. */
  compare(timeoutMs: number): Promise<Compared>;
  /** Its copies that are up to date, after those that are missing were asked for; rejects as `ensure` does. */
  copies(timeoutMs: number): Promise<Copies>;
}

/** As its leader says it. */
export function standing(info: StreamInfo): Standing {
  const { config, state, cluster, created } = info;
  return {
    stream: config.name,
    identity: identityOf(info),
    lastSeq: state.last_seq,
    messages: state.messages,
    firstSeq: state.first_seq,
    firstAt: state.messages === 0 ? undefined : timeOf(state.first_ts),
    lastAt: timeOf(state.last_ts),
    madeAt: timeOf(created),
    replicas: config.num_replicas,
    leader: cluster?.leader,
    meanBytes: state.messages === 0 ? 0 : state.bytes / state.messages,
  };
}

/** A server that restarted behind the loss of its last message says the year 1 or 1970. */
function timeOf(timestamp: unknown): number | undefined {
  const at = Date.parse(String(timestamp));
  return at > 0 ? at : undefined;
}

const DESCRIBED = 'mcs ';

/** The description of a stream with that identity (I1). */
export function described(identity: string): string {
  return `${DESCRIBED}${identity}`;
}

/** I1; when it was created, of one that nobody has described. */
export function identityOf({ config, created }: Pick<StreamInfo, 'config' | 'created'>): string {
  const { description = '' } = config;
  return description.startsWith(DESCRIBED) ? description.slice(DESCRIBED.length) : String(created);
}
