/** Names near one that was not found, for the `help` of a fault. Part of documents and of resolution. */

/** Names shown when nothing is near: a catalogue may have hundreds. */
const NAMES_SHOWN = 12;

/** A sentence like `did you mean "limits"?`, else what there is; `otherwise` when there is nothing. */
export function nearHelp(
  wanted: string,
  names: Iterable<string>,
  what: string,
  otherwise = `there are no ${what}`,
): string {
  const known = [...names];
  if (known.length === 0) return otherwise;
  const near = nearest(wanted, known);
  if (near !== undefined) return `did you mean "${near}"?`;
  const more = known.length > NAMES_SHOWN ? `, and ${known.length - NAMES_SHOWN} more` : '';
  return `${what}: ${known.slice(0, NAMES_SHOWN).join(', ')}${more}`;
}

function nearest(wanted: string, names: readonly string[]): string | undefined {
  // One slip in three letters: beyond that a guess misleads more than it helps.
  let best = Math.floor(wanted.length / 3) + 1;
  let found: string | undefined;
  for (const name of names) {
    const far = distance(wanted.toLowerCase(), name.toLowerCase());
    if (far < best) {
      best = far;
      found = name;
    }
  }
  return found;
}

/** Slips between two names: a letter more, less or another, or two neighbours exchanged. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const exchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = exchanged ? (before[j - 2] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
