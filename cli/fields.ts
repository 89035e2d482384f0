/** Everything of one record as lines of a name and what it holds, for `show` commands. Pure. */

export type Field = readonly [name: string, text: string | undefined];

/** Longest name of a field, so that what they hold stands below each other. */
const NAME_CHARACTERS = 'transceiver'.length;

/** A line for each field that is there. */
export function fieldLines(fields: readonly Field[]): string[] {
  return fields.flatMap(([name, text]) =>
    text === undefined ? [] : [`  ${name.padEnd(NAME_CHARACTERS)}  ${text}`],
  );
}
