/**
 * Who a bearer token speaks for, as code needs it. Mission Control Service, section 5 items 2 and 3. `identity/` checks
 * tokens; whoever judges a caller or an answer is given this.
 */

import type { Result } from '../contract/result.ts';

export interface VerifiedToken {
  /** The subject: the identity. */
  readonly name: string;
  /** With the prefix removed. */
  readonly roles: readonly string[];
  /** End of its validity, ms since 1970. */
  readonly expiresAt: number;
}

export interface TokenFault {
  readonly code: 'auth::no-provider' | 'auth::invalid-token';
  readonly message: string;
  readonly help: string;
}

export interface Tokens {
  /** The identity of a token; refuses with `auth::no-provider` when none is configured, else `auth::invalid-token`. */
  verify(token: string): Promise<Result<VerifiedToken, TokenFault>>;
}

/** As those need it who let somebody in for longer than a request. */
export interface AccessTokens extends Tokens {
  /** Calls the listener when what was verified, or needed no token, may be refused from now on; the result ends it. */
  onChange(listener: () => void): () => void;
}
