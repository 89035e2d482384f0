/**
 * How a process proves itself to the bus: the token of the embedded server, or whatever an external server asks.
 * Mission Control Service, section 4.9.
 *
 * It does not sign anything (`identity.ts`).
 */

import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'nats';
import { credsAuthenticator, jwtAuthenticator } from 'nats';

export interface JwtCredentials {
  readonly kind: 'jwt';
  readonly jwt: string;
  /** Seed of the user key, secret. */
  readonly seed: string;
}

export type Credentials =
  | JwtCredentials
  /** A credentials file, read anew at each connection so that it can be renewed in place. */
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'user'; readonly user: string; readonly password: string }
  | { readonly kind: 'token'; readonly token: string };

/**
 * What the client needs to reach and convince the servers of `url`: one or several `nats://` or `tls://` addresses
 * with commas between; `user:password@` in the first stands for credentials. Throws on any other address.
 */
export function serverOptions(url: string, credentials?: Credentials): Partial<ConnectionOptions> {
  const addresses = url.split(',').map((text) => parseAddress(text.trim()));
  const [first] = addresses;
  const given = credentials ?? (first === undefined ? undefined : userOf(first));
  return {
    servers: addresses.map((address) => address.host),
    ...(addresses.some((address) => address.protocol === 'tls:') ? { tls: {} } : {}),
    ...(given === undefined ? {} : proof(given)),
  };
}

function parseAddress(text: string): URL {
  const address = URL.canParse(text) ? new URL(text) : undefined;
  if (address === undefined || !['nats:', 'tls:'].includes(address.protocol) || address.hostname === '')
    throw new TypeError(
      `not a bus address: ${JSON.stringify(text)}; write nats://host:port or tls://host:port`,
    );
  if (address.port === '') address.port = '4222';
  return address;
}

function userOf({ username, password }: URL): Credentials | undefined {
  if (username === '') return undefined;
  const user = decodeURIComponent(username);
  if (password === '') return { kind: 'token', token: user };
  return { kind: 'user', user, password: decodeURIComponent(password) };
}

function proof(credentials: Credentials): Partial<ConnectionOptions> {
  switch (credentials.kind) {
    case 'jwt':
      return { authenticator: jwtAuthenticator(credentials.jwt, new TextEncoder().encode(credentials.seed)) };
    case 'file':
      return { authenticator: (nonce) => credsAuthenticator(readFileSync(credentials.path))(nonce) };
    case 'user':
      return { user: credentials.user, pass: credentials.password };
    case 'token':
      return { token: credentials.token };
  }
}
