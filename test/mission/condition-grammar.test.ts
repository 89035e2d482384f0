/** The grammar of conditions: what it takes, how it binds, and where it says a text goes wrong. */

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import peggy from 'peggy';
import { describe, expect, it } from 'vitest';
import { type InstanceNode, type Node, parseCondition } from '../../mission/condition/syntax.ts';

const FOLDER = new URL('../../mission/condition/', import.meta.url);

/** The tree as text, fully bracketed. */
function shape(node: Node): string {
  switch (node.kind) {
    case 'and':
    case 'or':
      return `(${node.of.map(shape).join(` ${node.kind} `)})`;
    case 'not':
    case 'negative':
      return `(${node.kind} ${shape(node.of)})`;
    case 'stable':
      return `(${shape(node.of)} stable ${shape(node.duration)})`;
    case 'compare':
    case 'binary':
      return `(${shape(node.left)} ${node.op} ${shape(node.right)})`;
    case 'in':
      return `(${shape(node.left)} in ${node.list.map(shape).join('|')})`;
    case 'within':
      return `(${shape(node.left)} within ${shape(node.tolerance)} of ${shape(node.right)})`;
    case 'changes':
      return `(${shape(node.left)} changes)`;
    case 'call':
      return `${node.name}(${node.args.map(shape).join(', ')})`;
    case 'quantity':
      return node.unit === null ? node.text : `${node.text}_${node.unit}`;
    case 'reference':
      return node.path
        .map(({ name, instance }) => name + (instance ? `[${bracketed(instance)}]` : ''))
        .join('.');
    case 'name':
      return `$${node.name}`;
    case 'boolean':
    case 'text':
      return JSON.stringify(node.value);
  }
}

function bracketed(instance: InstanceNode): string {
  return instance.kind === 'literal' ? instance.value : `$${instance.name}`;
}

function parsed(text: string): string {
  const result = parseCondition(text);
  return result.ok ? shape(result.value) : `refused: ${result.faults[0].message}`;
}

describe('the grammar', () => {
  it('has been generated since it was last changed (npm run grammar)', () => {
    const source = readFileSync(new URL('condition.peggy', FOLDER), 'utf8');
    const generated = peggy.generate(source, { output: 'source', format: 'es' });
    expect(readFileSync(new URL('generated/grammar.js', FOLDER), 'utf8').trim()).toBe(generated.trim());
  });

  it('contains no eval and no generated functions', () => {
    expect(readFileSync(new URL('generated/grammar.js', FOLDER), 'utf8')).not.toMatch(
      /\beval\b|new Function/,
    );
  });

  it.each([
    ['a or b and c', '(a or (b and c))'],
    ['a and b or c and d', '((a and b) or (c and d))'],
    ['not a and b', '((not a) and b)'],
    ['not not a', '(not (not a))'],
    ['not a < 3', '(not (a < 3))'],
    ['a and b stable for 10 s', '((a and b) stable 10_s)'],
    ['a and b and stable for 10 s', '((a and b) stable 10_s)'],
    ['a or b and stable for 1 min', '(a or (b stable 1_min))'],
    ['a stable for 1 s or b', '((a stable 1_s) or b)'],
    ['(a stable for 1 s) and b', '((a stable 1_s) and b)'],
    ['1 + 2 * 3 < 4', '((1 + (2 * 3)) < 4)'],
    ['(1 + 2) * 3 < 4', '(((1 + 2) * 3) < 4)'],
    ['1 - 2 - 3 < 4', '(((1 - 2) - 3) < 4)'],
    ['8 / 4 / 2 == 1', '(((8 / 4) / 2) == 1)'],
    ['a - -3 V > b', '((a - (negative 3_V)) > b)'],
    ['x within 2 K of 20 degC', '(x within 2_K of 20_degC)'],
    ['x within a + 1 V of b - c', '(x within (a + 1_V) of (b - c))'],
    ['mode in [A, B,C]', '(mode in A|B|C)'],
    ['obc.counter changes', '(obc.counter changes)'],
    ['avg(eps.battery[1].voltage, 60 s) >= 6.8 V', '(avg(eps.battery[1].voltage, 60_s) >= 6.8_V)'],
    ['sat.battery[$cell].voltage > 6.0 V', '(sat.battery[$cell].voltage > 6.0_V)'],
    ['eps.3v3 < 1 V', '(eps.3v3 < 1_V)'],
    ['a-b > 1', '(a-b > 1)'],
    ['a - b > 1', '((a - b) > 1)'],
    ['x == 0x1F', '(x == 31)'],
    ['x < 1e-3 V/min', '(x < 1e-3_V/min)'],
    ['x < 5 %', '(x < 5_%)'],
    ['x < 5 °C', '(x < 5_°C)'],
    ['5 V / y > 2', '((5_V / y) > 2)'],
    ['label == "a b"', '(label == "a b")'],
    ['on == true and off != false', '((on == true) and (off != false))'],
    ['order < android and notice', '((order < android) and notice)'],
    ['  a\n\tor\r\n b ', '(a or b)'],
    ['obc.in changes', '(obc.in changes)'],
  ])('reads %s', (text, tree) => {
    expect(parsed(text)).toBe(tree);
  });

  it.each([
    ['', 0, 'the condition ends too early'],
    ['a <', 3, 'the condition ends too early'],
    ['a b', 2, 'unexpected "b"'],
    ['a or', 4, 'the condition ends too early'],
    ['a = 3', 2, 'one "=" compares nothing; write "=="'],
    ['1 V < x < 2 V', 8, 'comparisons do not chain; write "a < b and b < c"'],
    ['a && b', 2, '"&&" is not of this language; write "and"'],
    ['a || b', 2, '"||" is not of this language; write "or"'],
    ['!a', 0, '"!" is not of this language; write "not"'],
    ['x < 7.2V', 7, 'write a space between a number and its unit: "V" follows at once'],
    ['x < 7,2 V', 5, 'unexpected ","'],
    ['mode in []', 9, 'unexpected "]"'],
    ['x within 2 K', 12, 'the condition ends too early'],
    ['(a', 2, 'the condition ends too early'],
    ['a)', 1, 'unexpected ")"'],
    ['a..b', 1, 'unexpected "."'],
    ['stable for 10 s', 0, 'unexpected "stable"'],
    ['a[1', 1, 'unexpected "["'],
    ['label == "x', 9, 'unexpected """'],
    ['$ < 3', 0, 'unexpected "$"'],
    ['f(x) ; y', 5, 'unexpected ";"'],
    ['x ** 2 > 3', 3, 'unexpected "*"'],
    ['x > 2 ? 1 : 0', 6, 'unexpected "?"'],
  ])('refuses "%s" at offset %i: %s', (text, offset, message) => {
    const result = parseCondition(text);
    expect(result.ok ? result : result.faults[0]).toMatchObject({ offset, message });
  });

  it('says at the end of a held chain how to go on', () => {
    const result = parseCondition('a stable for 10 s and b');
    expect(result.ok || result.faults[0].message).toContain('"(a stable for 10 s) and b"');
  });

  it('lists what would fit, without what only other languages have', () => {
    const result = parseCondition('a < 3 V b');
    expect(result.ok || result.faults[0].help).toBe('here would fit: "and", "or", "stable", the end');
  });

  it('bounds the length and the depth of a condition', () => {
    const long = parseCondition(`a ${'or a '.repeat(1000)}`);
    expect(long.ok || long.faults[0].message).toContain('characters');
    const deep = parseCondition(`${'('.repeat(33)}a${')'.repeat(33)}`);
    expect(deep.ok ? deep : deep.faults[0]).toMatchObject({ message: 'parentheses too deep', offset: 32 });
    expect(parseCondition(`${'('.repeat(32)}a${')'.repeat(32)}`).ok).toBe(true);
    expect(parseCondition(`${'not '.repeat(1000)}a`).ok).toBe(true);
    expect(parseCondition(`x > ${'-'.repeat(4000)}3`).ok).toBe(true);
  });

  it('syntax.X1 answers any text with a tree or a fault inside the text, and never throws', () => {
    const pieces = [
      'a',
      'obc.mode',
      '[1]',
      '$n',
      '(',
      ')',
      '<',
      '==',
      'and',
      'or',
      'not',
      'in',
      '[',
      ']',
      ',',
      '3',
      ' V',
      'within',
      'of',
      'stable for',
      'changes',
      '"',
      ' ',
      '-',
      '*',
      '!',
      '=',
      'é',
      '\n',
    ];
    const text = fc.oneof(
      fc.string(),
      fc.array(fc.constantFrom(...pieces), { maxLength: 20 }).map((all) => all.join(' ')),
    );
    fc.assert(
      fc.property(text, (source) => {
        const result = parseCondition(source);
        if (result.ok) return;
        const { offset } = result.faults[0];
        expect(offset).toBeGreaterThanOrEqual(0);
        expect(offset).toBeLessThanOrEqual(source.length);
      }),
      { numRuns: 1000 },
    );
  });
});
