/**
 * The words and options of a command line. What is wrong with one is a `WrongUsage` that names the word in question.
 *
 * L1. A number with a minus is a word, and so is everything behind `--`.
 * L2. The value of an option may begin with `-` where it is written `--option=-value`, or is a number or `-` alone.
 */

import { type ParseArgsConfig, parseArgs } from 'node:util';

/** As `parseArgs` has them. */
export type OptionsSpec = NonNullable<ParseArgsConfig['options']>;

/** A command line that cannot be meant: exit code 2. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}

export interface CommandLine {
  readonly words: readonly string[];
  readonly values: Readonly<Record<string, string | boolean | (string | boolean)[]>>;
}

const NUMBER = /^-\.?\d/;

export function readCommandLine(args: readonly string[], options: OptionsSpec): CommandLine {
  const words: string[] = [];
  const values: Record<string, string | boolean | (string | boolean)[]> = {};
  // Numbers are hidden from the parser, which takes `-5` for an option.
  const hidden = args.map((arg) => (NUMBER.test(arg) ? `\u0000${arg}` : arg));
  const { tokens } = parseArgs({
    args: hidden,
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(shown(token.value));
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (option === undefined) throw new WrongUsage(`unknown option ${rawName}${meant(name, options)}`);
    const given = readValue(option, { rawName, value, inlineValue: inlineValue === true });
    if (option.multiple === true) values[name] = [...((values[name] as string[] | undefined) ?? []), given];
    else values[name] = given;
  }
  return { words, values };
}

/** `TARGET` is needed, `[TARGET]` may be left out, and more words are `rest`. */
export function placeWords(
  words: readonly string[],
  { names, rest }: { readonly names: readonly string[]; readonly rest: string | undefined },
): { readonly placed: readonly (string | undefined)[]; readonly rest: readonly string[] } {
  const placed = names.map((name, place) => {
    const word = words[place];
    if (word === undefined && !name.startsWith('[')) throw new WrongUsage(`${name} is missing`);
    // What a shell makes of a variable that is not set.
    if (word === '' && !name.startsWith('[')) throw new WrongUsage(`${name} is empty`);
    return word;
  });
  const more = words.slice(names.length);
  if (rest === undefined && more.length > 0)
    throw new WrongUsage(`${JSON.stringify(more[0])} is one word too many`);
  return { placed, rest: more };
}

interface GivenOption {
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean;
}

function readValue(
  { type }: OptionsSpec[string],
  { rawName, value, inlineValue }: GivenOption,
): string | boolean {
  if (type === 'boolean') {
    if (value === undefined) return true;
    throw new WrongUsage(`${rawName} takes no value, not ${JSON.stringify(shown(value))}`);
  }
  if (value === undefined) throw new WrongUsage(`${rawName} needs a value`);
  // L2
  if (!inlineValue && value.length > 1 && value.startsWith('-'))
    throw new WrongUsage(
      `${rawName} needs a value, and ${value} is an option (a value like that: ${rawName}=${value})`,
    );
  return shown(value);
}

/** As it was typed. */
function shown(text: string): string {
  return text.startsWith('\u0000') ? text.slice(1) : text;
}

/** The option that differs least, where that is hardly anything. */
function meant(name: string, options: OptionsSpec): string {
  const near = Object.keys(options).find(
    (option) => name.length > 1 && (option.startsWith(name) || name.startsWith(option)),
  );
  return near === undefined ? '' : ` (is --${near} meant?)`;
}
