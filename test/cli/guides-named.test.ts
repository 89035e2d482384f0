/** Commands that the guides name within a sentence: that they exist, with the options they are named with. */

import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Command } from '../../cli/command.ts';
import { COMMANDS } from '../../cli/commands.ts';

const root = new URL('../../', import.meta.url);
const guides = [
  'README.md',
  ...readdirSync(new URL('docs/', root))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

const named = guides.flatMap((guide) => {
  const text = readFileSync(new URL(guide, root), 'utf8').replace(/^```[\s\S]*?^```/gm, '');
  return [...text.matchAll(/`(?:\.\/)?mcs ([a-z][^`]*)`/g)].map(([, line]) => ({ guide, line: line! }));
});

/** What is wrong with the command line; undefined: nothing. Words in capitals stand for others. */
async function faultOf(line: string): Promise<string | undefined> {
  const words = line.split(/[\s=]+/);
  const listed = COMMANDS[words[0]!];
  if (listed === undefined) return ['test', 'help'].includes(words[0]!) ? undefined : 'no such command';
  const command = commandOf(await listed.load(), words[1]);
  if (typeof command === 'string') return command;
  const options = words
    .filter((word) => /^--[a-z]/.test(word))
    .map((word) => word.slice(2).replace(/[^a-z-]/g, ''));
  const taken = command.options === undefined ? usedIn(command.usage) : Object.keys(command.options);
  const unknown = options.filter((option) => option !== 'help' && !taken.includes(option));
  return unknown.length === 0 ? undefined : `no option ${unknown.join(', ')}`;
}

function commandOf(command: Command, verb: string | undefined): Command | string {
  if (command.verbs === undefined || verb === undefined || !/^[a-z]/.test(verb)) return command;
  return command.verbs[verb] ?? `no verb ${verb}`;
}

function usedIn(usage: string): string[] {
  return [...usage.matchAll(/--([a-z-]+)/g)].map(([, option]) => option!);
}

it('every command named in a guide exists, with its options', async () => {
  expect(named.length).toBeGreaterThan(50);
  const faults: string[] = [];
  for (const { guide, line } of named) {
    const fault = await faultOf(line);
    if (fault !== undefined) faults.push(`${guide}: mcs ${line}: ${fault}`);
  }
  expect(faults).toEqual([]);
});
