/** One request to the service; what it refuses is printed as it says it. */

import type { Fault } from '../contract/errors.ts';
import { identityHeaders, type Service } from './service.ts';

export type Answered<Reply> =
  | { readonly ok: true; readonly reply: Reply }
  | { readonly ok: false; readonly status: number; readonly faults: readonly Fault[] };

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
  }).catch(() => {
    throw new Error(`the service at ${service.api} does not answer; is it running? (--api URL or MCS_API)`);
  });
  // Done, and nothing more to say of it.
  if (response.status === 204) return { ok: true, reply: undefined as Reply };
  const reply: unknown = await response.json().catch(() => {
    throw new Error(
      `${service.api} answered ${response.status} without JSON; is this the service? (--api URL or MCS_API)`,
    );
  });
  if (response.ok) return { ok: true, reply: reply as Reply };
  return { ok: false, status: response.status, faults: (reply as { errors: Fault[] }).errors };
}

/** What a refusal repeats may come from a document or a gateway: no control character of it reaches the terminal. */
export function faultLine({ code, message, help }: Fault): string {
  return `${code}: ${message}${help === undefined ? '' : ` (${help})`}`.replace(/\p{Cc}/gu, '.');
}
