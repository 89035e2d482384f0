/** What of a refusal is answered, however much is wrong and however long the words are; both services. */

import { describe, expect, it } from 'vitest';
import type { ApiError } from '../../contract/bench/errors.ts';
import { ERROR_CHARACTERS, ERRORS_CHARACTERS, ERRORS_LISTED } from '../../contract/limits/request.ts';
import { benchDialect } from '../../http/bench/dialect.ts';
import { boundedFaults } from '../../http/bounded-faults.ts';
import { missionControlDialect } from '../../http/mission-control.ts';
import type { AnyFault, Refusal } from '../../http/reply.ts';

const refusalOf = (code: string, messages: readonly string[], more?: number): Refusal<AnyFault> => {
  const [first, ...rest] = messages.map((message) => ({ code, message, help: message }));
  return { ok: false, faults: [first!, ...rest], ...(more !== undefined && { more }) };
};
const messages = (count: number): string[] => Array.from({ length: count }, (_, n) => `fault ${n}`);

/** The messages that each service answers with, and the characters of its answer. */
const services = [
  {
    name: 'mission control',
    answered: (refusal: Refusal<AnyFault>) =>
      (missionControlDialect.reply(refusal).body as { errors: { message: string }[] }).errors.map(
        ({ message }) => message,
      ),
    size: (refusal: Refusal<AnyFault>) => JSON.stringify(missionControlDialect.reply(refusal).body).length,
    code: 'api::invalid-body',
  },
  {
    name: 'the bench',
    answered: (refusal: Refusal<AnyFault>) =>
      (benchDialect.reply(refusal).body as ApiError).message.split('; '),
    size: (refusal: Refusal<AnyFault>) => JSON.stringify(benchDialect.reply(refusal).body).length,
    code: 'validation_failed',
  },
] as const;

describe.each(services)('an answer of $name', ({ answered, size, code }) => {
  it('lists all faults where they are few', () => {
    expect(answered(refusalOf(code, messages(3)))).toEqual(messages(3));
  });

  it('bounded-faults.Z1 lists the first of many and says how many more there are', () => {
    const listed = answered(refusalOf(code, messages(20_000)));
    expect(listed).toEqual([...messages(ERRORS_LISTED), `and ${20_000 - ERRORS_LISTED} more`]);
  });

  it('bounded-faults.Z1 says "at least" where not all were counted', () => {
    expect(answered(refusalOf(code, messages(2), 7))).toEqual([...messages(2), 'and at least 7 more']);
  });

  it('bounded-faults.Z1 Z2 stays small, whatever a request makes it repeat', () => {
    const long = 'x'.repeat(1024 * 1024);
    const refusal = refusalOf(
      code,
      Array.from({ length: 500 }, (_, n) => `${n} ${long}`),
    );
    const listed = answered(refusal);
    expect(listed.at(-1)).toMatch(/^and \d+ more$/);
    expect(listed[0]).toMatch(/^0 x+ … \(1048578 characters\)$/);
    expect(Math.max(...listed.map((each) => each.length))).toBeLessThanOrEqual(ERROR_CHARACTERS);
    expect(size(refusal)).toBeLessThan(2 * ERRORS_CHARACTERS);
  });

  it('bounded-faults.Z2 cuts through no character', () => {
    const [message] = answered(refusalOf(code, [`a${'🛰'.repeat(ERROR_CHARACTERS)}`]));
    expect(message).toMatch(/^a(?:🛰)+ … \(\d+ characters\)$/u);
  });
});

describe('bounded-faults.Z2 a fault', () => {
  const at = 'x'.repeat(ERROR_CHARACTERS);
  const cut = `${'x'.repeat(ERROR_CHARACTERS - ` … (${ERROR_CHARACTERS + 1} characters)`.length)} … (${ERROR_CHARACTERS + 1} characters)`;
  const of = (fault: Omit<AnyFault, 'code'>) =>
    boundedFaults({ ok: false, faults: [{ code: 'c', ...fault } as AnyFault] });

  it.each([
    ['of which the help alone is long', { message: 'm', help: `${at}x` }, { message: 'm', help: cut }],
    ['of which the message alone is long', { message: `${at}x`, help: 'h' }, { message: cut, help: 'h' }],
    ['without help', { message: `${at}x` }, { message: cut }],
    ['that is just short enough', { message: at, help: at }, { message: at, help: at }],
  ])('%s', (_, fault, expected) => {
    expect(of(fault)).toStrictEqual([{ code: 'c', ...expected }]);
  });
});
