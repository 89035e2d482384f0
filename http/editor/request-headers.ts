/**
 * What the editor gets of the head of a request. Mission Control Service, section 4.9.
 *
 * E1. Passed on is what is listed here and nothing else: a header that nobody thought of may be a credential of a proxy
 *     in front, of another service, or of this one. `X-Editor-…` is for clients of the editor that need one of their
 *     own.
 * E2. Who calls is said in `X-Mcs-Identity`, `X-Mcs-User` and `X-Mcs-Role`, by this service alone.
 * E3. `X-Forwarded-…` and `Via` are written by this service alone.
 * E4. How long the body is, or that it is chunked, is said once and by this service.
 * E5. A request that has been passed on before by a mission control is refused: the configured address leads back here.
 */

import type { Caller } from '../caller.ts';
import { refuse } from '../errors.ts';
import type { Handled, Refusal } from '../reply.ts';
import { cookiesForEditor } from './editor-cookies.ts';
import { EDITOR_PREFIX } from './editor-path.ts';

/** Names in lower case, as often as they came. */
export type Fields = readonly (readonly [name: string, value: string])[];
/** As a client of node sends them. */
export type Outgoing = Record<string, string | string[]>;

export interface ForwardedHead {
  readonly fields: Fields;
  /** Of the client that is connected here. */
  readonly address: string;
  /** The host it called. */
  readonly host: string | undefined;
}

const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;
/** The pseudonym of every mission control in `Via`. */
const VIA = 'mission-control-editor';

const PASSED: ReadonlySet<string> = new Set([
  'accept',
  'cache-control',
  'date',
  'depth',
  'dnt',
  'last-event-id',
  'origin',
  'pragma',
  'prefer',
  'priority',
  'range',
  'slug',
  'traceparent',
  'tracestate',
  'user-agent',
  'x-correlation-id',
  'x-csrf-token',
  'x-csrftoken',
  'x-request-id',
  'x-requested-with',
  'x-xsrf-token',
  'x-xsrftoken',
]);
const PASSED_BEGINNINGS = /^(?:accept-|content-|if-|sec-ch-|sec-fetch-|tus-|upload-|x-editor-)/;

/** Refuses a head that two readers could take for different requests, and one that came from here. */
export function untrusted(fields: Fields): Refusal | undefined {
  for (const [name, value] of fields)
    if (!NAME.test(name) || !VALUE.test(value)) return refuse('api::invalid-body', 'a header is not HTTP');
  const encodings = valuesOf(fields, 'transfer-encoding');
  if (encodings.length > 1 || (encodings[0] !== undefined && encodings[0].toLowerCase() !== 'chunked'))
    return refuse('api::invalid-body', 'the only transfer encoding is chunked, once');
  const lengths = valuesOf(fields, 'content-length');
  if (lengths.length > 1 || (lengths[0] !== undefined && !/^\d{1,15}$/.test(lengths[0])))
    return refuse('api::invalid-body', 'header content-length is not one length');
  if (lengths.length + encodings.length > 1)
    return refuse('api::invalid-body', 'the body has a length and a transfer encoding');
  if (valuesOf(fields, 'via').some((value) => value.includes(VIA)))
    return refuse('editor::unreachable', 'the address of the editor leads back to this service', {
      help: 'Correct editor.url in the config document.',
    });
  return undefined;
}

/** The headers for the editor, without those of a body (E4). */
export function headersForEditor(head: ForwardedHead, caller: Caller): Handled<Outgoing> {
  const { fields } = head;
  const refused = untrusted(fields);
  if (refused !== undefined) return refused;
  const hopByHop = new Set(listed(valuesOf(fields, 'connection')));
  const headers: Outgoing = {};
  for (const [name, value] of fields) {
    if (!isPassed(name) || hopByHop.has(name)) continue;
    const earlier = headers[name];
    headers[name] = earlier === undefined ? value : [earlier, value].flat();
  }
  const cookie = cookiesForEditor(valuesOf(fields, 'cookie'));
  if (cookie !== undefined) headers['cookie'] = cookie;
  return { ok: true, value: { ...headers, ...identityOf(caller), ...pathOf(head) } };
}

/** How the body of a request is sent on; empty where it has none. */
export function bodyHeaders(fields: Fields): Outgoing {
  const [length] = valuesOf(fields, 'content-length');
  if (length !== undefined) return { 'content-length': `${Number(length)}` };
  return valuesOf(fields, 'transfer-encoding').length > 0 ? { 'transfer-encoding': 'chunked' } : {};
}

export function valuesOf(fields: Fields, wanted: string): readonly string[] {
  return fields.filter(([name]) => name === wanted).map(([, value]) => value);
}

/** The names in headers that hold lists of them. */
export function listed(values: readonly string[]): readonly string[] {
  return values.flatMap((value) => value.split(',')).map((name) => name.trim().toLowerCase());
}

function isPassed(name: string): boolean {
  return name !== 'content-length' && (PASSED.has(name) || PASSED_BEGINNINGS.test(name));
}

/** E2: percent-encoded, since names may hold what no header carries; roles have commas between them. */
function identityOf(caller: Caller): Outgoing {
  if (caller.kind === 'anonymous') return { 'x-mcs-identity': 'anonymous' };
  return {
    'x-mcs-identity': caller.kind,
    'x-mcs-user': encoded(caller.name),
    ...(caller.roles.length > 0 && { 'x-mcs-role': caller.roles.map(encoded).join(',') }),
  };
}

/** E3 */
function pathOf({ address, host }: ForwardedHead): Outgoing {
  return {
    'x-forwarded-for': plainAddress(address),
    ...(host !== undefined && { 'x-forwarded-host': host }),
    'x-forwarded-proto': 'http',
    'x-forwarded-prefix': EDITOR_PREFIX,
    via: `1.1 ${VIA}`,
  };
}

/** Halves of surrogate pairs that stand alone have no encoding. */
function encoded(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}

/** An IPv4 address that came over a socket for both is written as one. */
function plainAddress(text: string): string {
  const [, high, low] = /^(?:0{1,4}:){5}ffff:([0-9a-f]{4}):([0-9a-f]{4})$/i.exec(text) ?? [];
  if (high === undefined || low === undefined) return text;
  return [...Buffer.from(high + low, 'hex')].join('.');
}
