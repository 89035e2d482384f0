/**
 * A follow route: a GET that upgrades to a WebSocket, each text message one JSON document, or each binary one what its
 * route says. Mission Control Service, "Conventions" and section 4. Knows no transport: a source writes to a
 * `FollowWriter`.
 *
 * F1. A log (policy `log`) is never conflated and never has a gap: a client too slow for it is closed with 4408 (T3).
 * F2. Values (policy `latest`) are conflated only for a client that is behind; its socket is never closed for that.
 * F3. What a source writes before the upgrade is kept and sent first, so that opening can fail with a normal answer.
 * F4. Under `counted` a source shows nothing while the writer has no room, and then says how much it left out; its
 *     client's socket is never closed for that.
 * F5. Nobody follows longer than the token counts that opened it: then the client is closed with 4401, whatever waits.
 *     So is whoever could not open it any more, with a token or without, when keys or settings of tokens have changed.
 * F6. Pictures (policy `newest`) are binary; whoever is behind gets the newest alone, marked with how many it has
 *     missed.
 * F8. Parts of a content (policy `held`) are binary and all of them come; while the writer has no room its source
 *     waits, and a slow client is waited for as long as it reads at all.
 * F7. What a client sends is for the source, in order, and bounded; a client that sends more than a source can keep is
 *     closed with 4429.
 */

import type { TSchema } from 'typebox';
import type { Fault } from '../contract/errors.ts';
import type { Stoppable } from '../ports/bus.ts';
import { tokenInQuery } from './parameters.ts';
import type { RoutePorts } from './ports.ts';
import type { AnyFault, Handled } from './reply.ts';
import {
  type AnyRequest,
  checkPath,
  type Endpoint,
  type ParamsOf,
  type PathParameter,
  type QueryOf,
  type QueryParameter,
  type RouteRequest,
} from './route.ts';
import type { Tag } from './tags.ts';

export type FollowPolicy = 'log' | 'latest' | 'counted' | 'newest' | 'held';

/** Whether the messages of a follower are bytes. */
export function isBinary(policy: FollowPolicy): boolean {
  return policy === 'newest' || policy === 'held';
}

/** Close codes of the service; 1000 ends a log after its final item. */
export const closeCode = {
  finished: 1000,
  /** The service is shutting down; reconnect. */
  goingAway: 1001,
  /** A defect in the service. */
  internal: 1011,
  /** The message bus does not answer: what would come is not of now. */
  tryLater: 1013,
  /** The token of the client has expired, or who opened it has no access any more; open again with another one. */
  tokenExpired: 4401,
  /** The client was too slow for a log; open again and it is replayed. */
  slowConsumer: 4408,
  /** What it reads begins again, and may be other content: open again. */
  begunAgain: 4409,
  /** What it reads is not kept any more. */
  contentGone: 4410,
  /** The client sent too many messages without waiting for answers. */
  tooManyWaiting: 4429,
} as const;

export interface FollowWriter {
  /** Queues one message. Under `latest` a newer message of the same key replaces one a slow client has not got yet. */
  push(message: Uint8Array | string, key?: number): void;
  /** Undefined while there is room, else resolves when there is, or when the client has gone. */
  room(): Promise<void> | undefined;
  /** Closes after everything queued has been sent. */
  finish(code: number, reason: string): void;
}

/** What writes to a follower, stopped when it goes. */
export interface FollowSource extends Stoppable {
  /** A message of the client; its bytes are the source's own. Absent: what a client sends is not read. */
  take?(message: Buffer, isBinary: boolean): void;
}

/** What a client may send. */
export interface Taken {
  readonly maxBytes: number;
  /** Of a text message. */
  readonly message: TSchema;
  readonly description: string;
}

type Opened<Refused extends AnyFault> =
  | Promise<Handled<FollowSource, Refused>>
  | Handled<FollowSource, Refused>;

export interface FollowRoute<Ports = RoutePorts, Refused extends AnyFault = Fault>
  extends Endpoint<Refused['code']> {
  readonly policy: FollowPolicy;
  readonly message: TSchema;
  /** Under `newest`: the message with how many its watcher has missed since it opened. */
  readonly mark?: (message: Uint8Array, missed: number) => Uint8Array;
  readonly takes?: Taken;
  /** Starts to write, or refuses; what it resolves to is stopped when the client goes. */
  open(request: AnyRequest, ports: Ports, writer: FollowWriter): Opened<Refused>;
}

/** A follow route of any service over these ports. */
export type AnyFollow<Ports> = FollowRoute<Ports, AnyFault>;

interface FollowDefinition<Params, Query, Ports, Refused extends AnyFault, TagName extends string> {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag?: TagName;
  readonly params?: Params;
  readonly query?: Query;
  readonly policy: FollowPolicy;
  readonly message: TSchema;
  readonly mark?: (message: Uint8Array, missed: number) => Uint8Array;
  readonly takes?: Taken;
  readonly errors: readonly Refused['code'][];
  open(
    request: RouteRequest<ParamsOf<Params>, QueryOf<Query>, undefined>,
    ports: Ports,
    writer: FollowWriter,
  ): Opened<Refused>;
}

/**
 * How follow routes of a service are defined; `everywhere` is what each of them takes in its query: see `defineFollow`.
 */
export function followsOver<Ports, Refused extends AnyFault, TagName extends string>(
  everywhere: Readonly<Record<string, QueryParameter<unknown>>>,
) {
  return <
    const Params extends Readonly<Record<string, PathParameter<Refused['code']>>> = Record<
      never,
      PathParameter<Refused['code']>
    >,
    const Query extends Readonly<Record<string, QueryParameter<unknown>>> = Record<
      never,
      QueryParameter<never>
    >,
  >(
    definition: FollowDefinition<Params, Query, Ports, Refused, TagName>,
  ): FollowRoute<Ports, Refused> => {
    const { open, ...data } = definition;
    const params = definition.params ?? {};
    checkPath(definition.path, params);
    return {
      ...data,
      identity: 'caller',
      params,
      query: { ...definition.query, ...everywhere },
      body: undefined,
      // As in `defineRoute`: `check.ts` establishes what the static types promise.
      open: open as unknown as FollowRoute<Ports, Refused>['open'],
    };
  };
}

/**
 * The follow route, which also takes `?token=` (section 5.1); throws at startup when path and parameters do not agree.
 */
export const defineFollow = followsOver<RoutePorts, Fault, Tag>({ token: tokenInQuery });
