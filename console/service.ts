/** Questions to the service the page came from, in the name of the kept token if there is one, and its refusals. */

import { keptToken, tokenAsked } from './token.ts';

export interface ErrorItem {
  readonly code: string;
  readonly message: string;
  readonly help?: string;
}

/** The service refused; `status` 0: it was not reached. */
export class ServiceError extends Error {
  readonly status: number;
  readonly items: readonly ErrorItem[];

  constructor(status: number, items: readonly ErrorItem[]) {
    super(items.map(({ message, help }) => [message, help].filter(Boolean).join('. ')).join('; '));
    this.name = 'ServiceError';
    this.status = status;
    this.items = items;
  }
}

/** The answer of a GET; rejects with `ServiceError`. */
export function ask<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  return send<Answer>(path, signal === undefined ? {} : { signal });
}

/** The answer of a POST in the name of `user`; rejects with `ServiceError`. */
export function order<Answer>(path: string, body: object, user: string): Promise<Answer> {
  const headers = { 'content-type': 'application/json', 'x-mcs-user': user };
  return send<Answer>(path, { method: 'POST', body: JSON.stringify(body), headers });
}

async function send<Answer>(path: string, init: RequestInit): Promise<Answer> {
  const token = keptToken();
  const headers = { ...init.headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
  const response = await fetch(path, { ...init, headers }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ServiceError(0, [{ code: 'unreached', message: 'the service does not answer' }]);
  });
  const body = (await response.json().catch(() => undefined)) as { errors?: ErrorItem[] } | undefined;
  // The connection may be lost in the middle of an answer.
  if (response.ok && body === undefined)
    throw new ServiceError(0, [{ code: 'unreached', message: 'the answer of the service was cut off' }]);
  if (response.ok) return body as Answer;
  const errors = body?.errors ?? [{ code: 'unknown', message: `the service answered ${response.status}` }];
  const ofIdentity = errors.find(({ code }) => code.startsWith('auth::'));
  if (ofIdentity !== undefined) tokenAsked(ofIdentity.message);
  throw new ServiceError(response.status, errors);
}
