/**
 * The checks that come before every handler, in the order of the ledger (MC-GEN-027): authentication, path parameters,
 * then query and body shape, both with everything they find. Mission Control Service, section 7.2.
 *
 * C1. A request that passed is what the types of its route say: handlers do not check again.
 * C2. A body that a call does not take is refused: whoever sent it meant something by it. On a route that never takes
 *     one, an empty object counts as no body.
 */

import type { Validator } from 'typebox/compile';
import { refusedAll } from '../contract/result.ts';
import type { Caller } from './caller.ts';
import type { Content } from './content.ts';
import type { Dialect, LayerCodes } from './dialect.ts';
import type { Credentials } from './identity.ts';
import { readJsonBody } from './json-body.ts';
import { type AnyFault, type Handled, type Refusal, refusal } from './reply.ts';
import type { AnyEndpoint, AnyRequest, BytesBody, PathParameter, QueryParameter } from './route.ts';
import type { Conditions } from './served-content.ts';

/** A request as any transport delivers it. */
export interface Incoming {
  /** As in the path, still percent-encoded, by name. */
  readonly params: Readonly<Record<string, string>>;
  /** After the `?`, undecoded; empty when there is none. */
  readonly query: string;
  readonly credentials: Credentials;
  /** Undefined for a route without body. */
  readonly body: Buffer | undefined;
  /** A body came that the route does not take; nothing of it was kept. */
  readonly unasked?: true | undefined;
  /** Of a route that takes content. */
  readonly content?: Content;
  /** Of a route that is worth giving up. */
  readonly gone?: AbortSignal;
  readonly conditions?: Conditions | undefined;
  readonly accept?: string | undefined;
}

const ANONYMOUS = { ok: true, value: { kind: 'anonymous' } } as const;
const NOTHING = { ok: true, value: undefined } as const;
const NONE: Readonly<Record<string, never>> = Object.freeze({});

type Checked = AnyEndpoint & { readonly validator?: Validator | undefined; readonly bytes?: BytesBody };
type Answered<Value> = Handled<Value, AnyFault>;

/**
 * The typed request; refuses with the codes of the layer. Only a request with a token is answered later
 * (http/identity.I4).
 */
export function check<Ports>(
  endpoint: Checked,
  incoming: Incoming,
  ports: Ports,
  dialect: Dialect<Ports>,
): Promise<Answered<AnyRequest>> | Answered<AnyRequest> {
  const caller = endpoint.identity === 'open' ? ANONYMOUS : dialect.identify(incoming.credentials, ports);
  const { codes } = dialect;
  if (caller instanceof Promise) return caller.then((known) => checkShape(endpoint, incoming, known, codes));
  return checkShape(endpoint, incoming, caller, codes);
}

function checkShape(
  endpoint: Checked,
  incoming: Incoming,
  caller: Answered<Caller>,
  codes: LayerCodes,
): Answered<AnyRequest> {
  if (!caller.ok) return caller;
  const params = readParams(endpoint.params, incoming.params);
  if (!params.ok) return params;
  const stranger = endpoint.admits?.(params.value, caller.value);
  if (stranger !== undefined) return stranger;
  const query = readQuery(endpoint, incoming.query, codes);
  // The faults of an answer have one status.
  if (!query.ok && endpoint.invalidBody !== undefined) return query;
  const unwanted = unwantedBody(endpoint, incoming, params.value, codes);
  const body = unwanted ?? readBody(endpoint, incoming.body, codes);
  if (!query.ok || !body.ok) {
    const faults = [query, body].flatMap((read) => (read.ok ? [] : read.faults));
    return { ...refusedAll(faults), more: body.ok ? 0 : (body.more ?? 0) };
  }
  return {
    ok: true,
    value: {
      params: params.value,
      query: query.value,
      body: body.value,
      caller: caller.value,
      content: incoming.content,
      bytes: endpoint.bytes === undefined ? undefined : incoming.body,
      gone: incoming.gone,
      conditions: incoming.conditions,
      accept: incoming.accept,
    },
  };
}

/** C2 */
function unwantedBody(
  { bodyFor }: AnyEndpoint,
  { body, unasked }: Incoming,
  params: Readonly<Record<string, string>>,
  { invalid }: LayerCodes,
): Refusal<AnyFault> | undefined {
  if (unasked) return refusal(invalid, 'this route takes no body', { help: 'Send the request without one.' });
  if (bodyFor === undefined || body === undefined || body.length === 0) return undefined;
  const { parameter, value } = bodyFor;
  if (params[parameter] === value) return undefined;
  return refusal(invalid, `${params[parameter]} takes no body`, { help: `Only ${value} takes one.` });
}

function readBody(endpoint: Checked, body: Buffer | undefined, codes: LayerCodes): Answered<unknown> {
  if (body === undefined) return NOTHING;
  const { validator, bytes } = endpoint;
  if (validator !== undefined && !isAbsent(endpoint, body))
    return readJsonBody(body, validator, endpoint.invalidBody ?? codes.invalid);
  if (bytes?.minBytes === undefined || body.length >= bytes.minBytes) return NOTHING;
  return refusal(codes.invalid, body.length === 0 ? 'the body is empty' : 'the body is too short', {
    help: `Send ${bytes.description}.`,
  });
}

function isAbsent({ bodyOptional }: AnyEndpoint, body: Buffer): boolean {
  return bodyOptional === true && body.length === 0;
}

function readParams(
  parameters: Readonly<Record<string, PathParameter<string>>>,
  raw: Readonly<Record<string, string>>,
): Answered<Record<string, string>> {
  const params: Record<string, string> = {};
  const faults: AnyFault[] = [];
  for (const name in parameters) {
    const { accepts, code, expected } = parameters[name]!;
    const text = decode(raw[name] ?? '');
    if (text === undefined || !accepts(text)) {
      faults.push({ code, message: `${JSON.stringify(text ?? raw[name])} is not ${expected}`, path: name });
    } else params[name] = text;
  }
  // In a path every code is a 404, also the one that is a 400 in a body (contract/errors.E2).
  return faults.length === 0 ? { ok: true, value: params } : { ...refusedAll(faults), status: 404 };
}

function decode(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * Refuses names the route does not know and names given twice: a filter misspelt would silently not filter. Probes
 * call open routes with what they like.
 */
function readQuery(
  endpoint: AnyEndpoint,
  text: string,
  { invalid }: LayerCodes,
): Answered<Record<string, unknown>> {
  if (text === '' || endpoint.identity === 'open') return { ok: true, value: NONE };
  const query: Record<string, unknown> = {};
  const faults: AnyFault[] = [];
  for (const [name, value] of new URLSearchParams(text)) {
    const problem = readQueryValue(endpoint, query, name, value);
    if (problem !== undefined) faults.push({ code: invalid, message: problem, path: name });
  }
  return faults.length === 0 ? { ok: true, value: query } : refusedAll(faults);
}

/** The bound that the schema of a parameter states holds before anybody reads it. */
function isTooLong({ schema }: QueryParameter<unknown>, text: string): boolean {
  return text.length > ((schema as { maxLength?: number }).maxLength ?? Number.POSITIVE_INFINITY);
}

function readQueryValue(
  endpoint: AnyEndpoint,
  query: Record<string, unknown>,
  name: string,
  text: string,
): string | undefined {
  if (!Object.hasOwn(endpoint.query, name)) {
    const known = Object.keys(endpoint.query).join(', ') || 'none';
    return `unknown query parameter ${name}; this route takes: ${known}`;
  }
  if (Object.hasOwn(query, name)) return `query parameter ${name} is given twice`;
  const parameter = endpoint.query[name]!;
  const value = isTooLong(parameter, text) ? undefined : parameter.parse(text);
  if (value === undefined)
    return `query parameter ${name}: ${JSON.stringify(text)} is not ${parameter.expected}`;
  query[name] = value;
  return undefined;
}
