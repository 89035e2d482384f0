/** Credentials of units on the bus, as the front end needs them. Mission Control Service, section 4.8. */

export interface CredentialOfUnit {
  readonly serial: string;
  /** Only its holder can use the credential. */
  readonly publicKey: string;
  /** ms since 1970; the bus ends the connection then. */
  readonly expiresAtMs: number;
}

export interface UnitCredentials {
  /** Whether a text is a public user key of the bus. */
  isUserKey(text: string): boolean;
  /** A user token for the subjects of that unit alone; absent without a key that signs for units. */
  readonly issue: ((unit: CredentialOfUnit) => Promise<string>) | undefined;
}
