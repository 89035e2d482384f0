/**
 * Static content the service serves itself: a fixed list of paths, each with its bytes. Nothing of a request chooses a
 * file, so there is no path to traverse. Ours; the specification knows no pages.
 *
 * P1. A page carries no data of the mission: it asks the API for that, with the identity of whoever opened it. It is
 *     therefore served without one.
 * P2. Nothing comes from another origin and no script or style stands in the text (`CONSOLE_POLICY`).
 * P4. A page that signs in talks to one more origin, that of the identity provider of the current configuration.
 * P5. An address at which people expect a page that stands elsewhere leads there (308).
 * P3. A body is made once, at its first request; a failure is not kept, and the next request tries again.
 */

import { createHash } from 'node:crypto';
import type { Reply } from '../reply.ts';

/** Scripts, styles, images and connections of this service and nothing else; no frame around it. */
export const CONSOLE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export interface PageDefinition {
  readonly path: string;
  readonly contentType: string;
  readonly body: () => Promise<Uint8Array> | Uint8Array;
  /** Content-Security-Policy, default `CONSOLE_POLICY`. */
  readonly csp?: string;
  /** P4 */
  readonly signsIn?: boolean;
}

export interface Page {
  readonly path: string;
  /**
   * 200 with the body, 308 to where it stands (P5), or 304 when the client names the body it has; rejects when the body
   * cannot be made. `signInAt`: the origin of the identity provider (P4).
   */
  answer(ifNoneMatch: string, signInAt?: string): Promise<Reply>;
}

interface Loaded {
  readonly bytes: Uint8Array;
  readonly etag: string;
}

/** The page; throws at startup unless the path is plain (a pattern would match what nobody listed). */
export function definePage({
  path,
  contentType,
  body,
  csp = CONSOLE_POLICY,
  signsIn = false,
}: PageDefinition): Page {
  if (path !== '/' && (!/^(\/[A-Za-z0-9._-]+)+$/.test(path) || path.includes('..')))
    throw new TypeError(`not a plain path: ${path}`);
  let loading: Promise<Loaded> | undefined;
  const load = (): Promise<Loaded> => {
    loading ??= loaded(body).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  return {
    path,
    async answer(ifNoneMatch, signInAt) {
      const { bytes, etag } = await load();
      const policy =
        signsIn && signInAt !== undefined
          ? csp.replace("connect-src 'self'", `connect-src 'self' ${signInAt}`)
          : csp;
      const headers = { ...HEADERS, etag, 'content-security-policy': policy };
      return { status: isNamed(etag, ifNoneMatch) ? 304 : 200, bytes, contentType, headers };
    },
  };
}

/** An address that people try and that another page has (P5). */
export function movedPage(path: string, to: string): Page {
  const headers = { 'cache-control': 'no-cache', location: to };
  const reply: Reply = { status: 308, bytes: `${to}\n`, contentType: 'text/plain; charset=utf-8', headers };
  return { path, answer: async () => reply };
}

/** Origin of an address of the web; undefined for anything else, which is in no policy. */
export function originOf(address: string | undefined): string | undefined {
  if (address === undefined || !URL.canParse(address)) return undefined;
  const { origin, protocol } = new URL(address);
  return protocol === 'https:' || protocol === 'http:' ? origin : undefined;
}

/** Kept by the browser and asked about each time: a new version is seen at the next load. */
const HEADERS = {
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};

async function loaded(body: PageDefinition['body']): Promise<Loaded> {
  const bytes = await body();
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
}

/** Weak comparison of If-None-Match: proxies that compress mark the tag with `W/`. */
function isNamed(etag: string, ifNoneMatch: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((each) => each.trim().replace(/^W\//, '') === etag);
}
