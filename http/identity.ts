/**
 * Who is calling. Mission Control Service, section 5: a bearer token, or the declared identity of `X-Mcs-User` and
 * `X-Mcs-Role`. What a caller may do is decided elsewhere. No identity provider can be configured yet, so every token
 * is refused.
 *
 * I1. A token decides alone: beside it, declared headers are not read (MC-AUTH-027).
 * I2. With `auth.required` nothing declared counts.
 * I3. A name that passes here may stand in a header of the bus.
 */

import type { Settings } from '../mission/mission.ts';
import type { Caller } from './caller.ts';
import { refuse } from './errors.ts';
import type { Handled } from './reply.ts';

export interface Credentials {
  /** Of `Authorization: Bearer`, or of the query of a WebSocket. */
  readonly token: string | undefined;
  readonly user: string;
  readonly roles: string;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what no header of the bus may carry
const CONTROL = /[\u0000-\u001f\u007f]/;

const ANONYMOUS: Handled<Caller> = { ok: true, value: { kind: 'anonymous' } };

/** The caller; refuses a token that nobody can check, and a missing one where tokens are required. */
export function identify(credentials: Credentials, settings: Settings | undefined): Handled<Caller> {
  if (credentials.token !== undefined) {
    return refuse('auth::no-provider', 'a token was given, and no identity provider is configured', {
      help: 'Call without a token, or configure the provider under auth.',
    });
  }
  if (settings?.auth['required'] === true) {
    return refuse('auth::token-required', 'this service takes only requests with a bearer token', {
      help: 'Send Authorization: Bearer <token>; a WebSocket takes ?token=<token>.',
    });
  }
  return declared(credentials);
}

/** The name of the caller as the bus carries it; undefined for an anonymous one. */
export function nameOf(caller: Caller): string | undefined {
  return caller.kind === 'anonymous' ? undefined : caller.name;
}

function declared({ user, roles }: Credentials): Handled<Caller> {
  const name = user.trim();
  if (name === '') return ANONYMOUS;
  if (CONTROL.test(name)) {
    return refuse('api::invalid-body', 'header X-Mcs-User holds control characters', { path: 'X-Mcs-User' });
  }
  return { ok: true, value: { kind: 'declared', name, roles: roleList(roles) } };
}

function roleList(text: string): readonly string[] {
  return text === '' ? [] : text.split(',').flatMap((role) => role.trim() || []);
}
