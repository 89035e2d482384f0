/**
 * The checks that come before every handler, in the order of the ledger (MC-GEN-027): authentication, path parameters,
 * then query and body shape, both with everything they find. Mission Control Service, section 7.2.
 *
 * C1. A request that passed is what the types of its route say: handlers do not check again.
 */

import type { Validator } from 'typebox/compile';
import type { Fault } from '../contract/errors.ts';
import { refusedAll } from '../contract/result.ts';
import type { Caller } from './caller.ts';
import type { Content } from './content.ts';
import { refuse } from './errors.ts';
import { type Credentials, identify } from './identity.ts';
import { readJsonBody } from './json-body.ts';
import type { RoutePorts } from './ports.ts';
import type { Handled } from './reply.ts';
import type { AnyRequest, Endpoint, PathParameter } from './route.ts';

/** A request as any transport delivers it. */
export interface Incoming {
  /** As in the path, still percent-encoded, by name. */
  readonly params: Readonly<Record<string, string>>;
  /** After the `?`, undecoded; empty when there is none. */
  readonly query: string;
  readonly credentials: Credentials;
  /** Undefined for a route without body. */
  readonly body: Buffer | undefined;
  /** Of a route that takes content. */
  readonly content?: Content;
}

const ANONYMOUS = { kind: 'anonymous' } as const;
const NONE: Readonly<Record<string, never>> = Object.freeze({});

type Checked = Endpoint & { readonly validator?: Validator | undefined };

/** The typed request; refuses with the codes of the layer. Only a request with a token is answered later (I4). */
export function check(
  endpoint: Checked,
  incoming: Incoming,
  { missions, tokens }: Pick<RoutePorts, 'missions' | 'tokens'>,
): Promise<Handled<AnyRequest>> | Handled<AnyRequest> {
  if (endpoint.identity === 'caller' && missions.known === false) return settingsUnknown();
  const caller =
    endpoint.identity === 'open'
      ? ({ ok: true, value: ANONYMOUS } as const)
      : identify(incoming.credentials, missions.current?.settings, tokens);
  if (caller instanceof Promise) return caller.then((known) => checkShape(endpoint, incoming, known));
  return checkShape(endpoint, incoming, caller);
}

/** Whether only tokens count stands in the configuration: until it is read nobody is let in on good faith. */
function settingsUnknown(): Handled<never> {
  return refuse('api::unavailable', 'the configuration is not read yet, and with it who may come in', {
    help: 'Try again in a moment.',
  });
}

function checkShape(endpoint: Checked, incoming: Incoming, caller: Handled<Caller>): Handled<AnyRequest> {
  if (!caller.ok) return caller;
  const params = readParams(endpoint.params, incoming.params);
  if (!params.ok) return params;
  const query = readQuery(endpoint, incoming.query);
  const body =
    endpoint.validator === undefined || incoming.body === undefined || isAbsent(endpoint, incoming.body)
      ? ({ ok: true, value: undefined } as const)
      : readJsonBody(incoming.body, endpoint.validator);
  if (!query.ok || !body.ok) {
    return refusedAll([...(query.ok ? [] : query.faults), ...(body.ok ? [] : body.faults)]);
  }
  return {
    ok: true,
    value: {
      params: params.value,
      query: query.value,
      body: body.value,
      caller: caller.value,
      content: incoming.content,
    },
  };
}

function isAbsent({ bodyOptional }: Endpoint, body: Buffer): boolean {
  return bodyOptional === true && body.length === 0;
}

function readParams(
  parameters: Readonly<Record<string, PathParameter>>,
  raw: Readonly<Record<string, string>>,
): Handled<Record<string, string>> {
  const params: Record<string, string> = {};
  const faults: Fault[] = [];
  for (const name in parameters) {
    const { accepts, code, expected } = parameters[name]!;
    const text = decode(raw[name] ?? '');
    if (text === undefined || !accepts(text)) {
      faults.push({ code, message: `${JSON.stringify(text ?? raw[name])} is not ${expected}`, path: name });
    } else params[name] = text;
  }
  // In a path every code is a 404, also the one that is a 400 in a body (E2).
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
function readQuery(endpoint: Endpoint, text: string): Handled<Record<string, unknown>> {
  if (text === '' || endpoint.identity === 'open') return { ok: true, value: NONE };
  const query: Record<string, unknown> = {};
  const faults: Fault[] = [];
  for (const [name, value] of new URLSearchParams(text)) {
    const problem = readQueryValue(endpoint, query, name, value);
    if (problem !== undefined) faults.push({ code: 'api::invalid-body', message: problem, path: name });
  }
  return faults.length === 0 ? { ok: true, value: query } : refusedAll(faults);
}

function readQueryValue(
  endpoint: Endpoint,
  query: Record<string, unknown>,
  name: string,
  text: string,
): string | undefined {
  if (!Object.hasOwn(endpoint.query, name)) {
    const known = Object.keys(endpoint.query).join(', ') || 'none';
    return `unknown query parameter ${name}; this route takes: ${known}`;
  }
  if (Object.hasOwn(query, name)) return `query parameter ${name} stands twice`;
  const parameter = endpoint.query[name]!;
  const value = parameter.parse(text);
  if (value === undefined)
    return `query parameter ${name}: ${JSON.stringify(text)} is not ${parameter.expected}`;
  query[name] = value;
  return undefined;
}
