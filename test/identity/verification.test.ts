/** identity/verification.V1 to V7: which tokens are good, and what is said of the others. */

import fc from 'fast-check';
import { base64url, createLocalJWKSet, exportSPKI, importJWK, SignJWT, UnsecuredJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { AUTH_CLOCK_TOLERANCE_MS, AUTH_TOKEN_CHARACTERS } from '../../contract/limits/auth.ts';
import { providerOf } from '../../identity/provider.ts';
import { verifyToken } from '../../identity/verification.ts';
import type { AuthSettings } from '../../mission/mission.ts';
import { AUDIENCE, claimsOf, ISSUER, NOW_MS, NOW_S, type Signer, signer } from './signer.ts';

const SETTINGS: AuthSettings = { issuer: ISSUER, audience: AUDIENCE, roles_prefix: 'mcs:' };
const ALGORITHMS = [
  'ES256',
  'ES384',
  'ES512',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'EdDSA',
  'Ed25519',
];

let es384: Signer;
let rs256: Signer;
let asked = 0;
beforeAll(async () => {
  [es384, rs256] = await Promise.all([signer('ES384'), signer('RS256')]);
});

async function check(
  token: string,
  { settings = SETTINGS, keys = [es384.jwk, rs256.jwk], nowMs = NOW_MS } = {},
) {
  const find = createLocalJWKSet({ keys: [...keys] });
  const counted: typeof find = Object.assign(
    (...args: Parameters<typeof find>) => {
      asked += 1;
      return find(...args);
    },
    { jwks: find.jwks },
  );
  return verifyToken(token, providerOf(settings)!, { find: counted, renewed: async () => false }, nowMs);
}

/** The message of the refusal, which repeats nothing of the token. */
async function refusal(token: string, options: Parameters<typeof check>[1] = {}): Promise<string> {
  const outcome = await check(token, options);
  if (outcome.ok) throw new Error('the token was taken');
  const [{ code, message, help }] = outcome.faults;
  expect(code).toBe('auth::invalid-token');
  expect(help).not.toBe('');
  for (const part of token.split('.').filter((each) => each.length > 8))
    expect(message + help).not.toContain(part);
  return message;
}

describe('a token', () => {
  it('MC-AUTH-009 names its subject', async () => {
    const outcome = await check(await es384.token({ sub: 'auth0|5f7c', roles: ['mcs:supervisor'] }));
    expect(outcome).toEqual({
      ok: true,
      value: { name: 'auth0|5f7c', roles: ['supervisor'], expiresAt: (NOW_S + 3_600) * 1_000 },
    });
  });

  it('MC-AUTH-012 carries its roles where auth.roles_claim says', async () => {
    const token = await es384.token({ roles: ['mcs:ignored'], realm_access: { roles: ['mcs:supervisor'] } });
    const settings: AuthSettings = { ...SETTINGS, roles_claim: 'realm_access.roles' };
    expect(await check(token, { settings })).toMatchObject({ value: { roles: ['supervisor'] } });
    expect(await check(token)).toMatchObject({ value: { roles: ['ignored'] } });
  });

  it.each(ALGORITHMS)('MC-AUTH-014 MC-AUTH-015 is taken with a signature of %s', async (alg) => {
    const other = await signer(alg);
    expect((await check(await other.token(), { keys: [other.jwk] })).ok).toBe(true);
  });

  it('MC-AUTH-004 is refused with a wrong signature', async () => {
    const stranger = await signer('ES384');
    expect(await refusal(await stranger.token())).toContain('signature is wrong');
    const [head, , signature] = (await es384.token()).split('.');
    const body = base64url.encode(JSON.stringify(claimsOf({ sub: 'eve' })));
    expect(await refusal([head, body, signature].join('.'))).toContain('signature is wrong');
  });

  it('MC-AUTH-005 is refused past its expiry, and without one', async () => {
    const token = await es384.token({ exp: NOW_S });
    expect((await check(token, { nowMs: NOW_MS + AUTH_CLOCK_TOLERANCE_MS - 1_000 })).ok).toBe(true);
    expect(await refusal(token, { nowMs: NOW_MS + AUTH_CLOCK_TOLERANCE_MS })).toContain(
      'expired at 2026-01-01T00:00:00.000Z',
    );
    expect(await refusal(await es384.token({ exp: undefined }))).toContain('claim exp is missing');
    expect(await refusal(await es384.token({ exp: '9999999999' }))).toContain('claim exp');
  });

  it('is refused before it counts', async () => {
    const token = await es384.token({ nbf: NOW_S + 60 });
    expect(await refusal(token)).toContain('not valid before 2026-01-01T00:01:00.000Z');
    expect((await check(token, { nowMs: NOW_MS + 60_000 - AUTH_CLOCK_TOLERANCE_MS })).ok).toBe(true);
  });

  it('identity/verification.V3 MC-AUTH-006 is refused of another issuer, before any key is looked for', async () => {
    asked = 0;
    for (const iss of ['https://evil.example', `${ISSUER}/`, undefined, 7])
      expect(await refusal(await es384.token({ iss }))).toContain(`not of issuer ${ISSUER}`);
    expect(asked).toBe(0);
  });

  it('MC-AUTH-007 is refused for another audience', async () => {
    for (const aud of ['shop', ['shop', 'mail'], [], undefined])
      expect(await refusal(await es384.token({ aud }))).toMatch(/audience|claim aud/);
    expect((await check(await es384.token({ aud: ['shop', AUDIENCE] }))).ok).toBe(true);
  });

  it('MC-AUTH-007 is for a client of the service where no audience is given', async () => {
    const settings: AuthSettings = { issuer: ISSUER, client_id: 'page', cli_client_id: 'cli' };
    for (const aud of ['page', 'cli'])
      expect((await check(await es384.token({ aud }), { settings })).ok).toBe(true);
    expect(await refusal(await es384.token(), { settings })).toContain('page or cli');
  });

  it('MC-AUTH-008 is refused without a subject', async () => {
    for (const sub of [undefined, '', '  ', 7, null])
      expect(await refusal(await es384.token({ sub }))).toMatch(/no subject|claim sub|no signed token/);
  });

  it('identity/verification.V4 is refused with a subject that no header of the bus may carry', async () => {
    for (const sub of [
      'a\ud800',
      '\udfffa',
      'a\nMcs-Role: supervisor',
      ' ada',
      'ada ',
      'a\u0000',
      'x'.repeat(256),
    ])
      expect(await refusal(await es384.token({ sub }))).toContain('subject is not a valid name');
    for (const sub of ['Zoë Müller', '\u{1f6f0}'])
      expect((await check(await es384.token({ sub }))).ok).toBe(true);
  });

  it.each([
    'alarm sat1/battery/1/hot',
    'schedule nightly',
    'rule contact',
    'run 01J5ZK3M8QW7V9XH2C4T6R8YAC',
    'alarm\u00a0x',
  ])(
    'identity/verification.V5 is refused with the subject %s: the service calls itself so in its logs',
    async (sub) => {
      expect(await refusal(await es384.token({ sub }))).toContain(
        'reserved for runs that the service starts',
      );
    },
  );

  it('identity/verification.V5 is taken with a subject that only begins with such a word', async () => {
    for (const sub of ['alarms team', 'runner', 'alarm', 'schedule|17', 'The rule maker'])
      expect((await check(await es384.token({ sub }))).ok).toBe(true);
  });

  it('identity/verification.V6 that never ends counts until the last time that can be written', async () => {
    for (const exp of [Number.MAX_SAFE_INTEGER, 1e300, 253_402_300_800]) {
      const outcome = await check(await es384.token({ exp }));
      const untilMs = outcome.ok ? outcome.value.expiresAt + AUTH_CLOCK_TOLERANCE_MS : 0;
      expect(new Date(untilMs).toISOString()).toBe('9999-12-31T23:59:59.999Z');
    }
    expect(await refusal(await es384.token({ exp: -1e300 }))).toContain('expired at 0001-01-01');
    expect(await refusal(await es384.token({ nbf: 1e300 }))).toContain('not valid before 9999-12-31');
  });

  it('identity/verification.V7 is not blamed for a key of the provider that cannot be used', async () => {
    const damaged = { ...es384.jwk, x: 'AAAA' };
    expect(await refusal(await es384.token(), { keys: [damaged] })).toContain(
      'key of the identity provider that it is signed with cannot be used',
    );
    const { kid: _, ...unnamed } = rs256.jwk;
    const short = { ...unnamed, n: base64url.encode(Buffer.alloc(128, 0xff)) };
    const token = await rs256.token({}, { kid: undefined });
    expect(await refusal(token, { keys: [short] })).toContain('cannot be used');
    expect((await check(token, { keys: [short, rs256.jwk] })).ok).toBe(true);
  });

  it('identity/verification.V1 MC-AUTH-015 is refused with the algorithm none', async () => {
    expect(await refusal(new UnsecuredJWT(claimsOf()).encode())).toContain('algorithm');
    const [, body] = (await es384.token()).split('.');
    for (const alg of ['None', 'NONE', 'nOnE'])
      expect(await refusal(`${base64url.encode(JSON.stringify({ alg }))}.${body}.`)).toContain('algorithm');
  });

  it('identity/verification.V1 MC-AUTH-015 is refused when it is signed by HMAC with the public key as its secret', async () => {
    const key = (await importJWK(rs256.jwk, 'RS256')) as Parameters<typeof exportSPKI>[0];
    const published = [await exportSPKI(key), JSON.stringify(rs256.jwk), rs256.jwk.n!];
    for (const secret of published) {
      for (const alg of ['HS256', 'HS384', 'HS512']) {
        const forged = await new SignJWT(claimsOf())
          .setProtectedHeader({ alg, kid: 'RS256' })
          .sign(new TextEncoder().encode(secret.padEnd(64, '=')));
        expect(await refusal(forged)).toContain('algorithm');
      }
    }
  });

  it('is refused when its key is unknown, or made for another algorithm', async () => {
    expect(await refusal(await es384.token({}, { kid: 'other' }))).toContain(
      'not have the key it is signed with',
    );
    const rs512 = { ...rs256.jwk, alg: 'RS512' };
    expect(await refusal(await rs256.token(), { keys: [rs512] })).toContain('not have the key');
  });

  it('without a key name is tried with each key that fits', async () => {
    const [first, second] = await Promise.all([signer('ES256', 'a'), signer('ES256', 'b')]);
    const keys = [first.jwk, second.jwk];
    expect((await check(await second.token({}, { kid: undefined }), { keys })).ok).toBe(true);
    const stranger = await signer('ES256', 'c');
    expect(await refusal(await stranger.token({}, { kid: undefined }), { keys })).toContain(
      'signature is wrong',
    );
  });

  it('is refused when it is a token of another kind', async () => {
    for (const typ of ['logout+jwt', 'secevent+jwt'])
      expect(await refusal(await es384.token({}, { typ }))).toContain('not an access token');
    for (const typ of ['JWT', 'at+jwt', 'application/at+jwt'])
      expect((await check(await es384.token({}, { typ }))).ok).toBe(true);
  });

  it('is refused when it demands what nobody here understands', async () => {
    const token = await es384
      .token({}, { crit: ['exp-policy'], 'exp-policy': 'x' } as object)
      .catch(() => undefined);
    const header = base64url.encode(
      JSON.stringify({ alg: 'ES384', kid: 'ES384', crit: ['policy'], policy: 1 }),
    );
    const [, body, signature] = (await es384.token()).split('.');
    expect(token).toBeUndefined();
    await refusal([header, body, signature].join('.'));
  });

  it('is refused when it is longer than any real one', async () => {
    expect(await refusal(await es384.token({ fill: 'x'.repeat(AUTH_TOKEN_CHARACTERS) }))).toContain(
      'longer than',
    );
  });

  it('identity/verification.V2 is refused whatever it is, without a word of it', async () => {
    const part = fc.oneof(
      fc.string(),
      fc.json().map((text) => base64url.encode(text)),
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(part, { maxLength: 6 }).map((parts) => parts.join('.')),
    );
    await fc.assert(
      fc.asyncProperty(text, async (token) => void (await refusal(token))),
      { numRuns: 500 },
    );
  });
});
