/** Requests to the bench the page came from, and its refusals as `ApiErrorDRO`. RF Bench Service, section 7. */

import type { ApiError } from '../../contract/bench/errors.ts';
import { keptToken, tokenAsked } from '../token.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The bench refused; `status` 0: it was not reached. */
export class BenchRefusal extends Error {
  readonly status: number;
  readonly refusal: Partial<ApiError>;

  constructor(status: number, refusal: Partial<ApiError> & { readonly message: string }) {
    super(refusal.message);
    this.name = 'BenchRefusal';
    this.status = status;
    this.refusal = refusal;
  }
}

/** Longer than the slowest read of a board; silence beyond it is a lost connection. */
const READ_MS = 8_000;

let reached: (isReached: boolean) => void = () => undefined;

/** Calls with true at each answer of the service, and with false where none came. */
export function whenAnswered(listener: (isReached: boolean) => void): void {
  reached = listener;
}

/** The answer of a GET; rejects with `BenchRefusal`. */
export function read<Answer>(path: string): Promise<Answer> {
  return send<Answer>(path, { signal: AbortSignal.timeout(READ_MS) });
}

/** The answer to an action, however long it takes; bytes go as they are. Rejects with `BenchRefusal`. */
export function act<Answer>(
  method: Method,
  path: string,
  body?: object | Uint8Array<ArrayBuffer>,
): Promise<Answer> {
  if (body === undefined) return send<Answer>(path, { method });
  const isBytes = body instanceof Uint8Array;
  const type = isBytes ? 'application/octet-stream' : 'application/json';
  return send<Answer>(path, {
    method,
    body: isBytes ? body : JSON.stringify(body),
    headers: { 'content-type': type },
  });
}

async function send<Answer>(path: string, init: RequestInit): Promise<Answer> {
  const token = keptToken();
  const headers = { ...init.headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
  const response = await fetch(path, { ...init, headers }).catch(() =>
    unreached('the bench does not answer'),
  );
  const text = await response.text().catch(() => unreached('the answer of the bench was cut off'));
  reached(true);
  const body = parsed(text);
  if (response.ok) return body as Answer;
  const { message = `the bench answered ${response.status}`, ...refusal } = (body ?? {}) as Partial<ApiError>;
  if (refusal.code === 'unauthorized') tokenAsked(message);
  throw new BenchRefusal(response.status, { ...refusal, message });
}

function unreached(message: string): never {
  reached(false);
  throw new BenchRefusal(0, { message });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
