/** What a run asks in words, and what is sent as an answer to it. */

import { describe, expect, it } from 'vitest';
import { answerFault, answerPlace, wantedWords } from '../../contract/run-question.ts';

const level = { type: 'f64', unit: 'dB', range: [-130, 0] as [number, number] };
const choice = { type: 'gain', choices: ['low', 'high'] };

describe('a typed question', () => {
  it('says type, unit, range and choices', () => {
    expect(wantedWords(level)).toBe('number in dB, from -130 to 0');
    expect(wantedWords({ type: 'u8', range: [null, 7] })).toBe('whole number, to 7');
    expect(wantedWords(choice)).toBe('one of low, high');
    expect(answerPlace({ kind: 'ask', answer: level })).toBe('VALUE|no');
    expect(answerPlace({ kind: 'ask' })).toBe('yes|no');
  });

  it.each([
    [level, { accepted: true }, /a yes has no value: .* number in dB/],
    [level, { accepted: true, value: 'loud' }, /"loud" cannot be/],
    [level, { accepted: true, value: true }, /true cannot be/],
    [level, { accepted: true, value: 3 }, /3 cannot be an answer: .*to 0/],
    [choice, { accepted: true, value: 'medium' }, /one of low, high/],
  ])('run-question.Q1 %j refuses %j', (answer, said, reason) => {
    expect(answerFault({ answer }, said)).toMatch(reason);
  });

  it.each([
    [level, { accepted: true, value: -12.5 }],
    [level, { accepted: true, value: '-12 dB' }],
    [level, { accepted: false }],
    [choice, { accepted: true, value: 'low' }],
  ])('%j takes %j', (answer, said) => {
    expect(answerFault({ answer }, said)).toBeUndefined();
  });

  it('a yes or a no is taken where nothing is typed', () => {
    expect(answerFault({}, { accepted: true })).toBeUndefined();
  });
});
