/** One request to the service; what it refuses is printed as it says it. */

import type { Fault } from '../contract/errors.ts';
import { parseExact } from '../contract/exact-json.ts';
import { printable } from './printable.ts';
import { identityHeaders, type Service } from './service.ts';

export type Answered<Reply> =
  | { readonly ok: true; readonly reply: Reply }
  | { readonly ok: false; readonly status: number; readonly faults: readonly Fault[] };

/** How a connection ends over which a request may have gone; with any other error none was there. */
const LOST = ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'].concat(
  'UND_ERR_SOCKET',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
);

/** The service did not answer; `mayBeTaken`: it may have received the request all the same. */
export class Unanswered extends Error {
  readonly mayBeTaken: boolean;

  constructor(message: string, mayBeTaken: boolean) {
    super(message);
    this.mayBeTaken = mayBeTaken;
  }
}

/** The reply, or undefined after the refusal has been printed; throws when the service cannot be reached. */
export async function request<Reply>(
  service: Service,
  method: string,
  path: string,
  body?: unknown,
): Promise<Reply | undefined> {
  const answer = await ask<Reply>(service, method, path, body);
  if (answer.ok) return answer.reply;
  for (const fault of answer.faults) process.stderr.write(`${faultLine(fault)}\n`);
  return undefined;
}

/** The reply or the refusal; throws when the service cannot be reached, and at the signal. */
export async function ask<Reply>(
  service: Service,
  method: string,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<Answered<Reply>> {
  const response = await fetch(service.api + path, {
    method,
    ...(signal !== undefined && { signal }),
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...identityHeaders(service),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch((error: { cause?: { code?: string } }) => {
    const mayBeTaken = LOST.includes(error.cause?.code ?? '');
    const done = method === 'GET' ? '' : ': what was asked for may have been done';
    throw new Unanswered(
      mayBeTaken
        ? `the connection to ${service.api} was lost before it answered${done}`
        : `the service at ${service.api} does not answer; is it running? (--api URL or MCS_API)`,
      mayBeTaken,
    );
  });
  // Done, and nothing more to say of it.
  if (response.status === 204) return { ok: true, reply: undefined as Reply };
  const reply = await exactly(response).catch(() => {
    const said = `${service.api} answered ${response.status} without JSON; is this the service? (--api URL or MCS_API)`;
    throw new Unanswered(said, true);
  });
  if (response.ok) return { ok: true, reply: reply as Reply };
  return { ok: false, status: response.status, faults: (reply as { errors: Fault[] }).errors };
}

async function exactly(response: Response): Promise<unknown> {
  return parseExact(await response.text());
}

/** What a refusal repeats may come from a document or a gateway: no control character of it reaches the terminal. */
export function faultLine({ code, message, help }: Fault): string {
  return printable(`${code}: ${message}${help === undefined ? '' : ` (${help})`}`);
}
