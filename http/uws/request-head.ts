/**
 * Everything of a uWebSockets.js request that outlives its callback: copied at once, because the request object is
 * gone after the first await.
 *
 * U4. A head with a repeated `content-length`, `host` or identity header is malformed: two readers could disagree on
 *     where the request ends or who sent it (request smuggling).
 * U11. A page of another origin is refused: a browser would send a telecommand for it with the reach of whoever opened
 *      the page, and where the body looks like a form, without asking first. So is a malformed host of this service's
 *      (`http/hosts.ts`).
 */

import type { HttpRequest } from 'uWebSockets.js';
import type { Credentials } from '../identity.ts';
import type { Conditions } from '../served-content.ts';

export interface RequestHead {
  readonly params: Readonly<Record<string, string>>;
  readonly query: string;
  readonly credentials: Credentials;
  /** What it says of the version and the part of content it wants; undefined: nothing. */
  readonly conditions: Conditions | undefined;
  /** Media types that the client takes; undefined: any. */
  readonly accept: string | undefined;
  /** Undefined without the header (no body, or a chunked one). */
  readonly contentLength: number | undefined;
  /** Names of headers that may stand once and stand more often. */
  readonly repeated: readonly string[];
  /** Characters of the headers and the query, each a byte. */
  readonly bytes: number;
  /** The host that was called. */
  readonly host: string | undefined;
  /** The origin of the page that made the request. */
  readonly origin: string | undefined;
}

const BEARER = /^bearer +(.*)$/i;
const NONE: readonly string[] = [];
/** Colon, space and the end of the line. */
const SEPARATORS = 4;

/** The head; `names` are the parameters in the order of the path. */
export function readHead(req: HttpRequest, names: readonly string[]): RequestHead {
  const params: Record<string, string> = {};
  for (let index = 0; index < names.length; index += 1) params[names[index]!] = req.getParameter(index) ?? '';
  const headers = new SingleHeaders();
  req.forEach((name, value) => {
    headers.take(name, value);
  });
  // Typed as a string, and undefined when the target has no `?`.
  const query = req.getQuery() ?? '';
  return {
    params,
    query,
    bytes: headers.bytes + query.length,
    credentials: {
      token: bearer(headers.authorization),
      user: headers.user ?? '',
      roles: headers.roles ?? '',
    },
    conditions: conditionsIn(headers),
    accept: headers.accept,
    contentLength: headers.length === undefined ? undefined : Number(headers.length),
    repeated: headers.repeated,
    host: headers.host,
    origin: headers.origin,
  };
}

/** Plain fields instead of a map: this runs for every header of every request. */
class SingleHeaders {
  authorization: string | undefined;
  user: string | undefined;
  roles: string | undefined;
  length: string | undefined;
  host: string | undefined;
  origin: string | undefined;
  range: string | undefined;
  ifRange: string | undefined;
  ifNoneMatch: string | undefined;
  accept: string | undefined;
  repeated = NONE;
  bytes = 0;

  take(name: string, value: string): void {
    this.bytes += name.length + value.length + SEPARATORS;
    if (name === 'host') this.host = this.#once(name, this.host, value);
    else if (name === 'content-length') this.length = this.#once(name, this.length, value);
    else if (name === 'authorization') this.authorization = this.#once(name, this.authorization, value);
    else if (name === 'x-mcs-user') this.user = this.#once(name, this.user, value);
    else if (name === 'origin') this.origin = this.#once(name, this.origin, value);
    else if (name === 'x-mcs-role') this.roles = this.#once(name, this.roles, value);
    else if (name === 'accept') this.accept = this.accept === undefined ? value : `${this.accept},${value}`;
    else if (name === 'range') this.range = value;
    else if (name === 'if-range') this.ifRange = value;
    else if (name === 'if-none-match') this.ifNoneMatch = value;
  }

  #once(name: string, earlier: string | undefined, value: string): string {
    if (earlier !== undefined) this.repeated = [...this.repeated, name];
    return value;
  }
}

function conditionsIn({ range, ifRange, ifNoneMatch }: SingleHeaders): Conditions | undefined {
  if (range === undefined && ifNoneMatch === undefined) return undefined;
  return { range, ifRange, ifNoneMatch };
}

/** Other schemes belong to proxies in front of the service. */
function bearer(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
}
