/**
 * Tokens of an identity provider: from its token endpoint, kept in this tab, and renewed before they end.
 *
 * S3. Where the provider gave a refresh token, the access token is renewed before it ends; otherwise its end is shown.
 * S5. It is renewed by how long it lives and how long it has been kept: the clock of the browser may be wrong.
 * S4. What was requested for somebody who has signed out meanwhile, or was replaced by somebody else, is not kept.
 */

import { later, now } from './browser-clock.ts';
import { claimsOf, keepToken, keptToken } from './token.ts';

interface Renewal {
  readonly client: string;
  readonly endpoint: string;
  readonly token: string;
  /** When it was kept, ms of the browser. */
  readonly at: number;
}

export interface Tokens {
  readonly access_token?: string;
  readonly id_token?: string;
  readonly refresh_token?: string;
  readonly error?: string;
  readonly error_description?: string;
}

const RENEWAL = 'mcs.renewal';
/** Before the end of a token: a fifth of its life, and no more than a minute. */
const RENEWED_BEFORE_MS = 60_000;
const RENEW_AGAIN_MS = 5_000;
/** Between two renewals, whatever the provider gives. */
const LEAST_PAUSE_MS = 1_000;

/** Renews the token as long as there is a page (S3); `renewed` is called each time. The result ends it. */
export function keepRenewed(renewed: () => void): () => void {
  let cancel = (): void => undefined;
  const plan = (leastMs: number): void => {
    const left = leftMs();
    if (keptRenewal() === undefined || left === undefined) return;
    cancel = later(
      () => void turn(),
      Math.max(leastMs, left.ms - Math.min(RENEWED_BEFORE_MS, left.lifeMs / 5)),
    );
  };
  const turn = async (): Promise<void> => {
    const outcome = await renew();
    if (outcome === 'renewed') {
      renewed();
      plan(LEAST_PAUSE_MS);
    } else if (outcome === 'later') cancel = later(() => void turn(), RENEW_AGAIN_MS);
  };
  plan(0);
  return () => cancel();
}

/** Nobody is signed in any more in this tab. */
export function signOut(): void {
  keepToken(undefined);
  sessionStorage.removeItem(RENEWAL);
}

async function renew(): Promise<'renewed' | 'later' | 'over'> {
  const renewal = keptRenewal();
  const before = keptToken();
  if (renewal === undefined || before === undefined) return 'over';
  const { client, endpoint, token } = renewal;
  try {
    const asked = { grant_type: 'refresh_token', client_id: client, refresh_token: token };
    const tokens = await tokensFrom(endpoint, asked);
    if (keptToken() !== before || keptRenewal()?.token !== token) return 'over';
    keepTokens({ refresh_token: token, ...tokens }, { client, endpoint });
    return 'renewed';
  } catch (error) {
    if (!(error instanceof Refused)) return 'later';
    if (keptRenewal()?.token === token) sessionStorage.removeItem(RENEWAL);
    return 'over';
  }
}

/** S5; one that does not say when its life began is taken at its word. */
function leftMs(): { ms: number; lifeMs: number } | undefined {
  const { exp, iat } = claimsOf(keptToken());
  if (typeof exp !== 'number') return undefined;
  if (typeof iat !== 'number') return { ms: exp * 1_000 - now(), lifeMs: RENEWED_BEFORE_MS };
  const lifeMs = (exp - iat) * 1_000;
  const keptMs = now() - (keptRenewal()?.at ?? now());
  return { ms: lifeMs - Math.max(0, keptMs), lifeMs };
}

class Refused extends Error {}

export async function tokensFrom(endpoint: string, asked: Record<string, string>): Promise<Tokens> {
  const response = await fetch(endpoint, { method: 'POST', body: new URLSearchParams(asked) }).catch(() => {
    throw new Error('the identity provider does not answer: sign in again');
  });
  const tokens = (await response.json().catch(() => ({}))) as Tokens;
  if (!response.ok || typeof tokens.access_token !== 'string')
    throw new Refused(
      `the identity provider gave no token: ${tokens.error_description ?? tokens.error ?? response.status}`,
    );
  return tokens;
}

/** From now on this tab shows them. */
export function keepTokens(
  { access_token, refresh_token }: Tokens,
  place: { readonly client: string; readonly endpoint: string },
): void {
  keepToken(access_token);
  if (refresh_token === undefined) return sessionStorage.removeItem(RENEWAL);
  const { client, endpoint } = place;
  sessionStorage.setItem(RENEWAL, JSON.stringify({ client, endpoint, token: refresh_token, at: now() }));
}

function keptRenewal(): Renewal | undefined {
  return JSON.parse(sessionStorage.getItem(RENEWAL) ?? 'null') ?? undefined;
}
