/**
 * Who is calling. Mission Control Service, section 5: a bearer token, or the declared identity of `X-Mcs-User` and
 * `X-Mcs-Role`. What a caller may do is decided elsewhere; whether a token is good, by `Tokens`.
 *
 * I1. A token decides alone: beside it, declared headers are not read (MC-AUTH-027).
 * I2. With `auth.required` nothing declared counts.
 * I3. A name that passes here may stand in a header of the bus, and is no longer than that of a token.
 * I4. Without a token everything is decided at once: no request waits for an identity it does not claim.
 * I5. Nobody declares a name that the service gives its own launches: who runs as an alarm takes targets from others. A
 *     token whose subject is such a name is refused where tokens are checked (identity/verification.V5).
 */

import { isNameOfService } from '../contract/auth.ts';
import { textOfHeader } from '../contract/header-text.ts';
import { AUTH_CLOCK_TOLERANCE_MS, AUTH_SUBJECT_CHARACTERS } from '../contract/limits/auth.ts';
import type { Settings } from '../mission/mission.ts';
import type { Tokens } from '../ports/tokens.ts';
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

/** The caller; refuses a token that is not good, and a missing one where tokens are required. */
export function identify(
  credentials: Credentials,
  settings: Settings | undefined,
  tokens: Tokens,
): Promise<Handled<Caller>> | Handled<Caller> {
  if (credentials.token !== undefined) return verified(credentials.token, tokens);
  if (settings?.auth.required === true) {
    return refuse('auth::token-required', 'this service requires a bearer token', {
      help: 'Send Authorization: Bearer <token>; a WebSocket takes ?token=<token>.',
    });
  }
  return declared(credentials);
}

/** The name of the caller as the bus carries it; undefined for an anonymous one. */
export function nameOf(caller: Caller): string | undefined {
  return caller.kind === 'anonymous' ? undefined : caller.name;
}

async function verified(token: string, tokens: Tokens): Promise<Handled<Caller>> {
  const outcome = await tokens.verify(token);
  if (!outcome.ok) return outcome;
  const { name, roles, expiresAt } = outcome.value;
  const untilMs = expiresAt + AUTH_CLOCK_TOLERANCE_MS;
  return { ok: true, value: { kind: 'verified', name, roles, token, untilMs } };
}

function declared({ user, roles }: Credentials): Handled<Caller> {
  const name = textOfHeader(user)?.trim();
  if (name === undefined) return unreadable('X-Mcs-User');
  if (name === '') return ANONYMOUS;
  if (CONTROL.test(name)) return unusable('X-Mcs-User', 'contains control characters');
  if (name.length > AUTH_SUBJECT_CHARACTERS)
    return unusable('X-Mcs-User', `is longer than ${AUTH_SUBJECT_CHARACTERS} characters`);
  if (isNameOfService(name)) return unusable('X-Mcs-User', 'is reserved for the service');
  const said = textOfHeader(roles);
  if (said === undefined) return unreadable('X-Mcs-Role');
  if (CONTROL.test(said)) return unusable('X-Mcs-Role', 'contains control characters');
  return { ok: true, value: { kind: 'declared', name, roles: roleList(said) } };
}

/** header-text.N1 */
function unreadable(header: string): Handled<never> {
  return unusable(
    header,
    "is neither printable ASCII nor percent-encoded UTF-8 behind UTF-8'' (UTF-8''Jos%C3%A9)",
  );
}

function unusable(header: string, why: string): Handled<never> {
  return refuse('api::invalid-body', `header ${header} ${why}`, { path: header });
}

function roleList(text: string): readonly string[] {
  return text === '' ? [] : text.split(',').flatMap((role) => role.trim() || []);
}
