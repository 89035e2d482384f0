/** Lines written by templates: formats, and what is refused because it would not stay in its place. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LINE_BYTES } from '../../../contract/limits/link.ts';
import type { ResolvedValue } from '../../../contract/telecommand.ts';
import { createEnumeration } from '../../../mission/enumeration.ts';
import { compileWriter, type LineArgument } from '../../../mission/line/writer.ts';

const STATE = createEnumeration('State', [
  ['OFF', 0],
  ['AUTO', 7],
]);
const argument = (name: string, type: string, parts: Partial<LineArgument> = {}): LineArgument => ({
  name,
  type,
  enumeration: undefined,
  signed: !type.startsWith('u'),
  ...parts,
});
const ARGUMENTS = new Map(
  [
    argument('f', 'f64'),
    argument('i', 'i16'),
    argument('u', 'u16'),
    argument('w', 'u64'),
    argument('s', 'string'),
    argument('b', 'bytes'),
    argument('on', 'bool'),
    argument('e', 'State', { enumeration: STATE }),
    argument('instance', 'string'),
  ].map((each) => [each.name, each]),
);

function write(template: string, args: Record<string, ResolvedValue>, instance?: string) {
  const compiled = compileWriter(template, (name) => ARGUMENTS.get(name));
  if (!compiled.ok) throw new Error(compiled.faults.map(({ message }) => message).join('\n'));
  return compiled.value.writer(args, instance);
}

function line(template: string, args: Record<string, ResolvedValue>, instance?: string): string {
  const written = write(template, args, instance);
  return written.ok ? written.value : `refused: ${written.faults.join('; ')}`;
}

describe('a template', () => {
  it.each([
    ['SET {f}', { f: 0.1 }, 'SET 0.1'],
    ['SET {f}', { f: 1e21 }, 'SET 1000000000000000000000'],
    ['SET {f}', { f: -1.25e-7 }, 'SET -0.000000125'],
    ['SET {f}', { f: -0 }, 'SET 0'],
    ['SET {f:.2}', { f: 2 }, 'SET 2.00'],
    ['SET {f:.1}', { f: -0.04 }, 'SET 0.0'],
    ['SET {f:08.3}', { f: -1.5 }, 'SET -001.500'],
    ['SET {f:8.1}|', { f: 2.5 }, 'SET      2.5|'],
    ['SET {f:+.1}', { f: 2.5 }, 'SET +2.5'],
    ['SET {i:+05}', { i: -7 }, 'SET -0007'],
    ['SET {u:04X}', { u: 171 }, 'SET 00AB'],
    ['SET {u:x}', { u: 171 }, 'SET ab'],
    ['SET {w}', { w: '18446744073709551615' }, 'SET 18446744073709551615'],
    ['SET {w:X}', { w: '18446744073709551615' }, 'SET FFFFFFFFFFFFFFFF'],
    ['HEATER {on}', { on: true }, 'HEATER 1'],
    ['HEATER {on:OFF|ON}', { on: false }, 'HEATER OFF'],
    ['HEATER {e}', { e: 'AUTO' }, 'HEATER AUTO'],
    ['HEATER {e:number}', { e: 'AUTO' }, 'HEATER 7'],
    ['HEATER {e:-6}!', { e: 'OFF' }, 'HEATER OFF   !'],
    ['HEATER {e:6}', { e: 'OFF' }, 'HEATER    OFF'],
    ['NAME {s}', { s: 'one' }, 'NAME one'],
    ['NAME {s:text}', { s: 'two words' }, 'NAME two words'],
    ['NAME {s:quoted}', { s: 'a "b" \\c' }, 'NAME "a \\"b\\" \\\\c"'],
    ['NAME {s:quoted}', { s: '' }, 'NAME ""'],
    ['DATA {b:X}', { b: '00ff' }, 'DATA 00FF'],
    ['{{{f}}}', { f: 1 }, '{1}'],
  ])('%s with %j is %s', (template, args, expected) => {
    expect(line(template, args)).toBe(expected);
  });

  it('writes the instance', () => {
    expect(line('CELL {instance} {f}', { f: 1 }, '2')).toBe('CELL 2 1');
  });

  it.each([
    ['NAME {s}', { s: 'two words' }, 'has blanks'],
    ['NAME {s}', { s: '' }, 'empty'],
    ['NAME {s}', { s: 'a\nREBOOT' }, 'U+000A'],
    ['NAME {s:text}', { s: 'a\r\nREBOOT' }, 'U+000D'],
    ['NAME {s:quoted}', { s: 'a\u2028b' }, 'U+2028'],
    ['NAME {s:text}', { s: '\u001b[2J' }, 'U+001B'],
    ['SET {f:.2}', { f: 1e21 }, 'cannot be written with 2 decimals'],
    ['NAME {s:text}', { s: 'x'.repeat(LINE_BYTES) }, 'bytes, at most'],
    ['SET {f}', {}, 'f: no value'],
  ])('%s refuses %j', (template, args, why) => {
    expect(line(template, args as Record<string, ResolvedValue>)).toMatch(/^refused: /);
    expect(line(template, args as Record<string, ResolvedValue>)).toContain(why);
  });

  it('reports every value that does not fit', () => {
    const written = write('{s} {f:.1}', { s: 'a b', f: 1e300 });
    expect(written.ok ? [] : written.faults).toHaveLength(2);
  });

  it.each([
    ['{f:.2.2}'],
    ['{f:0}'],
    ['{i:x}'],
    ['{f:x}'],
    ['{u:.1x}'],
    ['{on:YES}'],
    ['{on:YES|YES}'],
    ['{e:.2}'],
    ['{s:8}'],
    ['{b:base64}'],
  ])('%s is refused: the format does not fit the argument', (template) => {
    const compiled = compileWriter(template, (name) => ARGUMENTS.get(name));
    expect(compiled.ok ? [] : compiled.faults).toMatchObject([
      { message: expect.stringContaining('fits no argument') },
    ]);
  });

  it('writer.W1 whatever the text is, one line leaves or none', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 20 }),
        fc.constantFrom('word', 'text', 'quoted'),
        (text, format) => {
          const written = write(`NAME {s:${format}} END`, { s: text });
          // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
          if (written.ok) expect(written.value).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/);
        },
      ),
      { numRuns: 3_000 },
    );
  });
});
