/**
 * Canonical JSON (sorted keys, no spaces) and the revision made from it: the same configuration has the same bytes and
 * the same name, whoever compiles it. Mission Control Service, section 9 item 3.
 */

import { createHash } from 'node:crypto';

/** The value as JSON with the keys of every object sorted by code unit; undefined members are left out. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

/** SHA-256 of the canonical JSON, hexadecimal. */
export function revisionOf(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
