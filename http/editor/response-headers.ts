/**
 * What a client gets of the head of an answer of the editor. Mission Control Service, section 4.9.
 *
 * A1. The editor answers for its own paths. What would hold for every route of this service is left out: service
 *     workers beyond its paths, CORS, cookies of other paths, instructions about the whole origin; and challenges,
 *     since the credentials that a browser would ask its person for do not pass.
 * A2. A redirect to the configured address becomes one to the place under which clients reach it.
 */

import { cookieForBrowser } from './editor-cookies.ts';
import { EDITOR_PREFIX } from './editor-path.ts';
import { type Fields, listed, valuesOf } from './request-headers.ts';

/** Of one connection (RFC 9110, section 7.6.1), or written by the server here. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** A1 */
const OF_THE_ORIGIN =
  /^(?:accept-ch$|access-control-|alt-svc$|clear-site-data$|critical-ch$|expect-ct$|nel$|origin-agent-cluster$|public-key-pins|report-to$|service-worker-allowed$|set-cookie2$|set-login$|strict-transport-security$|use-as-dictionary$|www-authenticate$|x-mcs-)/;

/** The headers for the client; `raw` is what the editor sent, name and value in turn. */
export function headersForClient(raw: readonly string[], base: URL): Fields {
  const fields = pairsOf(raw);
  const hopByHop = new Set(listed(valuesOf(fields, 'connection')));
  return fields.flatMap(([name, value]) => {
    if (HOP_BY_HOP.has(name) || hopByHop.has(name) || OF_THE_ORIGIN.test(name)) return [];
    const passed = rewritten(name, value, base);
    return passed === undefined ? [] : [[name, passed] as const];
  });
}

function rewritten(name: string, value: string, base: URL): string | undefined {
  if (name === 'set-cookie') return cookieForBrowser(value);
  return name === 'location' || name === 'content-location' ? placeForClient(value, base) : value;
}

/** A2 */
function placeForClient(place: string, base: URL): string {
  const address = base.href.replace(/\/+$/, '');
  if (!place.startsWith(address)) return place;
  const rest = place.slice(address.length);
  return rest === '' || /^[/?#]/.test(rest) ? EDITOR_PREFIX + (rest === '' ? '/' : rest) : place;
}

/** Names in lower case; bytes beyond ASCII are read as UTF-8, as they are written again. */
function pairsOf(raw: readonly string[]): Fields {
  return Array.from({ length: raw.length / 2 }, (_each, index) => {
    const value = raw[2 * index + 1]!;
    return [raw[2 * index]!.toLowerCase(), Buffer.from(value, 'latin1').toString()] as const;
  });
}
