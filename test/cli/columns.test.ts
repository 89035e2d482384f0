/** Rows as columns in a terminal. */

import { expect, it } from 'vitest';
import { Columns } from '../../cli/columns.ts';

interface Row {
  readonly state: string;
  readonly reasons: string;
}

const REASONS =
  'the pass was moved by 4 min; kiruna is booked by somebody else until 03:12; warning: LOS comes 20 s early';

function columns(wraps: boolean): Columns<'STATE' | 'REASONS', Row> {
  const made = new Columns<'STATE' | 'REASONS', Row>({
    columns: ['STATE', 'REASONS'],
    cell: (column, row) => (column === 'STATE' ? row.state : row.reasons),
    tone: () => undefined,
    right: [],
    spared: [],
    ...(wraps && { wraps: true }),
  });
  made.add({ state: 'AT RISK', reasons: REASONS });
  return made;
}

const lines = (reasons: string, width: number | undefined, wraps = true): string[] =>
  columns(wraps).lines({ state: 'AT RISK', reasons }, 0, { width, colour: false });

it('columns.C2 a long last column goes on below itself in whole words, and nothing of it is lost', () => {
  const shown = lines(REASONS, 40);
  expect(shown.length).toBeGreaterThan(2);
  expect(shown[0]).toMatch(/^AT RISK {2}the pass was/);
  for (const line of shown.slice(1)) expect(line).toMatch(/^ {9}\S/);
  for (const line of shown) expect(line.length).toBeLessThanOrEqual(40);
  expect(shown.map((line) => line.slice(9)).join(' ')).toBe(REASONS);
});

it('columns.C2 a word longer than the line is broken', () => {
  const word = 'x'.repeat(95);
  expect(
    lines(word, 40)
      .map((line) => line.slice(9))
      .join(''),
  ).toBe(word);
});

it('columns.C1 what is no wrapped column, and what is no terminal, stays one line', () => {
  expect(lines(REASONS, 40, false)).toEqual([expect.stringMatching(/^AT RISK {2}the pass was .*…$/)]);
  expect(lines(REASONS, undefined)).toEqual([`AT RISK  ${REASONS}`]);
  expect(lines('', 40)).toEqual(['AT RISK']);
});

it('a terminal narrower than the other columns loses nothing either, and ends', () => {
  expect(lines(REASONS, 5).length).toBeLessThanOrEqual(REASONS.length);
});
