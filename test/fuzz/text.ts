/** Texts for fuzz tests: noise, and valid texts with a hand laid on them. */

import fc from 'fast-check';

/** Characters that mean something to somebody: parsers, terminals, encodings. */
const SHARP = [...'"\'`\\/%&?#=+,;:.-_~!@$^*()[]{}<>| \t\r\n0a'].concat([
  '\u0000',
  '\u0007',
  '\u007f',
  '\u0085',
  '\u00a0',
  '\u2028',
  '\ufeff',
  '\ud800',
  '\udc00',
  '\u{1f680}',
  'µ',
  '٣',
]);
const WORDS = [
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  'NaN',
  'Infinity',
  '-0',
  '1e999',
  '../..',
];

/** Text of any kind, mostly short. */
export const noise: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme-ascii', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom(...SHARP), maxLength: 40 }),
  fc.constantFrom(...WORDS),
);

interface Edit {
  readonly at: number;
  readonly remove: number;
  readonly insert: string;
}

const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  remove: fc.oneof({ weight: 4, arbitrary: fc.nat(4) }, fc.nat(60)),
  insert: fc.oneof(
    fc.constant(''),
    fc.constantFrom(...SHARP),
    noise,
    fc.constantFrom(...SHARP).map((one) => one.repeat(40)),
  ),
});

function edited(text: string, { at, remove, insert }: Edit): string {
  const place = Math.floor(at * text.length);
  return text.slice(0, place) + insert + text.slice(place + remove);
}

/** One of the texts, with up to `edits` places changed. */
export function mutated(texts: readonly string[], edits = 4): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...texts), fc.array(edit, { minLength: 0, maxLength: edits }))
    .map(([text, changes]) => changes.reduce(edited, text));
}

/** One of the byte strings, with up to `edits` bytes set, put in or everything behind them cut off. */
export function mutatedBytes(samples: readonly Buffer[], edits = 6): fc.Arbitrary<Buffer> {
  const change = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    value: fc.nat(255),
    how: fc.constantFrom('set', 'set', 'cut', 'add'),
  });
  return fc
    .tuple(fc.constantFrom(...samples), fc.array(change, { maxLength: edits }))
    .map(([sample, changes]): Buffer => {
      let bytes = Buffer.from(sample);
      for (const { at, value, how } of changes)
        bytes = changedBytes(bytes, Math.floor(at * bytes.length), value, how);
      return bytes;
    });
}

function changedBytes(
  bytes: Buffer<ArrayBuffer>,
  at: number,
  value: number,
  how: string,
): Buffer<ArrayBuffer> {
  if (how === 'cut') return bytes.subarray(0, at);
  if (how === 'add')
    return Buffer.concat([bytes.subarray(0, at), Buffer.alloc(value % 9, value), bytes.subarray(at)]);
  if (bytes.length > 0) bytes[at] = value;
  return bytes;
}
