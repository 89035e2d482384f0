/** Which rows of a long table are in sight. Pure. */

/** Rows beyond the edges of what is in sight, so that a small movement finds them there. */
const BESIDE = 4;

/** Rows of a window: the first that is drawn and how many, for rows of one height. A list that became shorter is in sight. */
export function windowOf(
  scrolled: number,
  height: number,
  rowHeight: number,
  count: number,
): { first: number; shown: number } {
  const shown = Math.min(count, Math.ceil(height / rowHeight) + 2 * BESIDE);
  const first = Math.max(0, Math.min(Math.floor(scrolled / rowHeight) - BESIDE, count - shown));
  return { first, shown };
}
