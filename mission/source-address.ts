/**
 * Where something may come from: `192.0.2.7`, `192.0.2.7:5000`, `192.0.2.0/24`, and the same in IPv6 with brackets
 * before a port. Names are not taken: what they resolve to changes, and is asked of others.
 */

import { isIP } from 'node:net';

export interface SourceAddress {
  readonly address: string;
  readonly family: 'ipv4' | 'ipv6';
  /** Absent: any port. */
  readonly port?: number;
  /** Leading bits that count; absent: all. */
  readonly prefix?: number;
}

/** Undefined for anything else. */
export function readSourceAddress(text: string): SourceAddress | undefined {
  const network = /^([^/]+)\/(\d{1,3})$/.exec(text);
  if (network !== null) {
    const source = addressOf(network[1]!);
    const prefix = Number(network[2]);
    return source !== undefined && prefix <= (source.family === 'ipv4' ? 32 : 128)
      ? { ...source, prefix }
      : undefined;
  }
  const withPort = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text);
  if (withPort === null) return addressOf(text);
  const source = addressOf(withPort[1] ?? withPort[2]!);
  const port = Number(withPort[3]);
  return source !== undefined && port >= 1 && port <= 65_535 ? { ...source, port } : undefined;
}

function addressOf(text: string): SourceAddress | undefined {
  const version = isIP(text);
  return version === 0 ? undefined : { address: text, family: version === 4 ? 'ipv4' : 'ipv6' };
}
