/** What the command palette finds: every name of the mission, and what was typed of it. Pure. */

export interface PaletteEntry {
  readonly kind: 'page' | 'target' | 'measure' | 'telecommand' | 'procedure' | 'run' | 'pass';
  readonly name: string;
  readonly detail: string;
  /** Address. */
  readonly to: string;
}

const SHOWN = 60;

/**
 * Entries that have every typed word in their kind, name or detail; those whose name begins with what was typed
 * first. At most `SHOWN`.
 */
export function found(entries: readonly PaletteEntry[], typed: string): PaletteEntry[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const best: PaletteEntry[] = [];
  const others: PaletteEntry[] = [];
  for (const entry of entries) {
    const text = `${entry.kind} ${entry.name} ${entry.detail}`.toLowerCase();
    if (!words.every((word) => text.includes(word))) continue;
    const isBest = words.length > 0 && entry.name.toLowerCase().startsWith(words[0]!);
    (isBest ? best : others).push(entry);
    if (best.length >= SHOWN) break;
  }
  return [...best, ...others].slice(0, SHOWN);
}
