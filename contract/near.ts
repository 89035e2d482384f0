/**
 * Names near one that was not found, for the `help` of a fault. Part of documents and of resolution.
 *
 * N1. Whoever sends the name does not choose the cost: a name longer than any name is compared with nothing, a known
 *     one only where its length is near, in a band as wide as the slips that count, and at most `NEAR_NAMES` of them.
 */

import { NAME_CHARACTERS, NEAR_NAMES } from './limits/request.ts';

/** Names shown when nothing is near: a catalogue may have hundreds. */
const NAMES_SHOWN = 12;
/** Slips beyond which a guess misleads more than it helps, whatever the length of the name. */
const SLIPS_MOST = 5;

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
  if (wanted.length > NAME_CHARACTERS) return undefined;
  const lower = wanted.toLowerCase();
  // One slip in three letters.
  let most = Math.min(SLIPS_MOST, Math.floor(wanted.length / 3));
  let found: string | undefined;
  for (const name of names.slice(0, NEAR_NAMES)) {
    if (most < 0) break;
    if (Math.abs(name.length - lower.length) > most) continue;
    const far = slips(lower, name.toLowerCase(), most);
    if (far === undefined) continue;
    most = far - 1;
    found = name;
  }
  return found;
}

/**
 * Slips between two names: a letter more, less or another, or two neighbours exchanged; undefined where there are more
 * than `most`. Only cells that can still be so few are looked at.
 */
function slips(a: string, b: string, most: number): number | undefined {
  const far = most + 1;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => Math.min(index, far));
  for (let i = 1; i <= a.length; i += 1) {
    const next = new Array<number>(b.length + 1).fill(far);
    if (i <= most) next[0] = i;
    let least = next[0]!;
    for (let j = Math.max(1, i - most); j <= Math.min(b.length, i + most); j += 1) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const exchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = exchanged ? before[j - 2]! + 1 : replaced;
      next[j] = Math.min(replaced, swapped, row[j]! + 1, next[j - 1]! + 1, far);
      least = Math.min(least, next[j]!);
    }
    // A row behind may still be reached by two neighbours exchanged.
    if (least >= far && Math.min(...row) >= far) return undefined;
    [before, row] = [row, next];
  }
  const slipped = row[b.length]!;
  return slipped > most ? undefined : slipped;
}
