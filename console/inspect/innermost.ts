/** Of active states those with none inside them: one for each region. */
export function innermost(active: readonly string[]): string[] {
  const leaves = active.filter((id) => !active.some((other) => other.startsWith(`${id}.`)));
  return leaves.filter((id) => id.includes('.')).sort();
}
