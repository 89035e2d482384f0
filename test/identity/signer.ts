/** Tokens as a provider makes them, and as somebody who is none does. */

import { exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose';

/** `undefined` takes a parameter away. */
type Header = { readonly [Name in keyof JWTHeaderParameters]?: JWTHeaderParameters[Name] | undefined };

export const ISSUER = 'https://id.example/realms/mission';
export const AUDIENCE = 'mission-control';
/** 2026-01-01T00:00:00Z, where the clocks of these tests stand. */
export const NOW_MS = Date.UTC(2026, 0, 1);
export const NOW_S = NOW_MS / 1_000;

export interface Signer {
  /** With `kid`, `alg` and `use`, as providers publish it. */
  readonly jwk: JWK;
  /** A good token of `ada` for an hour; `claims` change it, `undefined` takes one away. */
  token(claims?: Record<string, unknown>, header?: Header): Promise<string>;
}

export async function signer(alg: string, kid = alg): Promise<Signer> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return {
    jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' },
    token: (claims = {}, header = {}) =>
      new SignJWT(claimsOf(claims))
        .setProtectedHeader(JSON.parse(JSON.stringify({ alg, kid, ...header })))
        .sign(privateKey),
  };
}

/** The claims of a good token, changed. */
export function claimsOf(claims: Record<string, unknown> = {}): Record<string, unknown> {
  const good = { iss: ISSUER, aud: AUDIENCE, sub: 'ada', iat: NOW_S, exp: NOW_S + 3_600 };
  const all = Object.entries({ ...good, ...claims });
  return Object.fromEntries(all.filter(([, value]) => value !== undefined));
}
