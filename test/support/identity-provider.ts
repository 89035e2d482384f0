/**
 * A real identity provider (`oidc-provider`) on loopback: access tokens as JWTs for a machine (client credentials) and
 * for a person (authorization code with PKCE; whoever asks is signed in as the account in `login_hint`, or by a form).
 */

import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import Provider, { type Context } from 'oidc-provider';
import { freePort } from './free-port.ts';

const RESOURCE = 'urn:mission-control';
export const CLIENTS = { page: 'console', machine: 'flight-dynamics' } as const;
const SECRET = 'a secret of the test';
const REDIRECT = 'http://127.0.0.1/signed-in';

export interface TokenWish {
  readonly audience?: string;
  readonly scope?: string;
  readonly lifeS?: number;
  /** With a refresh token. */
  readonly isRenewable?: boolean;
}

export interface IdentityProvider {
  readonly issuer: string;
  readonly jwksUrl: string;
  /** Of a machine: its subject is `CLIENTS.machine`. */
  machineToken(wish?: TokenWish): Promise<string>;
  /** Of a person who signs in with a browser at `page`, found by the metadata of the issuer. */
  personToken(account: string, wish?: TokenWish): Promise<string>;
  /** What the next tokens of people are to be. */
  wish(wish: TokenWish): void;
  /** New keys, under new names; tokens of before are not signed with any of them. */
  rotate(): Promise<void>;
  /** Nobody answers at its address. */
  leave(): Promise<void>;
  comeBack(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts one for the audience. */
export async function startIdentityProvider(audience: string): Promise<IdentityProvider> {
  let wish: TokenWish = {};
  let handle: ReturnType<Provider['callback']>;
  let provider: Provider;
  const listener: Parameters<typeof createServer>[1] = (req, res) => {
    if (/^\/interaction\/[^?]*$/.test(req.url ?? '')) return void res.end(FORM);
    const account = /^\/interaction\/[^?]*\?account=(.*)$/.exec(req.url ?? '')?.[1];
    if (account === undefined) return void handle(req, res);
    const login = { login: { accountId: decodeURIComponent(account) }, consent: {} };
    provider
      .interactionFinished(req, res, login)
      .catch((error: unknown) => res.writeHead(500).end(String(error)));
  };
  // It may leave and come back at its place.
  let server = await listen(createServer(listener), await freePort('tcp'));
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}`;
  const rotate = async (): Promise<void> => {
    provider = new Provider(
      issuer,
      settingsOf(await privateKey(), () => ({ audience, ...wish })),
    );
    handle = provider.callback();
  };
  await rotate();
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  return {
    issuer,
    jwksUrl: `${issuer}/jwks`,
    async machineToken(asked = {}) {
      wish = asked;
      return tokenFrom(`${issuer}/token`, {
        grant_type: 'client_credentials',
        client_id: CLIENTS.machine,
        client_secret: SECRET,
        ...(asked.scope !== undefined && { scope: asked.scope }),
      });
    },
    async personToken(account, asked = {}) {
      wish = asked;
      return signIn(issuer, account, asked.scope ?? '');
    },
    wish(asked) {
      wish = asked;
    },
    rotate,
    leave: close,
    async comeBack() {
      server = await listen(createServer(listener), port);
    },
    stop: close,
  };
}

/** Its page for people. */
const FORM = `<!doctype html><title>Provider</title><form><label>Account <input name="account"></label> <button>Sign in</button></form>`;

async function listen(server: Server, port: number): Promise<Server> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function privateKey(): Promise<JWK> {
  const { privateKey: key } = await generateKeyPair('ES384', { extractable: true });
  return { ...(await exportJWK(key)), use: 'sig', alg: 'ES384', kid: randomBytes(8).toString('hex') };
}

function settingsOf(key: JWK, wished: () => TokenWish): object {
  return {
    jwks: { keys: [key] },
    enabledJWA: { idTokenSigningAlgValues: ['ES384'] },
    cookies: { keys: ['cookies of the test'] },
    clients: [
      {
        client_id: CLIENTS.machine,
        client_secret: SECRET,
        token_endpoint_auth_method: 'client_secret_post',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
        id_token_signed_response_alg: 'ES384',
      },
      {
        client_id: CLIENTS.page,
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        redirect_uris: [REDIRECT, 'http://127.0.0.1/'],
        grant_types: ['authorization_code', 'refresh_token'],
        id_token_signed_response_alg: 'ES384',
      },
    ],
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => RESOURCE,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: 'mcs:supervisor mcs:operator other:fds',
          audience: wished().audience,
          accessTokenTTL: wished().lifeS ?? 3_600,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'ES384' } },
        }),
      },
    },
    interactions: {
      url: (_ctx: Context, { uid, params }: { uid: string; params: { login_hint?: string } }) =>
        params.login_hint === undefined
          ? `/interaction/${uid}`
          : `/interaction/${uid}?account=${encodeURIComponent(params.login_hint)}`,
    },
    clientBasedCORS: () => true,
    issueRefreshToken: () => wished().isRenewable === true,
    findAccount: (_ctx: Context, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
    loadExistingGrant: grantAll,
  };
}

async function grantAll({ oidc: { provider, client, session } }: Context) {
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
  grant.addOIDCScope('openid');
  grant.addResourceScope(RESOURCE, 'mcs:supervisor mcs:operator other:fds');
  await grant.save();
  return grant;
}

async function signIn(issuer: string, account: string, scope: string): Promise<string> {
  const response = await fetch(`${issuer}/.well-known/openid-configuration`);
  const metadata = (await response.json()) as { authorization_endpoint: string; token_endpoint: string };
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    client_id: CLIENTS.page,
    redirect_uri: REDIRECT,
    response_type: 'code',
    scope: `openid ${scope}`.trim(),
    login_hint: account,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const code = await codeFrom(`${metadata.authorization_endpoint}?${query}`);
  return tokenFrom(metadata.token_endpoint, {
    grant_type: 'authorization_code',
    client_id: CLIENTS.page,
    redirect_uri: REDIRECT,
    code,
    code_verifier: verifier,
  });
}

/** Follows the redirections as a browser does, with cookies, to the one that carries the code. */
async function codeFrom(start: string): Promise<string> {
  const cookies = new Map<string, string>();
  let url = start;
  for (let hops = 0; hops < 10; hops += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const each of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(each)!;
      cookies.set(name!, value!);
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
    url = new URL(location, url).href;
    if (url.startsWith(REDIRECT)) break;
  }
  const { searchParams } = new URL(url);
  const code = searchParams.get('code');
  if (code === null) throw new Error(`no code: ${searchParams}`);
  return code;
}

async function tokenFrom(url: string, form: Record<string, string>): Promise<string> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(form) });
  const body = (await response.json()) as { access_token?: string };
  if (body.access_token === undefined) throw new Error(`no token: ${JSON.stringify(body)}`);
  return body.access_token;
}
