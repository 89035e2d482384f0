/**
 * Roles of a token. Mission Control Service, section 5 item 2: a list, or a string of scopes; only those that carry the
 * prefix of the settings, which is removed.
 *
 * R1. What is no word (a comma, a blank, a control character in it) is no role: roles travel as a list with commas.
 */

import type { JWTPayload } from 'jose';

const DEFAULT_CLAIMS = ['roles', 'scope'] as const;
const WORD = /^[^\s,\p{Cc}]+$/u;

/** The roles, each once; `claim` may be a path with dots (`realm_access.roles`), default `roles` and `scope`. */
export function rolesOf(payload: JWTPayload, claim: string | undefined, prefix: string): readonly string[] {
  const claims = claim === undefined ? DEFAULT_CLAIMS : [claim];
  const named = claims.flatMap((each) => words(claimAt(payload, each)));
  const carrying = named.filter((word) => word.startsWith(prefix)).map((word) => word.slice(prefix.length));
  return [...new Set(carrying.filter((word) => WORD.test(word)))];
}

/** A claim of that whole name comes first: names of claims may be addresses, which have dots. */
function claimAt(payload: JWTPayload, name: string): unknown {
  if (Object.hasOwn(payload, name)) return payload[name];
  return name.split('.').reduce<unknown>((value, step) => memberOf(value, step), payload);
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

/** Some providers give an object whose keys are the roles. */
function words(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.split(/\s+/);
  if (Array.isArray(value)) return value.filter((each) => typeof each === 'string');
  return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}
