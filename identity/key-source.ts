/**
 * Where the public keys of the provider are read: a file of the mission, an address, or the address that the metadata
 * of the issuer names (OpenID Connect Discovery 1.0, section 4). Mission Control Service, section 5 item 2.
 *
 * U1. Only what the settings name is asked: no redirection is followed, and metadata of another issuer counts for
 *     nothing.
 * U2. An answer that is late or large counts as no answer; so does what is no plain file: reading one may never end.
 */

import { readFile, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { AUTH_DOCUMENT_BYTES, AUTH_FETCH_MS } from '../contract/limits/auth.ts';
import type { Clock } from '../ports/clock.ts';
import type { KeyLocation } from './provider.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface KeySourcePorts {
  readonly clock: Clock;
  readonly fetch: Fetch;
  /** Where a relative file is found. */
  readonly missionFolder: string | undefined;
}

/** Reads the key set document at that place; rejects with a sentence for people. */
export function keySource(place: KeyLocation, ports: KeySourcePorts): () => Promise<unknown> {
  switch (place.kind) {
    case 'file':
      return () => readKeyFile(place.path, ports.missionFolder);
    case 'url':
      return () => fetchJson(place.url, ports);
    case 'issuer':
      return async () => fetchJson(await discover(place.issuer, ports), ports);
  }
}

async function readKeyFile(path: string, folder: string | undefined): Promise<unknown> {
  if (!isAbsolute(path) && folder === undefined)
    throw new Error(`${path} is relative to the mission folder, and this process has none`);
  const file = isAbsolute(path) ? path : join(folder!, path);
  const unreadable = (error: NodeJS.ErrnoException): never => {
    throw new Error(`${file} cannot be read (${error.code ?? error.message})`);
  };
  const found = await stat(file).catch(unreadable);
  if (!found.isFile()) throw new Error(`${file} is no plain file`);
  if (found.size > AUTH_DOCUMENT_BYTES)
    throw new Error(`${file} is larger than ${AUTH_DOCUMENT_BYTES} bytes`);
  return parse(await readFile(file, 'utf8').catch(unreadable), file);
}

/** The address of the keys. */
async function discover(issuer: string, ports: KeySourcePorts): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const metadata = (await fetchJson(url, ports)) as { issuer?: unknown; jwks_uri?: unknown } | null;
  if (metadata?.issuer !== issuer) throw new Error(`${url} is not of issuer ${issuer}`);
  if (typeof metadata.jwks_uri !== 'string') throw new Error(`${url} names no jwks_uri`);
  return metadata.jwks_uri;
}

async function fetchJson(url: string, { clock, fetch }: KeySourcePorts): Promise<unknown> {
  const late = new AbortController();
  const timer = clock.setTimeout(() => late.abort(), AUTH_FETCH_MS);
  try {
    const response = await fetch(url, {
      signal: late.signal,
      redirect: 'manual',
      headers: { accept: 'application/json, application/jwk-set+json' },
    });
    if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
    return parse(await boundedText(response, url), url);
  } catch (error) {
    if (late.signal.aborted)
      throw new Error(`${url} did not answer within ${AUTH_FETCH_MS / 1_000} s`, { cause: error });
    if (error instanceof TypeError)
      throw new Error(`${url} cannot be reached (${reasonOf(error)})`, { cause: error });
    throw error;
  } finally {
    clock.clearTimeout(timer);
  }
}

/** `fetch` says only that it failed; its cause says why. */
function reasonOf({ cause, message }: TypeError): string {
  return (cause as NodeJS.ErrnoException | undefined)?.code ?? message;
}

async function boundedText(response: Response, url: string): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > AUTH_DOCUMENT_BYTES) throw new Error(`${url} is larger than ${AUTH_DOCUMENT_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

function parse(text: string, from: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${from} is not JSON`, { cause });
  }
}
