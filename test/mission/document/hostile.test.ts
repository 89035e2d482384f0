/** Texts of mission documents that are made to be dear: each is refused, in time proportional to its length. */

import { expect, it } from 'vitest';
import {
  DOCUMENT_CHARACTERS,
  DOCUMENT_FAULTS_LISTED,
  DOCUMENT_NESTING,
} from '../../../contract/limits/mission.ts';
import { compile } from '../../../mission/compile.ts';
import { FaultList } from '../../../mission/document/fault.ts';
import { readDocument } from '../../../mission/document/read.ts';

const faultsOf = (text: string) => {
  const compiled = compile([{ file: 'a.yaml', text }]);
  return compiled.ok ? [] : compiled.faults;
};

it.each([
  ['lists', '[', ''],
  ['mappings', '{a: ', ''],
  ['lists in lines', '- ', ''],
  ['keys that are mappings', '? ', ''],
  ['lists that end', '[', ']'],
])(
  'compose.M1 %s within one another without end are refused before they reach the stack',
  (_what, open, end) => {
    const text = `platform: deep\ncomponents: ${open === '- ' || open === '? ' ? '\n  ' : ''}${open.repeat(16_000)}${end.repeat(16_000)}`;
    expect(faultsOf(text)[0]).toMatchObject({
      file: 'a.yaml',
      message: `nests more than ${DOCUMENT_NESTING} collections and keys within one another`,
    });
  },
);

it('compose.M1 aliases that nest what they repeat are refused', () => {
  const links = Array.from({ length: 2_000 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}]`);
  const [fault] = faultsOf(['platform: deep', 'a0: &a0 [1]', ...links].join('\n'));
  expect(fault?.message).toMatch(/without end|alias/i);
});

it('compose.M1 an alias of what it stands in is refused', () => {
  const [fault] = faultsOf('platform: deep\ncomponents: &a [*a]\n');
  expect(fault?.message).toMatch(/without end|alias/i);
});

it('compose.M1 aliases that multiply are refused', () => {
  const links = Array.from({ length: 30 }, (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n}, `.repeat(9)}]`);
  const [fault] = faultsOf(['platform: laugh', 'a0: &a0 [1]', ...links].join('\n'));
  expect(fault?.message).toMatch(/alias/i);
});

it('compose.M1 a document longer than any is not looked at', () => {
  const [fault, ...more] = faultsOf(`[${' '.repeat(DOCUMENT_CHARACTERS)}`);
  expect(fault?.message).toContain(`at most ${DOCUMENT_CHARACTERS} fit`);
  expect(more.filter(({ file }) => file === 'a.yaml')).toEqual([]);
});

it('of very many faults the first are listed with their places, and how many more there are', () => {
  const keys = Array.from({ length: 5_000 }, (_, n) => `x${n}: 1`);
  const faults = faultsOf(['platform: many', 'version: 1.0.0', 'components: {}', ...keys].join('\n'));
  expect(faults).toHaveLength(DOCUMENT_FAULTS_LISTED + 1);
  expect(faults[0]).toMatchObject({ line: 4, column: 1, message: 'unknown key "x0"' });
  expect(faults.at(-1)?.message).toBe(`and ${5_000 - DOCUMENT_FAULTS_LISTED} more`);
});

it('compose.M2 a key that is given twice is reported with the place of the second, numbers and texts being one key', () => {
  const list = new FaultList();
  readDocument({ file: 'a.yaml', text: 'platform: a\n1: x\n"1": y\nplatform: b\n' }, list);
  expect(list.faults.map(({ line, message }) => [line, message])).toEqual([
    [3, 'Map keys must be unique'],
    [4, 'Map keys must be unique'],
  ]);
});
