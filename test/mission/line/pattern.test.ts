/** Patterns of lines: what they match and take out, which are refused, and that reading is one pass. */

import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { LINE_PATTERN_CHARACTERS } from '../../../contract/limits/link.ts';
import { createEnumeration } from '../../../mission/enumeration.ts';
import { commonLine, covers } from '../../../mission/line/overlap.ts';
import { compilePattern, type Pattern } from '../../../mission/line/pattern.ts';

const MODES = createEnumeration('Mode', [
  ['OFF', 0],
  ['ON', 1],
  ['ONLINE', 2],
]);
const enumerations = new Map([['Mode', MODES]]);

function pattern(source: string): Pattern {
  const compiled = compilePattern(source, enumerations);
  if (!compiled.ok) throw new Error(compiled.faults.map(({ message }) => message).join('\n'));
  return compiled.value;
}

function faults(source: string): string[] {
  const compiled = compilePattern(source, enumerations);
  if (compiled.ok) throw new Error(`${source} compiled`);
  for (const { help } of compiled.faults) expect(help).not.toBe('');
  return compiled.faults.map(({ message }) => message);
}

describe('a pattern', () => {
  it.each([
    ['TEMP {value:decimal} C', 'TEMP 21.50 C', ['21.50']],
    ['TEMP {value:decimal} C', 'TEMP \t -.5  C', ['-.5']],
    ['TEMP {value:number}', 'TEMP 1.5e-3', ['1.5e-3']],
    ['{a:integer},{b:integer}', '+1,-2', ['+1', '-2']],
    ['ID {id:hex} {mode:Mode}', 'ID 00Ff ONLINE', ['00Ff', 'ONLINE']],
    ['ID {id:hex} {mode:Mode}', 'ID 0 ON', ['0', 'ON']],
    ["NAME '{name:text}' OK", "NAME 'a b  c' OK", ['a b  c']],
    ['ERR {code:integer} {reason:text}', 'ERR 3 door is open', ['3', 'door is open']],
    ['HEATER {on:OFF|ON}', 'HEATER ON', ['ON']],
    ['{key:word}={value:word};', 'a=b;', ['a', 'b']],
    ['{{ {n:integer} }}', '{ 5 }', ['5']],
    ['5', '5', []],
  ])('%s takes %s apart', (source, line, places) => {
    expect(pattern(source).match(line)).toEqual(places);
  });

  it.each([
    ['TEMP {value:decimal} C', 'TEMP 21.5C'],
    ['TEMP {value:decimal} C', 'TEMP 21. C'],
    ['TEMP {value:decimal} C', 'TEMP 1e3 C'],
    ['TEMP {value:decimal} C', 'temp 21 C'],
    ['TEMP {value:decimal} C', 'TEMP 21 C and more'],
    ['TEMP {value:number}', 'TEMP 1e'],
    ['TEMP {value:integer}', 'TEMP'],
    ['TEMP {value:integer}', 'TEMP -'],
    ['MODE {mode:Mode}', 'MODE ONL'],
    ['MODE {mode:Mode}', 'MODE on'],
    ["NAME '{name:text}'", "NAME ''"],
    ['NAME {name:word}', 'NAME two words'],
  ])('%s does not match %s', (source, line) => {
    expect(pattern(source).match(line)).toBeUndefined();
  });

  it.each([
    ['TEMP {value:number}{unit:word}', 'nothing stands between {value} and {unit}'],
    ['TEMP {value:number}eV', '{value} may continue with "e", and so does the text after it'],
    ['TEMP {value:decimal}.', '{value} may continue with ".", and so does the text after it'],
    ['MODE {mode:Mode}LINE', '{mode} may continue with "L", and so does the text after it'],
    ['{reason:text} END', 'the text {reason} would end at the first blank'],
    ['TEMP {value:numer}', '{value:numer} holds nothing known'],
    ['TEMP {value}', '{value} does not say what it holds'],
    ['TEMP {value:OFF|OFF}', '{value:OFF|OFF} has an empty word, one that is repeated, or blanks around one'],
    ['{a:word} {a:word}', '{a} is given twice'],
    ['TEMP {value', 'the { at character 6 has no partner'],
    ['TEMP }', 'the } at character 6 has no partner'],
    ['TEMP {1st:word}', '{1st:word} at character 6 is no place'],
    [' TEMP', 'it begins or ends with a blank'],
    ['TEMP\n', 'it holds the control character U+000A'],
  ])('%s is refused: %s', (source, message) => {
    expect(faults(source)).toEqual([message]);
  });

  it('reports every fault at once', () => {
    expect(faults(' {a:numer} {b:number}e')).toHaveLength(3);
  });

  it('longer than a line of a screen is refused', () => {
    expect(faults('x'.repeat(LINE_PATTERN_CHARACTERS + 1))[0]).toContain('characters');
  });

  it('reads a long line in one pass, whatever repeats in it', () => {
    const greedy = pattern('{a:word} {b:word} {c:word} {d:word} {e:text}');
    const step = vi.spyOn(greedy, 'step');
    const line = 'a '.repeat(5_000);
    expect(greedy.match(line)).toHaveLength(5);
    expect(step).toHaveBeenCalledTimes(line.length);
  });

  it('takes out of any line what was put into it', () => {
    const one = pattern('SET {name:word} = {value:number} ({note:text}) {on:OFF|ON}');
    const word = fc.stringMatching(/^[A-Za-z0-9_.-]{1,12}$/);
    const note = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9 ]{0,12}$/);
    fc.assert(
      fc.property(
        word,
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        note,
        fc.boolean(),
        (name, value, text, on) => {
          const line = `SET ${name} = ${value} (${text}) ${on ? 'ON' : 'OFF'}`;
          expect(one.match(line)).toEqual([name, String(value), text, on ? 'ON' : 'OFF']);
        },
      ),
    );
  });

  it('of any text compiles or is refused, and matching never throws', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '{a:word}',
      '{b:number}',
      '{c:text}',
      ' ',
      'x',
      '1',
      'e',
      '{{',
      ':',
      '|',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 10 }), fc.string(), (pieces, line) => {
        const compiled = compilePattern(pieces.join(''), enumerations);
        if (compiled.ok) compiled.value.match(line);
        else expect(compiled.faults.length).toBeGreaterThan(0);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('two patterns', () => {
  it.each([
    ['OK', 'OK', 'OK'],
    ['TEMP {a:number}', 'TEMP {b:integer}', 'TEMP 0'],
    ['TEMP {a:text}', '{b:word} 5', 'TEMP 5'],
    ['ERR {a:text}', '{b:word} {c:integer}', 'ERR 0'],
    ['MODE {a:Mode}', 'MODE {b:ON|AUTO}', 'MODE ON'],
    ['{a:hex}', '{b:word}', '0'],
  ])('%s and %s both match %s', (a, b, line) => {
    const [one, two] = [pattern(a), pattern(b)];
    const common = commonLine(one, two);
    expect(common).toHaveLength(line.length);
    expect([one.match(common!), two.match(common!)]).not.toContain(undefined);
    expect([one.match(line), two.match(line)]).not.toContain(undefined);
  });

  it.each([
    ['TEMP {a:number}', 'HUM {b:number}'],
    ['TEMP {a:number} C', 'TEMP {b:number} K'],
    ['ERR {a:integer}', 'ERR {b:integer} {c:text}'],
    ['MODE {a:ON|OFF}', 'MODE {b:AUTO|HOLD}'],
    ['{a:word}', '{b:word} {c:word}'],
  ])('%s and %s have no line in common', (a, b) => {
    expect(commonLine(pattern(a), pattern(b))).toBeUndefined();
  });

  it('one that matches all that the other does is reported', () => {
    expect(covers(pattern('TEMP {a:text}'), pattern('TEMP {b:number} C'))).toBe(true);
    expect(covers(pattern('TEMP {a:number}'), pattern('TEMP {b:integer}'))).toBe(true);
    expect(covers(pattern('TEMP {a:integer}'), pattern('TEMP {b:number}'))).toBe(false);
    expect(covers(pattern('{a:word}'), pattern('OK'))).toBe(true);
    expect(covers(pattern('OK'), pattern('{a:word}'))).toBe(false);
  });

  it('have a common line exactly when one can be found by trying', () => {
    const piece = fc.constantFrom('A', 'AB', 'B', ' ', '{N:integer}', '{W:word}', '{T:text}', '{C:A|AB}');
    const lines = ['A', 'B', 'AB', 'AA', 'A B', 'AB A', 'A 1', '1', '1 A', 'A A B', 'AB1', 'B1', '1A'];
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 4 }), fc.array(piece, { maxLength: 4 }), (left, right) => {
        const [a, b] = [left, right].map((each) => compilePattern(each.join(''), enumerations));
        if (!a?.ok || !b?.ok) return;
        const common = commonLine(a.value, b.value);
        if (common !== undefined) {
          expect(a.value.match(common), common).toBeDefined();
          expect(b.value.match(common), common).toBeDefined();
        } else {
          for (const line of lines) expect(a.value.match(line) && b.value.match(line)).toBeUndefined();
        }
      }),
      { numRuns: 3_000 },
    );
  });
});
