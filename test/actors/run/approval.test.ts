import { describe, expect, it } from 'vitest';
import { answerGiven, readApproval, seenIn } from '../../../actors/run/approval.ts';
import { header } from '../../../contract/bus/headers.ts';
import { accepted, refused } from '../../../contract/result.ts';
import type { Tokens } from '../../../ports/tokens.ts';

const tokens: Tokens = {
  verify: async (token) =>
    token === 'good'
      ? accepted({ name: 'ana', roles: ['supervisor'], expiresAt: 0 })
      : refused({ code: 'auth::invalid-token', message: 'the token expired', help: 'sign in again' }),
};

const given = (approval: object) =>
  answerGiven(readApproval(Buffer.from(JSON.stringify(approval)))!, { tokens, at: 5, source: 9, seen: 4 });

describe('an answer as it came over the bus', () => {
  it('MC-ANS-004 carries identity and roles to the chart', async () => {
    expect(await given({ path: 'a', accepted: true, value: 3, by: 'ana', roles: ['pilot'] })).toEqual({
      type: 'answer',
      at: 5,
      source: 9,
      seen: 4,
      path: 'a',
      accepted: true,
      value: 3,
      by: 'ana',
      roles: ['pilot'],
      verified: false,
    });
  });

  it('approval.A3 A-70 carries the question it names, and what its publisher says that the log had', async () => {
    expect(await given({ path: 'a', accepted: true, question: 7 })).toMatchObject({ question: 7, seen: 4 });
    expect(seenIn({ [header.seen]: '12' })).toBe(12);
    for (const text of ['-1', 'x', '1.5', '1e99'])
      expect(seenIn({ [header.seen]: text }), text).toBeUndefined();
    expect(seenIn({})).toBeUndefined();
  });

  it('takes identity and roles from the token, not from beside it', async () => {
    const answer = await given({ path: 'a', accepted: true, roles: ['pilot'], token: 'good' });
    expect(answer).toMatchObject({ by: 'ana', roles: ['supervisor'], verified: true });
  });

  it('MC-ANS-008 says what is wrong with a token that does not hold', async () => {
    const answer = await given({ path: 'a', accepted: true, by: 'ana', roles: [], token: 'old' });
    expect(answer).toMatchObject({ verified: false, identityFault: 'the token expired' });
  });

  it('MC-ANS-009 takes no token of another identity than the one stated', async () => {
    const answer = await given({ path: 'a', accepted: true, by: 'eve', roles: [], token: 'good' });
    expect(answer).toMatchObject({ verified: false, identityFault: 'its token is of ana, not of eve' });
  });

  it.each([
    '',
    '[]',
    'null',
    '{"path":1,"accepted":true}',
    '{"path":"a"}',
    '{"path":"a","accepted":true,"value":{}}',
    '{"path":"a","accepted":true,"question":"7"}',
    '{"path":"a","accepted":true,"question":0}',
    '{"path":"a","accepted":true,"question":1e99}',
  ])('skips a malformed answer: %s', (text) => {
    expect(readApproval(Buffer.from(text))).toBeUndefined();
  });
});
