/**
 * A follow route: a GET that upgrades to a WebSocket, each text message one JSON document. Mission Control Service,
 * "Conventions" and section 4. Knows no transport: a source writes to a `FollowWriter`.
 *
 * F1. A log (policy `log`) is never conflated and never has a gap: a client too slow for it is closed with 4408 (T3).
 * F2. Values (policy `latest`) are conflated only for a client that is behind; its socket is never closed for that.
 * F3. What a source writes before the upgrade is kept and sent first, so that opening can fail with a normal answer.
 * F4. Under `counted` a source shows nothing while the writer has no room, and then says how much it left out; its
 *     client's socket is never closed for that.
 * F5. Nobody follows longer than the token counts that opened it: then the client is closed with 4401, whatever waits.
 */

import type { TSchema } from 'typebox';
import type { ErrorCode } from '../contract/errors.ts';
import type { Stoppable } from '../ports/bus.ts';
import { tokenInQuery } from './parameters.ts';
import type { RoutePorts } from './ports.ts';
import type { Handled } from './reply.ts';
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

export type FollowPolicy = 'log' | 'latest' | 'counted';

/** Close codes of the service; 1000 ends a log after its final item. */
export const closeCode = {
  finished: 1000,
  /** The service goes away; open again. */
  goingAway: 1001,
  /** A defect in the service. */
  internal: 1011,
  /** The token of the client has expired; open again with another one. */
  tokenExpired: 4401,
  /** The client was too slow for a log; open again and it is replayed. */
  slowConsumer: 4408,
} as const;

export interface FollowWriter {
  /** Queues one message. Under `latest` a newer message of the same key replaces one a slow client has not got yet. */
  push(message: Uint8Array | string, key?: number): void;
  /** Undefined while there is room, else resolves when there is, or when the client has gone. */
  room(): Promise<void> | undefined;
  /** Closes after everything queued has been sent. */
  finish(code: number, reason: string): void;
}

export interface FollowRoute extends Endpoint {
  readonly policy: FollowPolicy;
  readonly message: TSchema;
  /** Starts to write, or refuses; what it resolves to is stopped when the client goes. */
  open(
    request: AnyRequest,
    ports: RoutePorts,
    writer: FollowWriter,
  ): Promise<Handled<Stoppable>> | Handled<Stoppable>;
}

interface FollowDefinition<Params, Query> {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag?: Tag;
  readonly params?: Params;
  readonly query?: Query;
  readonly policy: FollowPolicy;
  readonly message: TSchema;
  readonly errors: readonly ErrorCode[];
  open(
    request: RouteRequest<ParamsOf<Params>, QueryOf<Query>, undefined>,
    ports: RoutePorts,
    writer: FollowWriter,
  ): Promise<Handled<Stoppable>> | Handled<Stoppable>;
}

/** The follow route, which also takes `?token=` (section 5.1); throws at startup when path and parameters do not agree. */
export function defineFollow<
  const Params extends Readonly<Record<string, PathParameter>> = Record<never, PathParameter>,
  const Query extends Readonly<Record<string, QueryParameter<unknown>>> = Record<
    never,
    QueryParameter<never>
  >,
>(definition: FollowDefinition<Params, Query>): FollowRoute {
  const { open, ...data } = definition;
  const params = definition.params ?? {};
  checkPath(definition.path, params);
  return {
    ...data,
    identity: 'caller',
    params,
    query: { ...definition.query, token: tokenInQuery },
    body: undefined,
    // As in `defineRoute`: `check.ts` establishes what the static types promise.
    open: open as unknown as FollowRoute['open'],
  };
}
