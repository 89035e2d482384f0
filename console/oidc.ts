/**
 * Sign-in at the identity provider of the configuration: OpenID Connect, code flow with PKCE (RFC 7636). Mission
 * Control Service, section 5 items 1 and 7.
 *
 * S1. A code counts once, in the tab that asked for it: its state, verifier and nonce are kept there and forgotten
 *     before it is exchanged. What the provider answers stands in the address for no longer than it takes to read it.
 * S2. A token is never in an address, and stays in the tab.
 */

import type { SignInSettings } from '../contract/auth.ts';
import { keepTokens, type Tokens, tokensFrom } from './oidc-tokens.ts';
import { ask } from './service.ts';
import { claimsOf } from './token.ts';

export type Provider = NonNullable<SignInSettings['oidc']> & { readonly client_id: string };

interface Metadata {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly authorization_response_iss_parameter_supported?: boolean;
}

/** What is kept of a sign-in while the provider has the page. */
interface Begun {
  readonly issuer: string;
  readonly client: string;
  readonly endpoint: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** Where the page was: path, query and fragment. */
  readonly place: string;
  readonly saysIssuer: boolean;
}

const BEGUN = 'mcs.sign-in';
/** Views of the document to which the provider answers; the inspector is another one. */
const HERE = '/#';

/** Undefined where the configuration has none, or none for pages. */
export async function signInProvider(): Promise<Provider | undefined> {
  const { oidc } = await ask<SignInSettings>('/v1/auth/config');
  return oidc?.client_id === undefined ? undefined : { ...oidc, client_id: oidc.client_id };
}

/** Leaves the page for that of the provider; throws with what a person can do about it. */
export async function leaveToSignIn(provider: Provider, place: string): Promise<void> {
  const { issuer, client_id, organization, scopes } = provider;
  if (crypto.subtle === undefined)
    throw new Error('this page was not opened over HTTPS: a sign-in needs that');
  const metadata = await metadataOf(issuer);
  const begun: Begun = {
    issuer,
    client: client_id,
    endpoint: metadata.token_endpoint,
    state: randomText(),
    nonce: randomText(),
    verifier: randomText(),
    place,
    saysIssuer: metadata.authorization_response_iss_parameter_supported === true,
  };
  sessionStorage.setItem(BEGUN, JSON.stringify(begun));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(begun.verifier));
  const address = new URL(metadata.authorization_endpoint);
  const asked = {
    response_type: 'code',
    client_id,
    redirect_uri: redirectUri(),
    scope: scopes.join(' '),
    state: begun.state,
    nonce: begun.nonce,
    code_challenge: base64url(new Uint8Array(digest)),
    code_challenge_method: 'S256',
    ...(organization !== undefined && { organization }),
  };
  for (const [name, value] of Object.entries(asked)) address.searchParams.set(name, value);
  location.assign(address);
}

/**
 * What the provider answered, if it did: the token is kept, and the page is where it was. Undefined where there is
 * nothing to finish; else the reason why nobody is signed in, empty when somebody is.
 */
export async function finishSignIn(): Promise<string | undefined> {
  const answer = new URLSearchParams(location.search);
  if (!answer.has('state') || !(answer.has('code') || answer.has('error'))) return undefined;
  const begun = takeBegun();
  history.replaceState(null, '', location.pathname);
  if (begun?.place.startsWith(HERE)) location.hash = begun.place.slice(HERE.length);
  if (begun === undefined || answer.get('state') !== begun.state)
    return 'this sign-in was not begun in this tab: begin it again';
  const issuer = answer.get('iss');
  if (issuer === null ? begun.saysIssuer : issuer !== begun.issuer)
    return `the answer is not from ${begun.issuer}: begin again`;
  const error = answer.get('error');
  if (error !== null) return `the provider refused it: ${answer.get('error_description') ?? error}`;
  try {
    const { client, endpoint, verifier } = begun;
    const tokens = await tokensFrom(endpoint, {
      grant_type: 'authorization_code',
      client_id: client,
      redirect_uri: redirectUri(),
      code: answer.get('code') ?? '',
      code_verifier: verifier,
    });
    const wrong = idTokenFault(tokens, begun);
    if (wrong !== undefined) return wrong;
    keepTokens(tokens, { client, endpoint });
    if (!begun.place.startsWith(HERE)) location.replace(begun.place);
    return '';
  } catch (failure) {
    return failure instanceof Error ? failure.message : String(failure);
  }
}

async function metadataOf(issuer: string): Promise<Metadata> {
  const place = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const response = await fetch(place).catch(() => {
    throw new Error(`the identity provider ${issuer} does not answer`);
  });
  const metadata = (await response.json().catch(() => ({}))) as Partial<Metadata>;
  if (metadata.issuer !== issuer) throw new Error(`${place} is not the metadata of ${issuer}`);
  return metadata as Metadata;
}

/** OpenID Connect Core 3.1.3.7: it came from the provider itself, so that its signature need not be checked. */
function idTokenFault({ id_token }: Tokens, { issuer, client, nonce }: Begun): string | undefined {
  const claims = claimsOf(id_token);
  const audience = [claims['aud']].flat();
  const fits = claims['iss'] === issuer && audience.includes(client) && claims['nonce'] === nonce;
  return fits ? undefined : 'the identity token is not for this sign-in: begin again';
}

/** S1 */
function takeBegun(): Begun | undefined {
  const text = sessionStorage.getItem(BEGUN);
  sessionStorage.removeItem(BEGUN);
  return text === null ? undefined : (JSON.parse(text) as Begun);
}

function redirectUri(): string {
  return `${location.origin}/`;
}

/** 256 bits. */
function randomText(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
