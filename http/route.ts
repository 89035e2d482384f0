/**
 * A route is data: method, path, schemas, error codes and a handler that receives typed input. From the table come the
 * dispatch, the OpenAPI document and the test that fails when a route or a code is never exercised. Mission Control
 * Service, section 4. Knows no transport: handlers never see a socket. What the routes of a service reach and which
 * faults they refuse with are type parameters; without them it is mission control.
 *
 * R1. A handler answers only with codes its route declares, or with those the layer adds (`declaredErrors`).
 * R2. Handlers check in the order configuration, identity policy, resolution, state, bus (MC-GEN-027); what comes
 *     before (route, authentication, path, body shape) is done when they are called. A route that `admits` decides who
 *     may call it before its body is looked at.
 */

import Type, { type Static, type TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import type { ErrorCode, Fault } from '../contract/errors.ts';
import type { Caller } from './caller.ts';
import type { Content } from './content.ts';
import type { Dialect } from './dialect.ts';
import type { RoutePorts } from './ports.ts';
import type { Recorded } from './recorded.ts';
import type { AnyFault, Handled, Refusal, Reply } from './reply.ts';
import type { Conditions } from './served-content.ts';
import type { Tag } from './tags.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The reply of a 204: no content. */
export const NO_CONTENT = Type.Null();

/** A segment of the path: what it must look like, and the code (404) when it does not. */
export interface PathParameter<Code extends string = ErrorCode> {
  readonly accepts: (text: string) => boolean;
  readonly schema: TSchema;
  readonly code: Code;
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
  /** Of a route that takes bytes. */
  readonly bytes?: Buffer | undefined;
  /** Of a route that is worth giving up: aborted when the client goes before its answer. */
  readonly gone?: AbortSignal | undefined;
  /** What is wanted of content that it answers with. */
  readonly conditions?: Conditions | undefined;
  /** Media types that the client takes; undefined: any. */
  readonly accept?: string | undefined;
}

/** A body that is not JSON and is held whole. */
export interface BytesBody {
  readonly mediaType: string;
  readonly description: string;
  readonly example: string;
  /** Fewer are refused; default 0. */
  readonly minBytes?: number;
  readonly maxBytes: number;
}

export type AnyRequest = RouteRequest<Record<string, string>, Record<string, unknown>, unknown>;

/** What plain routes and follow routes have in common. */
export interface Endpoint<Code extends string = ErrorCode> {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  /** What the summary has no room for, in Markdown. */
  readonly description?: string;
  readonly tag?: string;
  /** `open` routes ask for no token even where one is required (MC-AUTH-017). */
  readonly identity: 'open' | 'caller';
  readonly params: Readonly<Record<string, PathParameter<Code>>>;
  readonly query: Readonly<Record<string, QueryParameter<unknown>>>;
  /** Who may call, and for what, where that comes before query and body; undefined admits. */
  readonly admits?:
    | ((params: Readonly<Record<string, string>>, caller: Caller) => Refusal<AnyFault> | undefined)
    | undefined;
  readonly body: TSchema | undefined;
  /** Whether a request without body is one too; its body is `undefined` for the handler. */
  readonly bodyOptional?: boolean;
  /** The one value of a parameter of the path whose calls take the body (http/check.C2); absent: all calls do. */
  readonly bodyFor?: { readonly parameter: string; readonly value: string } | undefined;
  /** The code of a body that does not have the shape of its schema; default: that of the layer. */
  readonly invalidBody?: Code;
  /** Of the handler; see `declaredErrors` for all. */
  readonly errors: readonly Code[];
  /** Statuses of a code of the handler where they are not its usual one (contract/errors.E2). */
  readonly statuses?: Readonly<Partial<Record<Code, readonly number[]>>>;
}

/** An endpoint of any service. */
export type AnyEndpoint = Endpoint<string>;

export interface Route<Ports = RoutePorts, Refused extends AnyFault = Fault>
  extends Endpoint<Refused['code']> {
  readonly method: Method;
  /** Reply schema by status; `contentMediaType` names what is not JSON. */
  readonly replies: Readonly<Record<number, TSchema>>;
  /** What a 200 is as well, where the client takes it; each with its `contentMediaType`. */
  readonly alsoAs?: readonly TSchema[];
  readonly validator: Validator | undefined;
  /** A body of bytes instead of JSON that the handler reads in pieces, and how many it may be. */
  readonly content?: { readonly maxBytes: number };
  /** A body of bytes instead of JSON that is read before the handler is called. */
  readonly bytes?: BytesBody;
  /** It only answers, though it is no GET: it is not in the log of events. */
  readonly changesNothing?: true;
  /** What the log of events has of a call of it; default: the operation, and nothing of the body. */
  readonly recorded?: Recorded;
  /** How large a JSON body may be; default `JSON_BODY_BYTES`. */
  readonly bodyBytes?: number;
  /** What it does takes long and is given up when nobody waits for it any more. */
  readonly abortable?: boolean;
  handle(request: AnyRequest, ports: Ports): Promise<Handled<Reply, Refused>> | Handled<Reply, Refused>;
}

/** A route of any service over these ports. */
export type AnyRoute<Ports> = Route<Ports, AnyFault>;

export type ParamsOf<Params> = { readonly [Name in keyof Params]: string };
export type QueryOf<Query> = {
  readonly [Name in keyof Query]: Query[Name] extends QueryParameter<infer Value> ? Value | undefined : never;
};

interface RouteDefinition<
  Params,
  Query,
  Body extends TSchema,
  Ports,
  Refused extends AnyFault,
  TagName extends string,
> {
  readonly method: Method;
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag?: TagName;
  readonly identity?: 'open';
  readonly params?: Params;
  readonly query?: Query;
  readonly admits?: Endpoint['admits'];
  readonly body?: Body;
  readonly bodyOptional?: boolean;
  readonly bodyFor?: Endpoint['bodyFor'];
  readonly bodyBytes?: number;
  readonly invalidBody?: Refused['code'];
  readonly changesNothing?: true;
  readonly recorded?: Recorded;
  readonly content?: { readonly maxBytes: number };
  readonly bytes?: BytesBody;
  readonly abortable?: boolean;
  readonly replies: Readonly<Record<number, TSchema>>;
  readonly alsoAs?: readonly TSchema[];
  readonly errors: readonly Refused['code'][];
  readonly statuses?: NonNullable<Endpoint<Refused['code']>['statuses']>;
  handle(
    request: RouteRequest<ParamsOf<Params>, QueryOf<Query>, Static<Body>>,
    ports: Ports,
  ): Promise<Handled<Reply, Refused>> | Handled<Reply, Refused>;
}

/** How routes of a service are defined: see `defineRoute`. */
export function routesOver<Ports, Refused extends AnyFault, TagName extends string>() {
  return <
    const Params extends Readonly<Record<string, PathParameter<Refused['code']>>> = Record<
      never,
      PathParameter<Refused['code']>
    >,
    const Query extends Readonly<Record<string, QueryParameter<unknown>>> = Record<
      never,
      QueryParameter<never>
    >,
    Body extends TSchema = TSchema,
  >(
    definition: RouteDefinition<Params, Query, Body, Ports, Refused, TagName>,
  ): Route<Ports, Refused> => {
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
      handle: handle as unknown as Route<Ports, Refused>['handle'],
    };
  };
}

/** The route with its body schema compiled; throws at startup when path and parameters do not agree. */
export const defineRoute = routesOver<RoutePorts, Fault, Tag>();

/** The names of the parameters in the order of the path. */
export function pathNames(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map((match) => match[1]!);
}

/** Throws unless the path names exactly the parameters that are defined. */
export function checkPath(path: string, params: Readonly<Record<string, unknown>>): void {
  const named = pathNames(path).sort().join();
  const defined = Object.keys(params).sort().join();
  if (named !== defined) throw new TypeError(`${path} names parameters ${named}, defined are ${defined}`);
}

/** Every code the endpoint may answer with: those of its handler and those of the checks before it. */
export function declaredErrors<Ports>(
  endpoint: AnyEndpoint,
  { codes, checked }: Dialect<Ports>,
): ReadonlySet<string> {
  const declared = new Set(endpoint.errors);
  if (endpoint.identity === 'caller') for (const code of checked) declared.add(code);
  for (const parameter of Object.values(endpoint.params)) declared.add(parameter.code);
  if (endpoint.invalidBody !== undefined) declared.add(endpoint.invalidBody);
  if (endpoint.body !== undefined || 'content' in endpoint || 'bytes' in endpoint)
    declared.add(codes.tooLarge);
  return declared;
}
