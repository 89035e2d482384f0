/** Every command and verb of `mcs`, found by walking the tree: help, and what is wrong with a command line. */

import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Command } from '../../cli/command.ts';
import { COMMANDS, runCommand } from '../../cli/commands.ts';
import { SERVICE_USAGE } from '../../cli/service.ts';
import { checkShown, SHOWN } from './guide-commands.ts';

interface Leaf {
  readonly name: string;
  readonly command: Command;
}

const nouns: Leaf[] = [];
const leaves: Leaf[] = [];

beforeAll(async () => {
  for (const [name, { load }] of Object.entries(COMMANDS)) {
    const command = await load();
    if (command.verbs === undefined) leaves.push({ name, command });
    else nouns.push({ name, command });
    for (const [verb, each] of Object.entries(command.verbs ?? {}))
      leaves.push({ name: `${name} ${verb}`, command: each });
  }
}, 60_000);

const printed = { out: '', err: '' };
beforeEach(() => {
  const keep = (stream: 'out' | 'err') => (text: string | Uint8Array) => {
    printed[stream] += String(text);
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(keep('out'));
  vi.spyOn(process.stderr, 'write').mockImplementation(keep('err'));
});
afterEach(() => void vi.restoreAllMocks());

async function mcs(line: string): Promise<{ code: number; out: string; err: string }> {
  printed.out = '';
  printed.err = '';
  const code = await runCommand(line.split(' ').filter((word) => word !== ''));
  return { code, ...printed };
}

/** Lines of an explanation that begin with a command. */
const namedIn = (text: string): string[] => text.split('\n').filter((line) => line.startsWith('mcs '));
const verbOf = (line: string): string => line.split(' ').slice(1, 3).join(' ');
const last = (text: string): string => text.trimEnd().split('\n').at(-1)!;

describe('the commands of mcs', () => {
  it('cli/command.C1 each says how exactly it is called, on stdout', async () => {
    expect(leaves.length).toBeGreaterThan(50);
    for (const { name } of leaves)
      for (const help of ['--help', '-h', 'x --nonsense --help']) {
        const said = await mcs(`${name} ${help}`);
        expect([name, said.code, said.err]).toEqual([name, 0, '']);
        const lines = namedIn(said.out);
        expect([name, lines.length > 0]).toEqual([name, true]);
        for (const line of lines) expect(`${line} `).toContain(`mcs ${name} `);
      }
  });

  it('cli/command.C1 a command with verbs explains all of them, and no other', async () => {
    for (const { name, command } of nouns)
      for (const help of ['--help', '-h', 'help']) {
        const said = await mcs(`${name} ${help}`);
        expect([name, said.code, said.err]).toEqual([name, 0, '']);
        const verbs = new Set(namedIn(said.out).map(verbOf));
        expect(verbs).toEqual(new Set(Object.keys(command.verbs!).map((verb) => `${name} ${verb}`)));
        expect(said.out.split(SERVICE_USAGE).length).toBeLessThan(3);
      }
  });

  it('cli/command.C2 an unknown option is named, with how the command is called', async () => {
    for (const { name, command } of leaves) {
      const said = await mcs(`${name} --nonsense`);
      expect([name, said.code, said.out]).toEqual([name, 2, '']);
      expect(said.err).toMatch(/--nonsense/);
      expect(said.err.startsWith(command.usage)).toBe(true);
      expect(last(said.err)).toMatch(/^mcs: .*--nonsense/);
    }
  });

  it('cli/command.C2 a word that is missing is named, and one too many', async () => {
    for (const { name, command } of leaves) {
      const words = command.words ?? [];
      const needed = words.filter((word) => !word.startsWith('['));
      const short = needed.slice(0, -1).map(() => 'x');
      if (needed.length > 0) {
        const said = await mcs(`${name} ${short.join(' ')}`);
        expect([name, said.code, last(said.err)]).toEqual([name, 2, `mcs: ${needed.at(-1)} is missing`]);
      }
      if (command.words === undefined || command.takesMore === true) continue;
      const said = await mcs(`${name} ${words.map(() => 'x').join(' ')} surplus`);
      expect([name, said.code]).toEqual([name, 2]);
      expect(last(said.err)).toMatch(/^mcs: "surplus" is one word too many$/);
    }
  });

  it('cli/command.C2 an option without its value is named', async () => {
    for (const { name, command } of leaves)
      for (const [option, { type }] of Object.entries(command.options ?? {})) {
        if (type === 'boolean') continue;
        const said = await mcs(`${name} --${option}`);
        expect([name, said.code, last(said.err)]).toEqual([name, 2, `mcs: --${option} needs a value`]);
      }
  });

  it('every option is explained, and --api, MCS_API and MCS_TOKEN wherever the service is asked', async () => {
    for (const { name, command } of leaves) {
      const explained = (await mcs(`${name} --help`)).out;
      for (const option of Object.keys(command.options ?? {}))
        expect([name, explained.includes(`--${option}`)]).toEqual([name, true]);
      if (!explained.includes('--api')) continue;
      for (const word of ['MCS_API', 'MCS_TOKEN']) expect(explained).toContain(word);
    }
  });

  it('--json is taken wherever the service is asked', () => {
    const without = leaves.filter(
      ({ command: { options } }) => options?.api !== undefined && options.json === undefined,
    );
    // A process that goes on until it is ended, and prints what it does.
    expect(without.map(({ name }) => name)).toEqual([]);
  });

  it('an unknown verb, and none, is 2 with those there are', async () => {
    for (const { name, command } of nouns)
      for (const verb of ['', 'nonsense']) {
        const said = await mcs(`${name} ${verb}`);
        expect([name, said.code, said.out]).toEqual([name, 2, '']);
        expect(last(said.err)).toContain(Object.keys(command.verbs!).join(', '));
        expect(last(said.err)).toContain(verb);
      }
  });

  it('mcs alone lists every command and its verbs', async () => {
    for (const line of ['', 'help', '--help', '-h']) {
      const { code, out, err } = await mcs(line);
      expect([code, err]).toEqual([0, '']);
      for (const { name, command } of nouns) {
        const verbs = Object.keys(command.verbs!).join(', ');
        expect(out).toMatch(new RegExp(`^  mcs ${name} .*\\n +${verbs}$`, 'm'));
      }
    }
    const { code, err } = await mcs('nonsense --help');
    expect([code, last(err)]).toEqual([2, 'mcs: there is no command "nonsense"']);
  });

  it('mcs --version', async () => {
    expect(await mcs('--version')).toEqual({
      code: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      err: '',
    });
  });
});

describe('the commands of the guides', () => {
  it('are found', () => {
    expect(SHOWN.length).toBeGreaterThan(80);
    expect(new Set(SHOWN.map(({ place }) => place.split(':')[0])).size).toBeGreaterThan(10);
  });

  it('are called as they are called', async () => {
    const wrong: string[] = [];
    for (const { place, args } of SHOWN) {
      await checkShown(args).catch((error: Error) =>
        wrong.push(`${place} mcs ${args.join(' ')}: ${error.message}`),
      );
    }
    expect(wrong).toEqual([]);
  });

  it.each([
    'tc sent sat1 obc.ping',
    'tc send sat1 obc.ping --hazard',
    'tc send sat1',
    'config check a b',
    'run dry missions/demo x --nothing',
  ])('mcs %s would be found', async (line) => {
    await expect(checkShown(line.split(' '))).rejects.toThrow();
  });
});
