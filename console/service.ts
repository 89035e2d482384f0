/** Questions to the service the page came from, in the name of the kept token if there is one, and its refusals. */

import { parseExact } from '../contract/exact-json.ts';
import { headerText } from '../contract/header-text.ts';
import { keptRoles } from './operator-name.ts';
import { type ErrorItem, ServiceError } from './service-error.ts';
import { keptToken, tokenAsked } from './token.ts';

/** The answer of a GET; rejects with `ServiceError`. */
export async function ask<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  return bodyOf<Answer>(await send(path, signal === undefined ? {} : { signal }));
}

/** The same in the name of `user`, where the answer depends on who asks. */
export async function askAs<Answer>(path: string, user: string): Promise<Answer> {
  return bodyOf<Answer>(await send(path, { headers: declared(user) }));
}

/** The answer of a GET as text of that media type, with its headers; rejects with `ServiceError`. */
export async function askText(path: string, accept: string): Promise<{ text: string; headers: Headers }> {
  const response = await send(path, { headers: { accept } });
  const text = await response.text().catch(() => {
    throw new ServiceError(0, [CUT_OFF]);
  });
  return { text, headers: response.headers };
}

/** The answer of a POST whose body is content as it is, which the browser reads as it sends it. */
export async function store<Answer>(path: string, content: Blob, user: string): Promise<Answer> {
  const headers = { 'content-type': 'application/octet-stream', ...declared(user) };
  return bodyOf<Answer>(await send(path, { method: 'POST', body: content, headers }));
}

/** The content that stands there, to be read as it comes; rejects with `ServiceError`. */
export function content(path: string, signal: AbortSignal): Promise<Response> {
  return send(path, { signal });
}

/**
 * The answer of a POST in the name of `user`; rejects with `ServiceError`. Without a body none is sent; an empty
 * name is left out, and the service decides whether it takes that. `role` is the one that is declared for this alone.
 */
export async function order<Answer>(
  path: string,
  body: object | undefined,
  user: string,
  role?: string,
): Promise<Answer> {
  const headers = {
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...declared(user),
    ...(role !== undefined && { 'x-mcs-role': headerText(role) }),
  };
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  return bodyOf<Answer>(await send(path, { method: 'POST', ...text, headers }));
}

/** A DELETE in the name of `user`; rejects with `ServiceError`. */
export async function remove(path: string, user: string): Promise<void> {
  await send(path, { method: 'DELETE', headers: declared(user) });
}

const CUT_OFF = { code: 'unreached', message: 'the answer of the service was cut off' };

function declared(user: string): Record<string, string> {
  const roles = keptRoles();
  return user === ''
    ? {}
    : { 'x-mcs-user': headerText(user), ...(roles !== '' && { 'x-mcs-role': headerText(roles) }) };
}

async function bodyOf<Answer>(response: Response): Promise<Answer> {
  const body = await exactly(response).catch(() => undefined);
  // The connection may be lost in the middle of an answer.
  if (body === undefined) throw new ServiceError(0, [CUT_OFF]);
  return body as Answer;
}

async function exactly(response: Response): Promise<unknown> {
  return parseExact(await response.text());
}

/** An answer that is no refusal. */
async function send(path: string, init: RequestInit): Promise<Response> {
  const token = keptToken();
  const headers = { ...init.headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
  const response = await fetch(path, { ...init, headers }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ServiceError(0, [{ code: 'unreached', message: 'the service does not answer' }]);
  });
  if (response.ok) return response;
  const body = (await response.json().catch(() => undefined)) as { errors?: ErrorItem[] } | undefined;
  const errors = body?.errors ?? [{ code: 'unknown', message: `the service answered ${response.status}` }];
  const ofIdentity = errors.find(({ code }) => code.startsWith('auth::'));
  // Whoever reads in the background asks again and again; a person who has declined is not asked by that. What was
  // asked with a token of before says nothing of the one that is kept by now.
  if (ofIdentity !== undefined && keptToken() === token)
    tokenAsked(ofIdentity.message, init.method !== undefined);
  throw new ServiceError(response.status, errors);
}
