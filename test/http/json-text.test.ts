import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countKeys, countNames, repeatedNames } from '../../http/json-text.ts';

describe('names of a JSON text', () => {
  it('json-text.X1 are as many as the keys of its value when none is repeated', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(countNames(Buffer.from(text))).toBe(countKeys(JSON.parse(text)));
        expect(repeatedNames(text)).toEqual([]);
      }),
    );
  });

  it('json-text.X1 are more than the keys when one is repeated, wherever it stands', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), fc.jsonValue(), (value, name, other) => {
        const repeated = `{${JSON.stringify(name)}:1,${JSON.stringify(name)}:${JSON.stringify(other)}}`;
        const text = `[${JSON.stringify(value)},{"in":${repeated}}]`;
        expect(countNames(Buffer.from(text))).toBe(countKeys(JSON.parse(text)) + 1);
        expect(repeatedNames(text)).toHaveLength(1);
      }),
    );
  });

  it.each([
    ['{"a":1,"a":2}', ['/a']],
    ['{"a":1,"b":{"a":1}}', []],
    ['{"a":1,"\\u0061":2}', ['/a']],
    ['{"__proto__":1,"__proto__":2}', ['/__proto__']],
    ['{"x":[{"k":1},{"k":1,"k":2}]}', ['/x/1/k']],
    ['{"x":[1,[2,{"k":1,"k":2}]]}', ['/x/1/1/k']],
    ['{"a":[1],"b":{"c":1,"c":2}}', ['/b/c']],
    ['{"a":"a"}', []],
    ['["a","a"]', []],
    ['{"a/b":{"~":1,"~":2}}', ['/a~1b/~0']],
    ['{"a" : 1 , "a"\n: 2}', ['/a']],
    ['{"a":"x","b":"\\"a\\":"}', []],
    ['{"a":1,"a":2,"a":3}', ['/a', '/a']],
  ])('finds what repeats in %s', (text, pointers) => {
    expect(repeatedNames(text)).toEqual(pointers);
  });
});
