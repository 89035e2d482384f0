/** The identity matrix of runs: who may launch, and who may speak to one, in each kind of environment. */

import { describe, expect, it } from 'vitest';
import type { Caller } from '../../http/caller.ts';
import type { Refusal } from '../../http/reply.ts';
import { launchRefusal, operatorRefusal } from '../../http/run-policy.ts';
import type { Environment } from '../../mission/mission.ts';

const anonymous: Caller = { kind: 'anonymous' };
const declared: Caller = { kind: 'declared', name: 'ada', roles: ['supervisor'] };
const verified: Caller = { kind: 'verified', name: 'ada', roles: [], token: 't', untilMs: 0 };

function environment(identity: 'declared' | 'jwt', humanOrchestration: boolean): Environment {
  const none = { hazardousConfirmation: [], hazardousRequiresPlan: false, drafts: false };
  return { name: 'e', identity, humanOrchestration, ...none };
}

function said(refusal: Refusal | undefined): string {
  if (refusal === undefined) return 'may';
  return `${refusal.status ?? 401} ${refusal.faults.map(({ code }) => code).join()}`;
}

const ANONYMOUS_400 = '400 api::anonymous';
const ANONYMOUS_401 = '401 api::anonymous';
const JWT = '401 auth::jwt-required';

/** Identity, orchestration, then nobody, a declared name and a token, to launch and to speak to the run. */
const MATRIX: ['declared' | 'jwt', boolean, [string, string, string], [string, string, string]][] = [
  ['declared', false, ['may', 'may', 'may'], [ANONYMOUS_400, 'may', 'may']],
  ['declared', true, [ANONYMOUS_401, 'may', 'may'], [ANONYMOUS_401, 'may', 'may']],
  ['jwt', false, ['may', 'may', 'may'], [ANONYMOUS_400, JWT, 'may']],
  ['jwt', true, [ANONYMOUS_401, JWT, 'may'], [ANONYMOUS_401, JWT, 'may']],
];

describe('who may', () => {
  it.each(MATRIX)(
    'MC-RUN-028 MC-RUN-029 MC-RUN-030 MC-AUTH-020 launch with identity %s, orchestrated by people: %s',
    (identity, human, launch) => {
      const where = environment(identity, human);
      expect([anonymous, declared, verified].map((who) => said(launchRefusal(who, where)))).toEqual(launch);
    },
  );

  it.each(MATRIX)(
    'MC-ANS-026 MC-AUTH-021 MC-AUTH-022 answer and command with identity %s, orchestrated by people: %s',
    (identity, human, _launch, speak) => {
      const where = environment(identity, human);
      expect([anonymous, declared, verified].map((who) => said(operatorRefusal(who, where)))).toEqual(speak);
    },
  );

  it('MC-ERR-002 says what is missing, and how to give it', () => {
    const jwt = environment('jwt', true);
    const [noName, noToken] = [anonymous, declared].map((who) => operatorRefusal(who, jwt)?.faults[0]);
    expect(noName?.message).toBe('the caller has no name');
    expect(noName?.help).toMatch(/bearer token.*X-Mcs-User/);
    expect(noToken?.message).toBe('environment e accepts verified identities only');
    expect(noToken?.help).toContain('Authorization: Bearer');
  });

  it('an environment that is not known asks for a name of those who speak to a run, and nothing else', () => {
    expect([anonymous, declared, verified].map((who) => said(launchRefusal(who, undefined)))).toEqual(
      Array(3).fill('may'),
    );
    expect(said(operatorRefusal(anonymous, undefined))).toBe(ANONYMOUS_400);
    expect(said(operatorRefusal(declared, undefined))).toBe('may');
  });
});
