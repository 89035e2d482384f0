/** These numbers of a command line; throws a sentence on anything else, and on what is below 0. */
export function numbers<Name extends string>(
  texts: Readonly<Record<Name, string>>,
  names: readonly Name[],
): Record<Name, number> {
  const read = names.map((name) => {
    const value = Number(texts[name]);
    if (!(value >= 0 && value < 1e9))
      throw new TypeError(`--${name} ${texts[name]}: write a number from 0 on`);
    return [name, value];
  });
  return Object.fromEntries(read) as Record<Name, number>;
}
