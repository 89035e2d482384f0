/**
 * What comes from spacecraft, documents, feeders and other people as text to show. Pure.
 *
 * T1. No control character of it reaches the terminal (C0, DEL, and C1, which some terminals obey in UTF-8 as well),
 *     and no character that changes the direction of what stands behind it: 1.5 would be read as 5.1.
 */

const CONTROLS = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** The text in a line of a terminal: a dot for each of them (T1). */
export function printable(text: string): string {
  return text.replace(CONTROLS, '.');
}

/** The value as JSON, of the same meaning wherever it is read: each of them is written as its number (T1). */
export function jsonText(value: unknown, indent?: number): string {
  // Those below a space are written so by JSON itself; a line break between its parts is its own.
  return JSON.stringify(value, undefined, indent).replace(CONTROLS, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
