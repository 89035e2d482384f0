/**
 * Tokens of a real identity provider (`oidc-provider`), found by its metadata. Mission Control Service, section 5 item
 * 2.
 */

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AUTH_CLOCK_TOLERANCE_MS, AUTH_KEYS_AGAIN_MS, AUTH_KEYS_MS } from '../../contract/limits/auth.ts';
import { MissionTokens } from '../../identity/mission-tokens.ts';
import type { AuthSettings, Mission } from '../../mission/mission.ts';
import { memoryLog } from '../http/fixture.ts';
import { missionSource } from '../http/world.ts';
import { CLIENTS, type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts';
import { ManualClock, settled } from '../support/manual-clock.ts';

const AUDIENCE = 'mission-control';

let provider: IdentityProvider;
let foreign: IdentityProvider;
beforeAll(async () => {
  [provider, foreign] = await Promise.all([startIdentityProvider(AUDIENCE), startIdentityProvider(AUDIENCE)]);
});
afterAll(() => Promise.all([provider.stop(), foreign.stop()]));

const made: MissionTokens[] = [];
afterEach(() => {
  for (const tokens of made.splice(0)) tokens.stop();
});

function start(more: Partial<AuthSettings> = {}) {
  const auth: AuthSettings = { issuer: provider.issuer, audience: AUDIENCE, roles_prefix: 'mcs:', ...more };
  const missions = missionSource();
  // Ahead of the provider, whose tokens are issued by the clock of the machine, however long that takes.
  const clock = new ManualClock(Date.now() + 20_000);
  const tokens = new MissionTokens({ missions, clock, log: memoryLog(), fetch });
  made.push(tokens);
  missions.publish({ revision: 'r', settings: { auth } } as unknown as Mission);
  const said = async (token: string): Promise<string> => {
    const outcome = await tokens.verify(token);
    return outcome.ok ? [outcome.value.name, ...outcome.value.roles].join(' ') : outcome.faults[0].message;
  };
  return { clock, said };
}

describe('tokens of a provider that is there', () => {
  it('MC-AUTH-001 MC-AUTH-009 MC-AUTH-012 MC-AUTH-013 name a person who signed in, with the roles of this service', async () => {
    const { said } = start();
    expect(await said(await provider.personToken('ada', { scope: 'mcs:operator other:fds' }))).toBe(
      'ada operator',
    );
    expect(await said(await provider.personToken('Zoë Müller'))).toBe('Zoë Müller');
  });

  it('MC-AUTH-010 name a machine, with keys at the address of the settings', async () => {
    const { said } = start({ jwks_url: provider.jwksUrl });
    expect(await said(await provider.machineToken({ scope: 'mcs:supervisor' }))).toBe(
      `${CLIENTS.machine} supervisor`,
    );
  });

  it('MC-AUTH-006 are refused of another provider, also when it is asked for its keys', async () => {
    const token = await foreign.personToken('ada');
    expect(await start().said(token)).toContain(`not of issuer ${provider.issuer}`);
    const confused = start({ issuer: foreign.issuer, jwks_url: provider.jwksUrl });
    expect(await confused.said(token)).toContain('not have the key it is signed with');
  });

  it('MC-AUTH-007 are refused for not', async () => {
    expect(await start().said(await provider.personToken('ada', { audience: 'shop' }))).toContain('not');
  });

  it('MC-AUTH-005 are refused when they have expired', async () => {
    const { clock, said } = start();
    const token = await provider.personToken('ada', { lifeS: 60 });
    expect(await said(token)).toBe('ada');
    clock.advance(60_000 + AUTH_CLOCK_TOLERANCE_MS + 120_000);
    expect(await said(token)).toContain('it expired at 2');
  });

  it('MC-AUTH-004 are refused with one letter of the signature changed', async () => {
    const token = await provider.machineToken();
    const at = token.length - 40;
    const changed = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
    expect(await start().said(changed)).toContain('signature is wrong');
  });
});

describe('a provider that changes', () => {
  it('is followed when it has new keys', async () => {
    const { clock, said } = start();
    const old = await provider.personToken('ada');
    expect(await said(old)).toBe('ada');
    await provider.rotate();
    clock.advance(AUTH_KEYS_AGAIN_MS);
    expect(await said(await provider.personToken('bob'))).toBe('bob');
    expect(await said(old)).toContain('not have the key it is signed with');
  });

  it('is not needed for tokens of keys that are known', async () => {
    const { clock, said } = start();
    const first = await provider.personToken('ada', { lifeS: 7_200 });
    const second = await provider.personToken('bob', { lifeS: 7_200 });
    expect(await said(first)).toBe('ada');
    await provider.leave();
    try {
      clock.advance(AUTH_KEYS_MS);
      await settled();
      expect(await said(first)).toBe('ada');
      expect(await said(second)).toBe('bob');
      expect(await start().said(first)).toContain('ECONNREFUSED');
    } finally {
      await provider.comeBack();
    }
    expect(await start().said(second)).toBe('bob');
  });
});
