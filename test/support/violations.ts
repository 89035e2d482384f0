/** What tests received that the interface description does not say (`conformance.ts`), of all files of this process. */

const violations: string[] = [];

export function noteViolations(found: readonly string[]): void {
  violations.push(...found);
}

/** Those so far, which then count as seen: for tests of the check itself. */
export function takeViolations(): string[] {
  return violations.splice(0);
}

/** By origin: servers with a table of their own; undefined is held against nothing. */
export const described = new Map<string, unknown>();

export function failOnViolations(): void {
  const found = [...new Set(takeViolations())];
  if (found.length > 0) throw new Error(`not as the interface description says:\n${found.join('\n')}`);
}
