/** One request to the service; what it refuses is printed as it says it. */

import type { Fault } from '../contract/errors.ts';

interface Asked {
  readonly body?: unknown;
  readonly user?: string | undefined;
}

/** The reply, or undefined after the refusal has been printed; throws when the service cannot be reached. */
export async function request<Reply>(
  api: string,
  method: string,
  path: string,
  { body, user }: Asked = {},
): Promise<Reply | undefined> {
  const headers = {
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(user !== undefined && { 'x-mcs-user': user }),
  };
  const response = await fetch(api + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new Error(`the service at ${api} does not answer; is it running? (--api URL or MCS_API)`);
  });
  const reply: unknown = await response.json();
  if (response.ok) return reply as Reply;
  for (const { code, message, help } of (reply as { errors: Fault[] }).errors) {
    process.stderr.write(`${code}: ${message}${help === undefined ? '' : ` (${help})`}\n`);
  }
  return undefined;
}
