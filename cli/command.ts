/**
 * Commands as data: the words and options that each takes, how it is called, and what it does. What all of them have in
 * common stands here: help, what is wrong with a command line, and the exit code of that.
 *
 * C1. `--help` and `-h` print how exactly that command is called, on stdout, with exit code 0; nothing else is done.
 * C2. A command line that is malformed does nothing and ends with 2, after how the command is called and one sentence
 *     that names the word in question, on stderr.
 */

import type { parseArgs } from 'node:util';
import { type OptionsSpec, placeWords, readCommandLine, WrongUsage } from './command-line.ts';
import { SERVICE_USAGE } from './service.ts';
import { TIME_USAGE } from './table-options.ts';

type Run = (args: string[]) => Promise<number>;

export interface Command extends Run {
  /** How it is called: lines that begin with `mcs`, what is explained below them, and what is common to many. */
  readonly usage: string;
  /** Of a command that has verbs. */
  readonly verbs?: Readonly<Record<string, Command>>;
  /** What it takes, where it is known before it is called. */
  readonly options?: OptionsSpec;
  readonly words?: readonly string[];
  /** More words than these. */
  readonly takesMore?: boolean;
}

/** `TARGET` is needed, `[TARGET]` may be left out. */
type Words<Names extends readonly string[]> = {
  readonly [Place in keyof Names]: Names[Place] extends `[${string}` ? string | undefined : string;
};

export type ValuesOf<Options extends OptionsSpec> = ReturnType<
  typeof parseArgs<{ args: string[]; allowPositionals: true; options: Options }>
>['values'];

interface CommandSpec<Names extends readonly string[], Options extends OptionsSpec> {
  readonly usage: string;
  readonly words: Names;
  /** What more words are, where there may be any number of them behind `words`. */
  readonly rest?: string;
  readonly options: Options;
  run(given: {
    readonly words: Words<Names>;
    readonly rest: readonly string[];
    readonly values: ValuesOf<Options>;
  }): Promise<number>;
}

export function defineCommand<const Names extends readonly string[], const Options extends OptionsSpec>(
  spec: CommandSpec<Names, Options>,
): Command {
  const { options, words: names } = spec;
  const usage = withCommon(spec.usage, 'api' in options);
  const run: Run = (args) =>
    asksForHelp(args)
      ? print(usage)
      : orWrongUsage(usage, () => {
          const { words, values } = readCommandLine(args, options);
          const { placed, rest } = placeWords(words, { names, rest: spec.rest });
          return spec.run({
            words: placed as unknown as Words<Names>,
            rest,
            values: values as ValuesOf<Options>,
          });
        });
  return Object.assign(run, { usage, options, words: names, takesMore: spec.rest !== undefined });
}

/** A command with verbs; `name` is what it is called by. */
export function defineVerbs(name: string, verbs: Readonly<Record<string, Command>>): Command {
  const usages = Object.values(verbs).map((verb) => verb.usage);
  const own = usages.map((text) => text.replace(SERVICE_USAGE, '').replace(TIME_USAGE, ''));
  const usage = withCommon(
    own.join(''),
    usages.some((text) => text.includes(SERVICE_USAGE)),
  );
  const run: Run = async ([verb, ...args]) => {
    const command = verb !== undefined && Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
    if (command !== undefined) return command(args);
    if (verb === 'help' || isHelp(verb)) return print(usage);
    return orWrongUsage(usage, () => {
      const said = verb === undefined ? 'needs a verb' : `has no verb ${JSON.stringify(verb)}`;
      throw new WrongUsage(`mcs ${name} ${said}: ${Object.keys(verbs).join(', ')}`);
    });
  };
  return Object.assign(run, { usage, verbs });
}

/**
 * A command whose module is loaded when it is called: the list of verbs loads nothing. It may also be one that reads
 * its arguments itself.
 */
export function loadedWhenCalled(usage: string, load: () => Promise<Run>): Command {
  const run: Run = (args) =>
    orWrongUsage(usage, async () => {
      const loaded = await load();
      // A command says the rest of its usage itself.
      return asksForHelp(args) && !('usage' in loaded) ? print(usage) : loaded(args);
    });
  return Object.assign(run, { usage });
}

export function isHelp(word: string | undefined): boolean {
  return word === '--help' || word === '-h';
}

/** C2 */
export async function orWrongUsage(usage: string, run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    const said = wrongUsageOf(error);
    if (said === undefined) throw error;
    process.stderr.write(`${usage}\nmcs: ${said}\n`);
    return 2;
  }
}

/** What `parseArgs` says in several sentences, in its first one. */
function wrongUsageOf(error: unknown): string | undefined {
  if (error instanceof WrongUsage) return error.message;
  const { code = '', message = '' } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  return code.startsWith('ERR_PARSE_ARGS_') ? message.replace(/\. .*/s, '') : undefined;
}

/** C1; behind `--` are words. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end < 0 ? undefined : end).some(isHelp);
}

async function print(text: string): Promise<number> {
  process.stdout.write(text);
  return 0;
}

/** With what is common to commands that have a time, and to those that ask the service. */
function withCommon(usage: string, asksService: boolean): string {
  const time = /\bTIME\b/.test(usage) ? TIME_USAGE : '';
  return `${usage}${time}${asksService ? SERVICE_USAGE : ''}`;
}
