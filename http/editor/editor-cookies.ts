/**
 * Cookies of the editor. A browser sends every cookie of this host with each request: sessions of a proxy in front,
 * of other services of the same name.
 *
 * C1. The editor gets the cookies it has set, and no other: each is kept by the browser under a name that begins with
 *     `mcs_editor_`, and given back without it.
 * C2. What it sets is for its own paths: neither for other hosts nor for other routes of this service.
 */

import { EDITOR_PREFIX } from './editor-path.ts';

const PREFIX = 'mcs_editor_';
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const OURS = /^(?:domain|path)\s*(?:=|$)/i;

/** The cookies of the editor in `Cookie` headers, as one header; undefined where there is none. */
export function cookiesForEditor(headers: readonly string[]): string | undefined {
  const all = headers.flatMap((header) => header.split(';')).map((cookie) => cookie.trim());
  const own = all.filter((cookie) => cookie.startsWith(PREFIX)).map((cookie) => cookie.slice(PREFIX.length));
  return own.length === 0 ? undefined : own.join('; ');
}

/** A `Set-Cookie` of the editor for the browser; undefined for what is no cookie. */
export function cookieForBrowser(header: string): string | undefined {
  const [cookie = '', ...attributes] = header.split(';').map((part) => part.trim());
  const name = cookie.slice(0, Math.max(0, cookie.indexOf('='))).trim();
  if (!NAME.test(name)) return undefined;
  const kept = attributes.filter((attribute) => attribute !== '' && !OURS.test(attribute));
  return [`${PREFIX}${cookie}`, ...kept, `Path=${EDITOR_PREFIX}/`].join('; ');
}
