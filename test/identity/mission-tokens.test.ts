/** key-set.K1 to K4, mission-tokens.T1 to T3: when keys are read, how long what was verified counts. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JWK } from 'jose';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  AUTH_DOCUMENT_BYTES,
  AUTH_FETCH_MS,
  AUTH_KEYS_AGAIN_MS,
  AUTH_KEYS_MS,
  AUTH_KEYS_RETRY_MS,
  AUTH_TOKENS_KEPT,
} from '../../contract/limits/auth.ts';
import { MissionTokens } from '../../identity/mission-tokens.ts';
import type { AuthSettings, Mission } from '../../mission/mission.ts';
import { memoryLog } from '../http/fixture.ts';
import { missionSource } from '../http/world.ts';
import { ManualClock, settled } from '../support/manual-clock.ts';
import { until } from '../support/until.ts';
import { AUDIENCE, ISSUER, NOW_MS, NOW_S, type Signer, signer } from './signer.ts';

const URL = 'https://id.example/keys';
const SETTINGS: AuthSettings = { issuer: ISSUER, audience: AUDIENCE, jwks_url: URL };

let first: Signer;
let second: Signer;
beforeAll(async () => {
  [first, second] = await Promise.all([signer('ES384', 'first'), signer('ES256', 'second')]);
});

/** A provider that answers what the test says, and the tokens that ask it. */
function world(settings: AuthSettings | 'unpublished' = SETTINGS, missionFolder?: string) {
  const clock = new ManualClock(NOW_MS);
  const log = memoryLog();
  const missions = missionSource();
  const asked: string[] = [];
  const provider = {
    keys: [first.jwk] as unknown[],
    answer: undefined as undefined | ((url: string, init: RequestInit) => Promise<Response>),
  };
  const publish = (auth: AuthSettings, revision = 'r') =>
    missions.publish({ revision, settings: { auth } } as unknown as Mission);
  const tokens = new MissionTokens({
    missions,
    clock,
    log,
    missionFolder,
    fetch: async (url, init) => {
      asked.push(url);
      return provider.answer === undefined ? json({ keys: provider.keys }) : provider.answer(url, init);
    },
  });
  if (settings !== 'unpublished') publish(settings);
  return { clock, log, missions, asked, provider, publish, tokens };
}

function json(body: unknown, status = 200): Response {
  return new Response(JSON.stringify(body), { status });
}

async function away(): Promise<Response> {
  throw Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } });
}

type World = ReturnType<typeof world>;
const worlds: World[] = [];
const start = (...args: Parameters<typeof world>): World => {
  const made = world(...args);
  worlds.push(made);
  return made;
};
afterEach(() => {
  for (const { tokens } of worlds.splice(0)) tokens.stop();
});

async function said({ tokens }: World, token: string): Promise<string> {
  const outcome = await tokens.verify(token);
  return outcome.ok ? outcome.value.name : outcome.faults[0].message;
}

describe('without a provider', () => {
  it('MC-AUTH-016 refuses every token with auth::no-provider', async () => {
    const none: AuthSettings[] = [{}, { required: true }, { issuer: ISSUER }, { audience: AUDIENCE }];
    for (const auth of ['unpublished', ...none] as const) {
      const { tokens } = start(auth);
      const outcome = await tokens.verify(await first.token());
      expect(outcome.ok ? [] : outcome.faults.map(({ code }) => code)).toEqual(['auth::no-provider']);
    }
  });
});

describe('keys at an address', () => {
  it('mission-tokens.T2 MC-AUTH-010 are read at the first token, once for all that wait, and every hour', async () => {
    const the = start();
    const [a, b] = await Promise.all([
      first.token({ sub: 'a', exp: NOW_S + 9e3 }),
      first.token({ sub: 'b' }),
    ]);
    expect(the.asked).toEqual([]);
    expect(await Promise.all([said(the, a), said(the, b)])).toEqual(['a', 'b']);
    expect(the.asked).toEqual([URL]);
    the.clock.advance(AUTH_KEYS_MS - 1);
    expect(the.asked.length).toBe(1);
    the.provider.keys = [second.jwk];
    the.clock.advance(1);
    await until(() => the.log.lines.filter(({ message }) => message.includes('loaded')).length === 2);
    expect(the.asked.length).toBe(2);
    // mission-tokens.T1: the token was verified and kept; its key is gone.
    expect(await said(the, a)).toContain('not have the key it is signed with');
  });

  it('key-set.K2 are read again for an unknown key, at most twice a minute', async () => {
    const the = start();
    expect(await said(the, await first.token())).toBe('ada');
    the.provider.keys = [first.jwk, second.jwk];
    const rotated = await second.token();
    expect(await said(the, rotated)).toContain('not have the key');
    the.clock.advance(AUTH_KEYS_AGAIN_MS);
    expect(await said(the, rotated)).toBe('ada');
    expect(the.asked.length).toBe(2);
    for (let count = 0; count < 50; count += 1)
      expect(await said(the, await first.token({}, { kid: `x${count}` }))).toContain('not have the key');
    expect(the.asked.length).toBe(2);
  });

  it('key-set.K2 are read again although the time of day was set back', async () => {
    const the = start();
    expect(await said(the, await first.token())).toBe('ada');
    const now = the.clock.now.bind(the.clock);
    the.clock.now = () => now() - 1_800_000;
    the.provider.keys = [second.jwk];
    the.clock.advance(AUTH_KEYS_AGAIN_MS);
    expect(await said(the, await second.token())).toBe('ada');
  });

  it('key-set.K4 are read again for a wrong signature, at most twice a minute', async () => {
    const replaced = await signer('ES384', 'first');
    const { kid: _, ...unnamed } = replaced.jwk;
    const cases: [JWK, string][] = [
      [replaced.jwk, await replaced.token()],
      [unnamed, await replaced.token({}, { kid: undefined })],
    ];
    for (const [jwk, token] of cases) {
      const the = start();
      expect(await said(the, await first.token())).toBe('ada');
      the.provider.keys = [jwk];
      expect(await said(the, token)).toContain('signature is wrong');
      the.clock.advance(AUTH_KEYS_AGAIN_MS);
      expect(await said(the, token)).toBe('ada');
      expect(the.asked.length).toBe(2);
      for (let count = 0; count < 50; count += 1)
        expect(await said(the, await first.token({ sub: `x${count}` }))).toMatch(
          /signature|not have the key/,
        );
      expect(the.asked.length).toBe(2);
    }
  });

  it('key-set.K1 stay while the provider is away', async () => {
    const the = start();
    expect(await said(the, await first.token())).toBe('ada');
    the.provider.answer = away;
    the.clock.advance(AUTH_KEYS_MS);
    await settled();
    for (let failures = 1; failures < 5; failures += 1) {
      the.clock.advance(AUTH_KEYS_RETRY_MS);
      await settled();
      expect(the.asked.length).toBe(2 + failures);
    }
    expect(await said(the, await first.token({ sub: 'new', exp: NOW_S + 9e3 }))).toBe('new');
    expect(the.log.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields)).toEqual([
      { reason: `${URL} cannot be reached (ECONNREFUSED)`, kept: true },
    ]);
  });

  it('refuse and say why until the provider answers for the first time', async () => {
    const the = start();
    the.provider.answer = away;
    const token = await first.token();
    expect(await said(the, token)).toContain(`no keys to verify it: ${URL} cannot be reached (ECONNREFUSED)`);
    expect(await said(the, token)).toContain('ECONNREFUSED');
    expect(the.asked.length).toBe(1);
    the.provider.answer = undefined;
    the.clock.advance(AUTH_KEYS_RETRY_MS);
    await until(async () => (await said(the, token)) === 'ada');
  });

  it('refuse an answer that is late, large, moved or no key set', async () => {
    const answers: [World['provider']['answer'], string][] = [
      [async () => json({}, 500), 'answered 500'],
      [
        // What `fetch` does unless it is reported not to follow.
        async (_url, { redirect }) =>
          redirect === 'manual' ? new Response(null, { status: 302 }) : json({ keys: [first.jwk] }),
        'answered 302',
      ],
      [async () => new Response('<html>'), 'is not JSON'],
      [async () => new Response('x'.repeat(AUTH_DOCUMENT_BYTES + 1)), 'larger than'],
      [async () => json({ keys: 'x' }), 'not a JSON Web Key Set'],
      [async () => json(null), 'not a JSON Web Key Set'],
      [async () => json({ keys: [] }), 'no public signing key'],
    ];
    for (const [answer, expected] of answers) {
      const the = start();
      the.provider.answer = answer;
      expect(await said(the, await first.token())).toContain(expected);
    }
    const late = start();
    late.provider.answer = (_url, { signal }) =>
      new Promise((_resolve, reject) => signal!.addEventListener('abort', () => reject(signal!.reason)));
    const waiting = said(late, await first.token());
    await until(() => late.asked.length === 1);
    late.clock.advance(AUTH_FETCH_MS);
    expect(await waiting).toContain('did not answer within 5 s');
  });

  it('key-set.K3 count only as public keys of signatures', async () => {
    const the = start();
    const symmetric = { kty: 'oct', k: 'c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0', alg: 'HS256', kid: 'HS256' };
    const encryption: JWK = { ...second.jwk, use: 'enc' };
    the.provider.keys = [symmetric, encryption, null, 7, {}];
    expect(await said(the, await second.token())).toContain('contains no public signing key');
  });

  it('key-set.K3 count only where their operations are those of signatures', async () => {
    const { use: _, ...unnamed } = second.jwk;
    const encryption = start();
    encryption.provider.keys = [{ ...unnamed, key_ops: ['encrypt', 'wrapKey'] }];
    expect(await said(encryption, await second.token())).toContain('contains no public signing key');
    const signing = start();
    signing.provider.keys = [{ ...unnamed, key_ops: ['sign'] }];
    expect(await said(signing, await second.token())).toBe('ada');
  });
});

describe('keys elsewhere', () => {
  it('are where the metadata of the issuer says', async () => {
    const the = start({ issuer: ISSUER, audience: AUDIENCE });
    const metadata: { issuer: string; jwks_uri: unknown } = { issuer: ISSUER, jwks_uri: URL };
    the.provider.answer = async (url) => json(url === URL ? { keys: [first.jwk] } : metadata);
    metadata.issuer = 'https://evil.example';
    const token = await first.token();
    expect(await said(the, token)).toContain(`is not of issuer ${ISSUER}`);
    metadata.issuer = ISSUER;
    metadata.jwks_uri = 7;
    the.clock.advance(AUTH_KEYS_RETRY_MS);
    await until(async () => (await said(the, token)).includes('names no jwks_uri'));
    metadata.jwks_uri = URL;
    the.clock.advance(AUTH_KEYS_RETRY_MS);
    await until(async () => (await said(the, token)) === 'ada');
    expect(the.asked.slice(-2)).toEqual([`${ISSUER}/.well-known/openid-configuration`, URL]);
  });

  describe('in a file', () => {
    let folder: string;
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'mcs-keys-'));
    });
    afterEach(() => rm(folder, { recursive: true }));
    const settings = (jwks_file: string): AuthSettings => ({ issuer: ISSUER, audience: AUDIENCE, jwks_file });

    it('MC-AUTH-011 are read from the mission folder or an absolute path, and every hour', async () => {
      const path = join(folder, 'keys.json');
      await writeFile(path, JSON.stringify({ keys: [first.jwk] }));
      for (const the of [start(settings('keys.json'), folder), start(settings(path))]) {
        expect(await said(the, await first.token())).toBe('ada');
        expect(the.asked).toEqual([]);
      }
      const the = start(settings('keys.json'), folder);
      expect(await said(the, await first.token())).toBe('ada');
      await writeFile(path, JSON.stringify({ keys: [second.jwk] }));
      the.clock.advance(AUTH_KEYS_MS);
      await until(() => the.log.lines.filter(({ message }) => message.includes('loaded')).length === 2);
      expect(await said(the, await second.token({ exp: NOW_S + 9e3 }))).toBe('ada');
    });

    it('are refused with the reason when the file is not there', async () => {
      const token = await first.token();
      expect(await said(start(settings('keys.json'), folder), token)).toContain(
        'keys.json cannot be read (ENOENT)',
      );
      expect(await said(start(settings('keys.json')), token)).toContain('this process has none');
      await writeFile(join(folder, 'keys.json'), '-----BEGIN PUBLIC KEY-----');
      expect(await said(start(settings('keys.json'), folder), token)).toContain('is not JSON');
    });

    it('key-source.U2 are refused where reading them might not end, or is much', async () => {
      const token = await first.token();
      await writeFile(join(folder, 'large.json'), ' '.repeat(AUTH_DOCUMENT_BYTES + 1));
      for (const place of ['/dev/null', folder])
        expect(await said(start(settings(place)), token)).toContain(`${place} is no plain file`);
      expect(await said(start(settings('large.json'), folder), token)).toContain('is larger than');
    });
  });
});

describe('what was verified', () => {
  it('mission-tokens.T1 counts until it expires, without another signature check', async () => {
    const the = start();
    await said(the, await first.token());
    const token = await first.token({ exp: NOW_S + 60 });
    const before = await the.tokens.verify(token);
    const again = await the.tokens.verify(token);
    expect(again.ok && before.ok && again.value === before.value).toBe(true);
    the.clock.advance(66_000);
    expect(await said(the, token)).toContain('expired at');
    expect(await said(the, token)).toContain('expired at');
  });

  it('mission-tokens.T1 counts only under the settings it was verified with', async () => {
    const the = start();
    const token = await first.token({ roles: ['mcs:fds'] });
    for (let count = 0; count < 2; count += 1) expect(await said(the, token)).toBe('ada');
    the.publish({ ...SETTINGS, audience: 'other' }, 'r2');
    expect(await said(the, token)).toContain('audience is not other');
    the.publish({ ...SETTINGS, roles_prefix: 'mcs:' }, 'r3');
    const outcome = await the.tokens.verify(token);
    expect(outcome.ok && outcome.value.roles).toEqual(['fds']);
    the.publish({}, 'r4');
    expect(await said(the, token)).toContain('no identity provider');
    const asked = the.asked.length;
    the.clock.advance(3 * AUTH_KEYS_MS);
    expect(the.asked.length).toBe(asked);
  });

  it('mission-tokens.T1 goes on over a configuration that leaves the provider as it is', async () => {
    const the = start();
    const token = await first.token();
    await said(the, token);
    the.publish({ ...SETTINGS }, 'r2');
    expect(await said(the, token)).toBe('ada');
    expect(the.asked.length).toBe(1);
  });

  it('mission-tokens.T3 key-set.K1 needs no provider under settings that leave the keys where they are', async () => {
    const the = start();
    expect(await said(the, await first.token({ roles: ['mcs:fds'] }))).toBe('ada');
    the.provider.answer = away;
    the.publish({ ...SETTINGS, roles_prefix: 'mcs:', required: true }, 'r2');
    const outcome = await the.tokens.verify(await first.token({ roles: ['mcs:fds'] }));
    expect(outcome.ok && outcome.value.roles).toEqual(['fds']);
    the.publish({ ...SETTINGS, jwks_url: `${URL}/other` }, 'r3');
    expect(await said(the, await first.token())).toContain('no keys to verify it');
  });

  it('is kept of so many tokens, the newest', { timeout: 180_000 }, async () => {
    const the = start();
    const quick = await signer('Ed25519', 'quick');
    the.provider.keys = [quick.jwk];
    const oldest = await quick.token({ sub: 'oldest' });
    await said(the, oldest);
    const before = await the.tokens.verify(oldest);
    for (let count = 0; count < AUTH_TOKENS_KEPT; count += 1)
      await said(the, await quick.token({ sub: `ada${count}` }));
    const again = await the.tokens.verify(oldest);
    expect(again.ok && before.ok && again.value !== before.value).toBe(true);
  });
});
