/** Integers past 2^53: every digit from the service to whoever reads a value. */

import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExact } from '../../contract/exact-json.ts';
import { numberIn, shownNumber, shownValue } from '../../contract/shown-value.ts';

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);
const wide = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }).filter((n) => n > SAFE || n < -SAFE);
const others = fc.jsonValue().filter((value) => !/\d{16}/.test(JSON.stringify(value)));

describe('an answer of the service', () => {
  it('exact-json.X1 keeps every digit of a whole number past 2^53, as text, wherever it stands', () => {
    fc.assert(
      fc.property(others, wide, wide, (around, one, other) => {
        const text = `{"a":${JSON.stringify(around)},"one":${one},"list":[${other}, 7,${one}]}`;
        expect(parseExact(text)).toEqual({
          a: JSON.parse(JSON.stringify(around)),
          one: `${one}`,
          list: [`${other}`, 7, `${one}`],
        });
      }),
    );
  });

  it('exact-json.X1 changes nothing else: texts with long numbers in them, fractions, exponents, the last safe integers', () => {
    const text = String.raw`{"a":"12345678901234567890","b":"\"18446744073709551615\\","c":0.12345678901234567890,"d":1e300,"e":12345678901234567890.5,"f":9007199254740991,"g":-9007199254740991,"18446744073709551615":1}`;
    expect(parseExact(text)).toEqual(JSON.parse(text));
  });

  it('exact-json.X1 is read in time that grows with its length, and a broken one is refused as any other', () => {
    const digits = '18446744073709551615';
    const long = `[${Array.from({ length: 20_000 }, () => `"${'\\\\'.repeat(20)}",${digits}`).join()}]`;
    expect((parseExact(long) as string[])[39_999]).toBe(digits);
    const unclosed = `["${'\\"'.repeat(200_000)} ${digits}`;
    expect(() => parseExact(unclosed)).toThrow(SyntaxError);
  });

  it('exact-json.X1 is read so by the command line and the console wherever a value may stand in it', () => {
    const files = ['cli', 'console'].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
    );
    const plain = files.filter(
      (file) => file.endsWith('.ts') && /JSON\.parse\(|\.json\(\)/.test(readFileSync(file, 'utf8')),
    );
    expect(plain.sort()).toEqual(WITHOUT_VALUES);
  });
});

/** What these read is of the browser's store, an identity provider, the bench, the process tree, a document, a refusal. */
const WITHOUT_VALUES = [
  'cli/commands.ts',
  'cli/content-download.ts',
  'cli/entries-file.ts',
  'cli/export-pages.ts',
  'cli/followed.ts',
  'cli/upload-content.ts',
  'console/bench/bench-service.ts',
  'console/bench/feed-message.ts',
  'console/bench/fix-command.ts',
  'console/inspect/inspect.ts',
  'console/oidc-tokens.ts',
  'console/oidc.ts',
  'console/operator/data/connection.ts',
  'console/service.ts',
  'console/token.ts',
];

describe('a value as people read it', () => {
  it.each([
    [1_234_567_890, '1234567890'],
    [-9_007_199_254_740_991, '-9007199254740991'],
    [5.912_345_678, '5.912346'],
    [1_700_000_000.256_7, '1700000000.257'],
    [0.000_012_345_678_9, '0.00001234568'],
    [Number.NaN, 'NaN'],
  ])('shown-value.W1 shown-value.W2 %s is shown as %s', (value, shown) => {
    expect([shownNumber(value), shownValue(value)]).toEqual([shown, shown]);
  });

  it('shown-value.W1 a number past 2^53 is compared as a number, digits within 2^53 and other text are not', () => {
    const none = ['12345', '1234567890123456', '9007199254740991', 'abc', '', '1e300', null, true, undefined];
    expect(none.map(numberIn)).toEqual(none.map(() => undefined));
    expect(['9007199254740993', '-9223372036854775808', '18446744073709551615', 4.5].map(numberIn)).toEqual([
      2 ** 53,
      -(2 ** 63),
      2 ** 64,
      4.5,
    ]);
  });
});
