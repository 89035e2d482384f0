/**
 * How a process proves itself to the bus: the token of the embedded server, or whatever an external server asks.
 * Mission Control Service, section 4.9.
 *
 * It does not sign anything (`identity.ts`).
 */

import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'nats';
import { credsAuthenticator, jwtAuthenticator } from 'nats';
// Before the authenticators sign.
import './nkeys.ts';

export interface JwtCredentials {
  readonly kind: 'jwt';
  readonly jwt: string;
  /** Seed of the user key, secret. */
  readonly seed: string;
}

export type Credentials =
  | JwtCredentials
  /** A credentials file, read again at each connection so that it can be renewed in place. */
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'user'; readonly user: string; readonly password: string }
  | { readonly kind: 'token'; readonly token: string };

/**
 * What the client needs to reach and convince the servers of `url`: one or several `nats://` or `tls://` addresses with
 * commas between; `user:password@` in the first stands for credentials. `ca` is a file of authorities, and asks for
 * TLS. Throws on any other address.
 */
export function serverOptions(
  url: string,
  credentials?: Credentials,
  ca?: string,
): Partial<ConnectionOptions> {
  const addresses = url.split(',').map((text) => parseAddress(text.trim(), url));
  const [first] = addresses;
  const given = credentials ?? (first === undefined ? undefined : userOf(first));
  return {
    servers: addresses.map((address) => address.host),
    ...tlsOptions(addresses, ca),
    ...(given === undefined ? {} : proof(given)),
  };
}

function tlsOptions(addresses: readonly URL[], ca: string | undefined): Partial<ConnectionOptions> {
  if (ca !== undefined) return { tls: { caFile: ca } };
  return addresses.some(({ protocol }) => protocol === 'tls:') ? { tls: {} } : {};
}

/**
 * The addresses without user, password and token: what may be printed, logged and put into an answer. Text that is no
 * list of addresses loses everything up to its last `@`.
 */
export function withoutSecrets(url: string): string {
  const addresses = url.split(',').map((text) => text.trim());
  if (addresses.every(isAddress)) return addresses.map(bareAddress).join(',');
  return url.includes('@') ? `…@${url.slice(url.lastIndexOf('@') + 1)}` : url;
}

function bareAddress(text: string): string {
  const { protocol, host } = new URL(text);
  return `${protocol}//${host}`;
}

function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname, search, hash } = new URL(text);
  // What follows the port is no part of an address: a password with a slash or a hash ends it early.
  return ['nats:', 'tls:'].includes(protocol) && hostname !== '' && /^\/?$/.test(pathname + search + hash);
}

function parseAddress(text: string, whole: string): URL {
  if (!isAddress(text))
    throw new TypeError(
      `not a bus address: ${JSON.stringify(withoutSecrets(whole))}; write nats://host:port or tls://host:port`,
    );
  const address = new URL(text);
  if (address.port === '') address.port = '4222';
  return address;
}

function userOf({ username, password }: URL): Credentials | undefined {
  if (username === '') return undefined;
  const user = decoded(username);
  if (password === '') return { kind: 'token', token: user };
  return { kind: 'user', user, password: decoded(password) };
}

/** As written where it is no percent-encoding: a password may hold a `%`. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
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
