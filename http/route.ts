/**
 * A route is data: method, path, schemas, error codes and a handler that receives typed input. From the table come the
 * dispatch, the OpenAPI document and the test that fails when a route or a code is never exercised. Mission Control
 * Service, section 4. Knows no transport: handlers never see a socket.
 *
 * R1. A handler answers only with codes its route declares, or with those the layer adds (`declaredErrors`).
 * R2. Handlers check in the order configuration, identity policy, resolution, state, bus (MC-GEN-027); what comes
 *     before (route, authentication, path, body shape) is done when they are called.
 */

import type { Static, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import type { ErrorCode } from '../contract/errors.ts';
import type { Caller } from './caller.ts';
import type { Content } from './content.ts';
import type { RoutePorts } from './ports.ts';
import type { Handled, Reply } from './reply.ts';
import type { Tag } from './tags.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A segment of the path: what it must look like, and the code (404) when it does not. */
export interface PathParameter {
  readonly accepts: (text: string) => boolean;
  readonly schema: TSchema;
  readonly code: ErrorCode;
  /** Completes "… is not": for example `a target name (letters, digits, - and _)`. */
  readonly expected: string;
}

/** A value of the query; an absent one is `undefined` for the handler. */
export interface QueryParameter<Value> {
  readonly schema: TSchema;
  readonly expected: string;
  /** Undefined refuses the text. */
  parse(text: string): Value | undefined;
}

export interface RouteRequest<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly caller: Caller;
  /** Of a route that takes content; read at most once. */
  readonly content: Content | undefined;
}

export type AnyRequest = RouteRequest<Record<string, string>, Record<string, unknown>, unknown>;

/** What plain routes and follow routes have in common. */
export interface Endpoint {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  /** What the summary has no room for, in Markdown. */
  readonly description?: string;
  readonly tag?: Tag;
  /** `open` routes ask for no token even where one is required (MC-AUTH-017). */
  readonly identity: 'open' | 'caller';
  readonly params: Readonly<Record<string, PathParameter>>;
  readonly query: Readonly<Record<string, QueryParameter<unknown>>>;
  readonly body: TSchema | undefined;
  /** Whether a request without body is one too; its body is `undefined` for the handler. */
  readonly bodyOptional?: boolean;
  /** Of the handler; see `declaredErrors` for all. */
  readonly errors: readonly ErrorCode[];
  /** Statuses of a code of the handler where they are not its usual one (E2). */
  readonly statuses?: Readonly<Partial<Record<ErrorCode, readonly number[]>>>;
}

export interface Route extends Endpoint {
  readonly method: Method;
  /** Reply schema by status; `contentMediaType` names what is not JSON. */
  readonly replies: Readonly<Record<number, TSchema>>;
  readonly validator: Validator | undefined;
  /** A body of bytes instead of JSON, and how many it may be. */
  readonly content?: { readonly maxBytes: number };
  handle(request: AnyRequest, ports: RoutePorts): Promise<Handled<Reply>> | Handled<Reply>;
}

export type ParamsOf<Params> = { readonly [Name in keyof Params]: string };
export type QueryOf<Query> = {
  readonly [Name in keyof Query]: Query[Name] extends QueryParameter<infer Value> ? Value | undefined : never;
};

interface RouteDefinition<Params, Query, Body extends TSchema> {
  readonly method: Method;
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag?: Tag;
  readonly identity?: 'open';
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly bodyOptional?: boolean;
  readonly content?: { readonly maxBytes: number };
  readonly replies: Readonly<Record<number, TSchema>>;
  readonly errors: readonly ErrorCode[];
  readonly statuses?: NonNullable<Endpoint['statuses']>;
  handle(
    request: RouteRequest<ParamsOf<Params>, QueryOf<Query>, Static<Body>>,
    ports: RoutePorts,
  ): Promise<Handled<Reply>> | Handled<Reply>;
}

/** The route with its body schema compiled; throws at startup when path and parameters do not agree. */
export function defineRoute<
  const Params extends Readonly<Record<string, PathParameter>> = Record<never, PathParameter>,
  const Query extends Readonly<Record<string, QueryParameter<unknown>>> = Record<
    never,
    QueryParameter<never>
  >,
  Body extends TSchema = TSchema,
>(definition: RouteDefinition<Params, Query, Body>): Route {
  const { handle, ...data } = definition;
  const params = definition.params ?? {};
  checkPath(definition.path, params);
  return {
    ...data,
    identity: definition.identity ?? 'caller',
    params,
    query: definition.query ?? {},
    body: definition.body,
    validator: definition.body === undefined ? undefined : Compile(definition.body as TSchema),
    // The one place where the static types of a definition are left: `check.ts` establishes what they promise.
    handle: handle as unknown as Route['handle'],
  };
}

/** The names of the parameters in the order of the path. */
export function pathNames(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map((match) => match[1]!);
}

/** Throws unless the path names exactly the parameters that are defined. */
export function checkPath(path: string, params: Readonly<Record<string, PathParameter>>): void {
  const named = pathNames(path).sort().join();
  const defined = Object.keys(params).sort().join();
  if (named !== defined) throw new TypeError(`${path} names parameters ${named}, defined are ${defined}`);
}

/** Every code the endpoint may answer with: those of its handler and those of the checks before it. */
export function declaredErrors(endpoint: Endpoint): ReadonlySet<ErrorCode> {
  const codes = new Set<ErrorCode>(endpoint.errors);
  if (endpoint.identity === 'caller') {
    codes
      .add('auth::no-provider')
      .add('auth::invalid-token')
      .add('auth::token-required')
      .add('api::invalid-body')
      .add('api::unavailable');
  }
  for (const parameter of Object.values(endpoint.params)) codes.add(parameter.code);
  if (endpoint.body !== undefined || 'content' in endpoint) codes.add('api::too-large');
  return codes;
}
