/**
 * Why the bus is not reached, in words that lead to the remedy: a server that refuses credentials is there, and is not
 * the same as one that is absent. Nothing of it holds a password.
 */

import { ErrorCode, NatsError } from 'nats';

export interface Unreached {
  readonly reason: string;
  /** The server is there and does not let this process in: asking often makes nothing better. */
  readonly refused: boolean;
}

const REFUSALS: ReadonlySet<string> = new Set([
  ErrorCode.AuthorizationViolation,
  ErrorCode.AuthenticationExpired,
  ErrorCode.AuthenticationTimeout,
  ErrorCode.AccountExpired,
  ErrorCode.PermissionsViolation,
]);

/**
 * What the error of a dial, or of a connection that came back, means for whoever runs the process; `given`: it has
 * credentials.
 */
export function unreached(error: unknown, given: boolean): Unreached {
  const code = error instanceof NatsError ? error.code : undefined;
  const message = error instanceof Error ? error.message : String(error);
  if (code !== undefined && REFUSALS.has(code) && !given) {
    return {
      reason: `the server asks for credentials and none are given (${code}): name a file with --credentials; an embedded bus leaves service.creds in its state folder`,
      refused: true,
    };
  }
  if (code !== undefined && REFUSALS.has(code)) {
    return {
      reason: `the server refused the credentials (${code}): check the user and password, or the credentials file`,
      refused: true,
    };
  }
  if (code === ErrorCode.ConnectionRefused) return { reason: 'nothing listens there', refused: false };
  if (code === ErrorCode.Timeout || code === ErrorCode.ConnectionTimeout)
    return { reason: 'it does not answer', refused: false };
  return { reason: message, refused: false };
}

/** Whether an error that the client reports while it is connecting again is a refusal of the credentials. */
export function isRefusal(code: unknown): boolean {
  return typeof code === 'string' && REFUSALS.has(code) && code !== ErrorCode.PermissionsViolation;
}
