/** Names near one that was not found: what is guessed, and that whoever sends the name does not choose the cost. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NAME_CHARACTERS, NEAR_NAMES } from '../../contract/limits/request.ts';
import { nearHelp } from '../../contract/near.ts';

const guess = (wanted: string, names: readonly string[]): string | undefined =>
  /^did you mean "(.*)"\?$/.exec(nearHelp(wanted, names, 'names'))?.[1];

it.each([
  ['rebot', 'reboot'],
  ['batery', 'battery'],
  ['prid', 'pird'],
  ['LIMTS', 'limits'],
  ['limitsx', 'limits'],
  ['a_long_name_with_tow_slpis', 'a_long_name_with_two_slips'],
])('%s is near %s', (wanted, near) => {
  expect(guess(wanted, ['nothing_like_it', near, 'other'])).toBe(near);
});

it.each([
  ['ab', 'abc'],
  ['completely', 'different'],
  ['period', 'perpetual'],
])('%s is not near %s', (wanted, far) => {
  expect(guess(wanted, [far])).toBeUndefined();
});

it('the nearest of several is guessed, the first of those equally near', () => {
  expect(guess('voltag', ['volts', 'voltage', 'voltagi'])).toBe('voltage');
});

/** By the definition, without any bound: the reference for what the bounded comparison finds. */
function slips(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  const at = (i: number, j: number): number => rows[i]![j]!;
  for (let i = 1; i <= a.length; i += 1)
    for (let j = 1; j <= b.length; j += 1) {
      const other = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      rows[i]![j] = Math.min(
        other,
        at(i - 1, j) + 1,
        at(i, j - 1) + 1,
        swap ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
  return at(a.length, b.length);
}

it('near.N1 the bounded comparison finds what the whole one finds', () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '_'), maxLength: 18 });
  fc.assert(
    fc.property(name, fc.array(name, { minLength: 1, maxLength: 6 }), (wanted, names) => {
      const most = Math.min(5, Math.floor(wanted.length / 3));
      const far = names.map((each) => slips(wanted, each));
      const least = Math.min(...far);
      expect(guess(wanted, names)).toBe(least <= most ? names[far.indexOf(least)] : undefined);
    }),
    { seed: 20_261_122, numRuns: 3_000 },
  );
});

/** A name that counts how often it is looked into. */
function counted(text: string): { readonly name: string; readonly looks: () => number } {
  let looks = 0;
  const name = Object.assign(Object(text) as string, {
    toLowerCase: () => {
      looks += 1;
      return text.toLowerCase();
    },
  });
  return { name, looks: () => looks };
}

it('near.N1 a name longer than any name is compared with none', () => {
  const { name, looks } = counted('ping');
  expect(nearHelp('x'.repeat(NAME_CHARACTERS + 1), [name], 'names')).toContain('names: ping');
  expect(looks()).toBe(0);
});

it('near.N1 only names of about its length are compared, and no more than there are of a large platform', () => {
  const [far, near, late] = [counted('a'.repeat(40)), counted('pong'), counted('pony')];
  const filler = Array.from({ length: NEAR_NAMES }, () => 'far_too_long_to_be_near');
  nearHelp('pint', [far.name, near.name, ...filler, late.name], 'names');
  expect([far.looks(), near.looks(), late.looks()]).toEqual([0, 1, 0]);
});
