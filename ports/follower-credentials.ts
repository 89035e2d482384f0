/**
 * Credentials with which a client follows runs and alarms on the bus itself, as the front end needs them. Mission
 * Control Service, section 5 item 8.
 */

export interface Follower {
  /** Only its holder can use the credential. */
  readonly publicKey: string;
  /** Whom the bus sees. */
  readonly name: string;
  /** ms since 1970; the bus ends the connection then. */
  readonly expiresAtMs: number;
}

export interface FollowerCredentials {
  /** Whether a text is a public user key of the bus. */
  isUserKey(text: string): boolean;
  /** A user token that follows and nothing else; absent without an account signing key. */
  readonly issue: ((follower: Follower) => Promise<string>) | undefined;
}
