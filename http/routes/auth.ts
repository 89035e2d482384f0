/**
 * Where callers sign in, and credentials with which they follow on the bus itself. Mission Control Service, sections
 * 2.10, 4.9 and 5 items 7 and 8.
 */

import { FollowerReply, FollowerRequest, SignInSettings, WhoAmI } from '../../contract/auth.ts';
import { AUTH_NATS_TTL_MS } from '../../contract/limits/auth.ts';
import type { AuthSettings } from '../../mission/mission.ts';
import type { FollowerCredentials } from '../../ports/follower-credentials.ts';
import type { Caller } from '../caller.ts';
import { refuse } from '../errors.ts';
import type { Handled } from '../reply.ts';
import { defineRoute } from '../route.ts';

/** What a sign-in asks for where the settings say nothing: without `openid` it is none. */
const SCOPES = ['openid'];

const readSignIn = defineRoute({
  method: 'GET',
  path: '/v1/auth/config',
  operationId: 'readSignIn',
  summary: 'Where to sign in; null without an identity provider',
  description: 'The one route of the interface that never asks for a token.',
  tag: 'Identity',
  identity: 'open',
  replies: { 200: SignInSettings },
  errors: [],
  handle(_request, { missions }) {
    return { ok: true, value: { status: 200, body: signInOf(missions.current?.settings.auth ?? {}) } };
  },
});

const readCaller = defineRoute({
  method: 'GET',
  path: '/v1/whoami',
  operationId: 'readCaller',
  summary: 'Who the caller is to this service: name, roles, and until when',
  description: 'Without a credential, where none is needed: `anonymous`. With one that is not valid: 401.',
  tag: 'Identity',
  replies: { 200: WhoAmI },
  errors: [],
  handle({ caller }) {
    return { ok: true, value: { status: 200, body: whoIs(caller) } };
  },
});

function whoIs(caller: Caller): WhoAmI {
  if (caller.kind === 'anonymous') return { identity: 'anonymous', roles: [] };
  const known = { identity: caller.kind, subject: caller.name, roles: [...caller.roles] };
  if (caller.kind === 'declared') return known;
  return { ...known, expires_at: new Date(caller.untilMs).toISOString() };
}

const issueCredentials = defineRoute({
  method: 'POST',
  path: '/v1/auth/nats',
  operationId: 'issueCredentials',
  summary: 'A user token of the bus that may follow runs and alarms and nothing else',
  description:
    'For the public user key of the caller, who keeps its seed. It subscribes to `mcs.run.evt.>`, `mcs.alarm.evt.>` and `_INBOX.>`; the bus ends the connection at `expires`.',
  tag: 'Identity',
  body: FollowerRequest,
  replies: { 200: FollowerReply },
  errors: ['auth::jwt-required', 'auth::invalid-key', 'auth::no-signing-key'],
  async handle({ body: { public_key: publicKey }, caller }, { followers, missions, clock, log }) {
    if (caller.kind !== 'verified') return jwtRequired();
    const issue = issuerFor(publicKey, followers);
    if (!issue.ok) return issue;
    const ttlMs = missions.current?.settings.auth.nats_ttl_ms ?? AUTH_NATS_TTL_MS;
    const expires = Math.floor((clock.now() + ttlMs) / 1_000);
    const jwt = await issue.value({ publicKey, name: caller.name, expiresAtMs: expires * 1_000 });
    log.info({ by: caller.name, publicKey, expires }, 'credentials of a follower issued');
    return { ok: true, value: { status: 200, body: { jwt, expires } satisfies FollowerReply } };
  },
});

function signInOf(auth: AuthSettings): SignInSettings {
  const { issuer, client_id, cli_client_id, organization, scopes = SCOPES } = auth;
  if (issuer === undefined) return { oidc: null };
  return {
    oidc: {
      issuer,
      ...(client_id !== undefined && { client_id }),
      ...(cli_client_id !== undefined && { cli_client_id }),
      ...(organization !== undefined && { organization }),
      scopes: [...scopes],
    },
  };
}

function issuerFor(
  publicKey: string,
  { isUserKey, issue }: FollowerCredentials,
): Handled<NonNullable<FollowerCredentials['issue']>> {
  if (!isUserKey(publicKey)) {
    return refuse('auth::invalid-key', 'public_key is not a public user key of the bus', {
      help: 'Send the public key of a user (56 characters from U); keep its seed secret.',
      path: 'public_key',
    });
  }
  if (issue !== undefined) return { ok: true, value: issue };
  return refuse('auth::no-signing-key', 'this service has no signing key for the account of its bus', {
    help: 'Start it with mcs serve --signer FILE.',
  });
}

function jwtRequired(): Handled<never> {
  return refuse('auth::jwt-required', 'credentials of the bus are issued only for a verified token', {
    help: 'Send Authorization: Bearer <token>; GET /v1/auth/config says where to sign in.',
  });
}

export const authRoutes = [readSignIn, readCaller, issueCredentials];
