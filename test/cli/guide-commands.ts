/**
 * Every command that a guide shows is one that exists, with these words and options. What it does is shown where the
 * command is tested; the recipes of several processes are run (`test/flow/several-processes.test.ts`).
 */

import { readdirSync, readFileSync } from 'node:fs';
import type { Command } from '../../cli/command.ts';
import { placeWords, readCommandLine } from '../../cli/command-line.ts';
import { COMMANDS } from '../../cli/commands.ts';
import { SERVICE_OPTIONS } from '../../cli/service.ts';

const ROOT = new URL('../../', import.meta.url);
const missions = readdirSync(new URL('missions/', ROOT)).map((name) => `missions/${name}/README.md`);
const GUIDES = [
  'README.md',
  ...readdirSync(new URL('docs/', ROOT)).map((name) => `docs/${name}`),
  ...missions,
];
/** A word of a shell: quoted parts hold their blanks. */
const WORD = /(?:'[^']*'|"[^"]*"|[^\s'"])+/g;
const SHELL = /^(?:\||>|2>|&&|;|&)/;

export interface Shown {
  readonly place: string;
  readonly args: readonly string[];
}

/** The command lines in the blocks of a guide, each with its continuation. */
function shownIn(guide: string): Shown[] {
  let text: string;
  try {
    text = readFileSync(new URL(guide, ROOT), 'utf8');
  } catch {
    return [];
  }
  let isBlock = false;
  const lines = text.replaceAll(/\\\n\s*/g, ' ').split('\n');
  return lines.flatMap((line, index) => {
    if (line.trimStart().startsWith('```')) isBlock = !isBlock;
    if (!(isBlock || line.startsWith('    '))) return [];
    // What stands behind it in a column of its own is about it.
    const [shown = ''] = line.trim().split(/ # | {3,}/);
    return shown.split(' && ').flatMap((each) => {
      const [, command] = /^(?:[A-Z_]+=\S+ +)*(?:\.\/)?mcs( .*)?$/.exec(each) ?? [];
      return command === undefined ? [] : [{ place: `${guide}:${index + 1}`, args: wordsOf(command) }];
    });
  });
}

function wordsOf(command: string): string[] {
  // What may be left out is.
  const words = command.replaceAll(/ \[[^\]]*\]/g, '').match(WORD) ?? [];
  const end = words.findIndex((word) => SHELL.test(word) || word.startsWith('#'));
  const meant = end < 0 ? words : words.slice(0, end);
  return meant.map((word) => word.replaceAll(/['"]/g, '')).filter((word) => !/^[[(…]|^\.\.\.$/.test(word));
}

async function commandOf(args: readonly string[]): Promise<{ command: Command; rest: string[] }> {
  const [name = '', ...rest] = args;
  if (!Object.hasOwn(COMMANDS, name)) throw new Error(`there is no command ${name}`);
  const command = await COMMANDS[name]!.load();
  if (command.verbs === undefined) return { command, rest };
  const [verb = '', ...more] = rest;
  if (!Object.hasOwn(command.verbs, verb)) throw new Error(`mcs ${name} has no verb ${verb}`);
  return { command: command.verbs[verb]!, rest: more };
}

export async function checkShown(args: readonly string[]): Promise<void> {
  if (args[0] === 'test' || args[0] === '--version') return;
  const { command, rest } = await commandOf(args);
  if (rest.includes('--help')) return;
  if (command.options === undefined || command.words === undefined) {
    // It reads its arguments itself: its usage names every option.
    for (const word of rest.filter((each) => each.startsWith('--'))) {
      const [option = ''] = word.split('=');
      if (!command.usage.includes(option) && !Object.hasOwn(SERVICE_OPTIONS, option.slice(2)))
        throw new Error(`${option} is no option of it`);
    }
    return;
  }
  const { words } = readCommandLine(rest, command.options);
  placeWords(words, { names: command.words, rest: command.takesMore === true ? 'more' : undefined });
}

/** Every command line that a guide shows. */
export const SHOWN: readonly Shown[] = GUIDES.flatMap(shownIn);
