/**
 * Comparisons, tolerances and extremes against what their definitions say, with the edges: equal sides, each operator
 * with its sides either way round, and windows longer than any that is kept whole.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileCondition } from '../../mission/condition/compile.ts';
import { derived, followed, SCOPE } from './condition-platform.ts';

const OPERATORS: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};
const VALUES = [-1, 0, 1] as const;
const PAIRS = VALUES.flatMap((a) => VALUES.map((b) => [a, b] as const));

function truthOf(text: string, samples: Readonly<Record<string, number | string | null>>): boolean | null {
  const condition = followed(text);
  for (const [key, value] of Object.entries(samples)) condition.feed(key, value, 0);
  return condition.truth(0);
}

function faultOf(text: string): string {
  const compiled = compileCondition(text, SCOPE);
  return compiled.ok ? '' : compiled.faults.map(({ message, help }) => `${message}; ${help}`).join('\n');
}

describe.each(Object.entries(OPERATORS))('the operator %s', (op, holds) => {
  it('is what it says between a measure and a number, either way round, and between two measures', () => {
    for (const [a, b] of PAIRS) {
      const expected = holds(a, b);
      expect(truthOf(`voltage ${op} ${b} V`, { voltage: a }), `${a} ${op} ${b}`).toBe(expected);
      expect(truthOf(`${a} V ${op} voltage`, { voltage: b }), `${a} ${op} ${b}, turned`).toBe(expected);
      const both = { voltage: a, 'battery[2].voltage': b };
      expect(truthOf(`voltage ${op} battery[2].voltage`, both), `${a} ${op} ${b}, measured`).toBe(expected);
    }
  });

  it('is unknown while a side is', () => {
    expect(truthOf(`voltage ${op} battery[2].voltage`, { voltage: 1 })).toBe(null);
    expect(truthOf(`voltage ${op} battery[2].voltage`, { 'battery[2].voltage': 1 })).toBe(null);
  });
});

describe('what has no order', () => {
  it.each([
    ['obc.label == obc.label', { 'obc.label': 'a' }, true],
    ['obc.label != "a"', { 'obc.label': 'a' }, false],
    ['obc.label == "A"', { 'obc.label': 'a' }, false],
    ['obc.label == "0xab"', { 'obc.label': 'ab' }, false],
    ['obc.key == "0xAB"', { 'obc.key': 'ab' }, true],
    ['obc.key == "ab0x01"', { 'obc.key': 'ab01' }, false],
    ['obc.label == "a"', {}, null],
    ['obc.mode == obc.spare', { 'obc.mode': 1, 'obc.spare': 1 }, true],
    ['obc.mode == obc.spare', { 'obc.mode': 1, 'obc.spare': 2 }, false],
    ['obc.mode != SAFE', { 'obc.mode': 1 }, false],
  ])('%s with %j is %s', (text, samples, expected) => {
    expect(truthOf(text, samples)).toBe(expected);
  });

  it.each([
    ['obc.label < "a"', /has no order; compare it with == or !=/],
    ['obc.mode == obc.channel', /ObcMode.*Channel/],
    ['obc.on == obc.counter', /./],
    ['voltage + 1 V changes', /only a measure changes; name one measure in front of "changes"/],
    ['age(voltage) < age(current)', /two ages cannot be compared; compare each with a duration/],
    ['age(voltage) == 60 s', /an age is never equal to anything for long; compare it with < or >/],
    ['age(voltage) != 60 s', /an age is never equal to anything for long/],
    ['voltage within -1 V of 7 V', /the tolerance is negative; write zero or more/],
    ['voltage within 1 V of 7 mA', /./],
    ['nothing within 1 V of 7 V', /./],
    ['voltage within 1 V of nothing', /./],
    ['voltage within nothing of 7 V', /./],
  ])('%s is refused with what to write', (text, said) => {
    expect(faultOf(text)).toMatch(said);
  });
});

describe('within a tolerance', () => {
  const EDGES = [
    [5.99, false],
    [6, true],
    [7, true],
    [8, true],
    [8.01, false],
  ] as const;

  it.each(EDGES)('%s V within 1 V of 7 V is %s, however its sides are given', (value, expected) => {
    const other = 'battery[2].voltage';
    expect(truthOf('voltage within 1 V of 7 V', { voltage: value })).toBe(expected);
    expect(truthOf('7 V within 1 V of voltage', { voltage: value })).toBe(expected);
    expect(truthOf(`voltage within 1 V of ${other}`, { voltage: value, [other]: 7 })).toBe(expected);
    expect(truthOf(`voltage within ${other} of 7 V`, { voltage: value, [other]: 1 })).toBe(expected);
  });

  it('counts the units of its sides, and of 0 is equality', () => {
    expect(truthOf('voltage within 500 mV of 7 V', { voltage: 7.5 })).toBe(true);
    expect(truthOf('voltage within 500 mV of 7 V', { voltage: 7.6 })).toBe(false);
    expect(truthOf('7000 mV within 0.5 V of voltage', { voltage: 7.5 })).toBe(true);
    expect(truthOf('voltage within 0 V of 7 V', { voltage: 7 })).toBe(true);
    expect(truthOf('voltage within 0 V of 7 V', { voltage: 7.001 })).toBe(false);
  });

  it('is unknown while a side is', () => {
    const other = 'battery[2].voltage';
    expect(truthOf(`voltage within 1 V of ${other}`, { voltage: 7 })).toBe(null);
    expect(truthOf(`voltage within ${other} of 7 V`, { voltage: 7 })).toBe(null);
  });
});

describe('the extremes of a long window', () => {
  it.each(['min', 'max'] as const)('%s is that of what is inside, through thousands of samples', (name) => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 400, maxLength: 400 }), (noise) => {
        const length = 150;
        const measure = derived(`${name}(voltage, ${length} ms)`, { unit: 'V' });
        // Rising, then falling: the queue of one of them grows long and is spent from its head.
        const values = noise.map((each, at) => each / 10 + (at < 200 ? at : 400 - at));
        values.forEach((value, at) => {
          measure.feed('voltage', value, at);
          const inside = values.slice(Math.max(0, at - length + 1), at + 1);
          expect(measure.value(at)).toBe(name === 'min' ? Math.min(...inside) : Math.max(...inside));
        });
      }),
      { numRuns: 10 },
    );
  });
});
