import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { createReadAnswer } from '../../../../actors/run/effects/read-answer.ts';
import type { AnswerType } from '../../../../contract/program.ts';
import type { RunValue } from '../../../../contract/run-event.ts';
import { type EffectWorld, effectWorld } from './effect-world.ts';

let world: EffectWorld;
beforeEach(async () => {
  world = await effectWorld();
});

async function read(type: AnswerType | undefined, value: RunValue | undefined) {
  const statement = { kind: 'ask' as const, prompt: [], timeoutMs: null, ...(type && { as: 'level', type }) };
  const { seen } = world.begin(createReadAnswer(world.services), {
    type: 'effect.read-answer',
    ticket: 4,
    statement,
    value,
  });
  await world.settle();
  return seen.event as { type: string; value?: RunValue; reason?: string };
}

const LEVEL: AnswerType = { type: 'f64', unit: 'dBm', range: [-120, 20] };
const MODE: AnswerType = {
  type: 'ObcMode',
  values: [
    ['SAFE', 1],
    ['NOMINAL', 2],
  ],
};
const HASH = 'ab'.repeat(32);

describe('a typed answer', () => {
  it('MC-ANS-009 is converted into the unit of the question; a number alone is in it', async () => {
    const period: AnswerType = { type: 'u16', unit: 's' };
    expect(await read(period, '2 min')).toMatchObject({ type: 'answer.read', ticket: 4, value: 120 });
    expect(await read(period, 90)).toMatchObject({ type: 'answer.read', value: 90 });
    expect(await read(LEVEL, -80.5)).toMatchObject({ value: -80.5 });
  });

  it.each<[string, AnswerType | undefined, RunValue, RunValue]>([
    ['a value of an enumeration', MODE, 'SAFE', 'SAFE'],
    ['a boolean', { type: 'bool' }, false, false],
    ['bytes, in lower case', { type: 'bytes' }, '0x00FF', '00ff'],
    ['a text', { type: 'string' }, 'left', 'left'],
    ['an instance', { type: 'instance', of: 'battery' }, '2', '2'],
    ['an instance told as a number', { type: 'instance', of: 'battery' }, 2, '2'],
    ['a file identifier', { type: 'file_id', of: 'image' }, 7, 7],
    ['a file identifier past 2^53', { type: 'file_id' }, '18446744073709551615', '18446744073709551615'],
    ['stored content', { type: 'file' }, HASH.toUpperCase(), HASH],
    ['anything where no type is asked for', undefined, 'aye', 'aye'],
  ])('takes %s', async (_what, type, value, wanted) => {
    expect(await read(type, value)).toMatchObject({ type: 'answer.read', value: wanted });
  });

  it.each<[string, AnswerType | undefined, RunValue | undefined, RegExp]>([
    ['no value', LEVEL, undefined, /^the answer has no value: give a f64 in dBm$/],
    ['null', MODE, null, /^the answer has no value: give one of SAFE, NOMINAL$/],
    ['another unit', LEVEL, '3 V', /voltage/],
    ['a number outside its range', LEVEL, 30, /outside its range.*-120 to 20 dBm/],
    ['a fraction for an integer', { type: 'u8' }, 1.5, /no integer/],
    ['a text for a number', { type: 'u8' }, 'many', /number/],
    ['another value of an enumeration', MODE, 'SAVE', /no value of ObcMode.*SAFE/],
    ['a number for a boolean', { type: 'bool' }, 1, /true or false/],
    ['half a byte', { type: 'bytes' }, 'abc', /hexadecimal/],
    ['an instance that is not there', { type: 'instance', of: 'battery' }, '9', /not an instance of battery/],
    ['a file identifier that is none', { type: 'file_id' }, 'x', /not a file identifier/],
    ['content that is none', { type: 'file' }, 'abc', /SHA-256/],
  ])('refuses %s in words', async (_what, type, value, reason) => {
    const event = await read(type, value);
    expect(event.type).toBe('answer.unreadable');
    expect(event.reason).toMatch(reason);
  });

  it('is what was written, whatever the number', async () => {
    const type: AnswerType = { type: 'f64', unit: 'ms' };
    const numbers = fc.double({ noNaN: true, min: -1e300, max: 1e300 });
    await fc.assert(
      fc.asyncProperty(numbers, async (number) => {
        const plain = await read(type, number);
        expect(plain.value).toBe(number === 0 ? 0 : number);
        const seconds = await read(type, `${number} s`);
        expect(seconds.value).toBeCloseTo(number * 1_000, -Math.log10(Math.abs(number * 1e-12) + 1e-300));
      }),
      { numRuns: 50 },
    );
  });
});
