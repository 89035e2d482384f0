/**
 * Under which names a server may be called. Against DNS rebinding: a page of a stranger lets its own name resolve to
 * this machine, and the browser then takes this service for that page's origin. Mission Control Service, section 5; RF
 * Bench Service, section 5.
 *
 * H1. Allowed are the loopback names, the address it listens on, and what `--allow-host` names. Where it listens on
 *     every address, any address in digits is allowed too: no name has to resolve for it, so it cannot be rebound.
 * H2. A request without Host passes: no browser makes one.
 * H3. A page may call when its origin is the host it called, or is named by `--allow-host`: behind a proxy that ends
 *     TLS or rewrites Host the two differ.
 */

import { isIP } from 'node:net';
import { isLoopback } from '../contract/loopback.ts';

const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);
/** A name or an address, with or without port. */
const HOST = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_])?)\.?(:\d{1,5})?$/;

/** Throws a sentence on what is no host: a URL, a pattern, a list. */
function readAllowedHost(text: string): string {
  const host = isIP(text) === 6 ? `[${text}]` : text.toLowerCase();
  if (HOST.test(host)) return host;
  throw new Error(
    `--allow-host takes a name or an address as browsers send it, for example mission.example.org or mission.example.org:8443, not ${JSON.stringify(text)}`,
  );
}

export class AllowedHosts {
  readonly #bound: string;
  readonly #named: ReadonlySet<string>;
  /** The one that was allowed last: nearly always the same again. */
  #last: string | undefined;

  constructor(bound: string, named: readonly string[] = []) {
    this.#bound = bound.toLowerCase();
    this.#named = new Set(named.map(readAllowedHost));
  }

  /** Whether a request may name this host (H1, H2). */
  allows(host: string | undefined): boolean {
    if (host === undefined || host === this.#last) return true;
    if (!this.#knows(host.toLowerCase())) return false;
    this.#last = host;
    return true;
  }

  /** Whether a page of this origin may call a service that it reached as `host` (H3). */
  allowsOrigin(origin: string, host: string | undefined): boolean {
    if (!URL.canParse(origin)) return false;
    const from = new URL(origin).host;
    return (from !== '' && from === host?.toLowerCase()) || this.#named.has(from);
  }

  #knows(host: string): boolean {
    if (!HOST.test(host)) return false;
    const name = nameOf(host);
    if (this.#named.has(host) || this.#named.has(name)) return true;
    const address = name.replace(/^\[|\]$/g, '');
    if (isLoopback(address) || address === this.#bound) return true;
    return EVERY_ADDRESS.has(this.#bound) && isIP(address) !== 0;
  }
}

/** Without port, and without the dot that ends a full name. */
function nameOf(host: string): string {
  return host.replace(/:\d{1,5}$/, '').replace(/\.$/, '');
}
