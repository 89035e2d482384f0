/**
 * The shape check beyond what the documents of missions ask of it; those are in test/mission/document/shape.test.ts.
 */

import Type from 'typebox';
import { expect, it } from 'vitest';
import { shapeFaults } from '../../radio/document/fault.ts';

const closed = { additionalProperties: false } as const;
const Tagged = Type.Union([
  Type.Object({ kind: Type.Literal('a'), size: Type.Integer() }, closed),
  Type.Object({ kind: Type.Enum(['b', 'c']), name: Type.String({ maxLength: 3 }) }, closed),
]);

it.each([
  [{ kind: 'a', size: 1 }, []],
  [{ kind: 'c', name: 'abc' }, []],
  [{ kind: 'a', size: 'x' }, ['size: is "x"; an integer is expected here; write an integer']],
  [
    { kind: 'b', size: 1 },
    ['document: the key "name" is missing; add name: …', 'size: unknown key "size"; allowed: kind, name'],
  ],
  [{ kind: 'd' }, ['kind: is "d"; one of a, b, c is expected here; allowed: a, b, c']],
  [{ size: 1 }, ['document: the key "kind" is missing; allowed: a, b, c']],
  [{ kind: null }, ['kind: is empty; one of a, b, c is expected here; allowed: a, b, c']],
])('alternatives that a key tells apart are judged by that key: %j', (value, faults) => {
  expect(shapeFaults(Tagged, value)).toEqual(faults);
});

it.each([
  ['abc', 0],
  ['abcd', 1],
  ['🛰🛰🛰', 0],
])('characters are counted as people count them: %s', (name, faults) => {
  expect(shapeFaults(Tagged, { kind: 'b', name })).toHaveLength(faults);
});

it('a mapping where a word belongs is a fault, also one that has no text', () => {
  for (const kind of [{ toString: 'x' }, Object.create(null) as object, [[]]])
    expect(shapeFaults(Tagged, { kind })).toHaveLength(1);
});
