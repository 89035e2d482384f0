/** Entries of `mcs_leases` from which nobody can tell who holds the target: what is wrong, and the text. */

const reaction = { run: 'A', reaction: 'R' };

export const UNREADABLE_HOLDS: readonly (readonly [string, string])[] = [
  ['no JSON', '\u0001{'],
  ['null', 'null'],
  ['a list', '[]'],
  ['without holders', '{}'],
  ['with a holder that is none', '{"holders":[null]}'],
  ['with a holder of no mode', '{"holders":[{"run":"A","mode":"all"}]}'],
  ['with a position that is none', '{"holders":[{"run":"A","mode":"shared","from":"9"}]}'],
  ['with a reaction that nobody is named for', JSON.stringify({ holders: [], taken: [reaction] })],
];
