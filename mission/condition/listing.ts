/** What would have fitted, for the help of a fault: a list short enough to read. */

/** Names listed before the rest is only counted. */
const LISTED = 12;

export function listed(names: Iterable<string>): string {
  const all = [...names];
  if (all.length === 0) return 'none';
  const shown = all.slice(0, LISTED).join(', ');
  return all.length > LISTED ? `${shown} and ${all.length - LISTED} more` : shown;
}
