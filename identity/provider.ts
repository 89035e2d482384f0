/**
 * What the settings say of the identity provider, as checking a token needs it. Mission Control Service, section 5 item
 * 2.
 *
 * P1. There is a provider only where issuer and audience are known: a signature alone says that somebody signed in
 *     somewhere.
 */

import type { AuthSettings } from '../mission/mission.ts';

export interface Provider {
  readonly issuer: string;
  /** One of them must be among those the token is for. */
  readonly audiences: readonly string[];
  readonly keys: KeyLocation;
  /** Undefined: `roles` and `scope`. */
  readonly rolesClaim: string | undefined;
  /** Empty: every role counts. */
  readonly rolesPrefix: string;
}

/** Where the public keys are; `issuer`: where the metadata of the issuer says. */
export type KeyLocation =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'issuer'; readonly issuer: string };

/** The provider of the settings; undefined when none is configured. */
export function providerOf(auth: AuthSettings): Provider | undefined {
  const { issuer } = auth;
  const audiences = audiencesOf(auth);
  if (issuer === undefined || audiences.length === 0) return undefined;
  return {
    issuer,
    audiences,
    keys: keyPlaceOf(auth, issuer),
    rolesClaim: auth.roles_claim,
    rolesPrefix: auth.roles_prefix ?? '',
  };
}

/** The audience of the service, else its own clients: what they are given may be shown to it. */
function audiencesOf({ audience, client_id, cli_client_id }: AuthSettings): readonly string[] {
  if (audience !== undefined) return [audience];
  return [client_id, cli_client_id].filter((client) => client !== undefined);
}

function keyPlaceOf({ jwks_file, jwks_url }: AuthSettings, issuer: string): KeyLocation {
  if (jwks_file !== undefined) return { kind: 'file', path: jwks_file };
  return jwks_url !== undefined ? { kind: 'url', url: jwks_url } : { kind: 'issuer', issuer };
}
