/** `mcs completion` in the shells that are here, against a service with the demo mission. */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { COMMANDS, runCommand } from '../../cli/commands.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { keepPrinted } from '../support/printed.ts';
import { mcsProgram } from '../support/program.ts';

const MCS = [process.execPath, ...(await mcsProgram())].map((word) => `'${word}'`).join(' ');
const printed = keepPrinted();
/**
 * Whoever has pressed Tab waits for a moment only. What is completed is judged here, and not how soon a busy machine
 * answers: nobody runs out of time.
 */
const NEVER_LATE = '--import=data:text/javascript,AbortSignal.timeout=()=>new%20AbortController().signal';
const ENV = { ...process.env, NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} ${NEVER_LATE}` };
beforeEach(() => {
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal);
});
const has = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0;

let cell: DemoCell;
beforeAll(async () => {
  cell = await startDemoCell({ roles: ['api'], memberTtlMs: 20_000 });
}, 60_000);
afterAll(() => cell.stop());

/** What the last word may be, without a shell; '' is a word that has not begun. */
async function words(...line: string[]): Promise<string[]> {
  printed.out = '';
  const api = process.env.MCS_API;
  process.env.MCS_API = cell.api;
  const code = await runCommand(['completion', 'words', '--', ...line]);
  process.env.MCS_API = api;
  if (api === undefined) delete process.env.MCS_API;
  expect([code, printed.err]).toEqual([0, '']);
  return printed.out.split('\n').filter((word) => word !== '');
}

/** What a script prints in a shell in which `mcs` is this program. */
async function inShell(shell: string, ...script: string[]): Promise<string[]> {
  const lines = [`mcs() { ${MCS} "$@"; }`, ...script].join('\n');
  const child = spawn(shell, ['-c', lines], { env: { ...ENV, MCS_API: cell.api }, stdio: 'pipe' });
  let [out, err] = ['', ''];
  child.stdout.on('data', (text) => (out += String(text)));
  child.stderr.on('data', (text) => (err += String(text)));
  const [code] = await once(child, 'close');
  expect([code, err], out).toEqual([0, '']);
  return out.split('\n').filter((word) => word !== '');
}

describe('what a word may be', () => {
  it('commands, their verbs, and the options of each', async () => {
    expect(await words('')).toEqual(Object.keys(COMMANDS));
    expect(await words('tc', '')).toEqual(['send', 'list', 'watch']);
    expect(await words('tc', 'send', '--')).toEqual(
      expect.arrayContaining(['--api', '--hazardous', '--help', '--link']),
    );
    // One that reads its arguments itself.
    expect(await words('values', 'history', '-')).toEqual(
      expect.arrayContaining(['--from', '--points', '--help']),
    );
    expect(await words('serve', '--')).toContain('--nats-listen');
  });

  it('targets, gateways, procedures, modes, telecommands and measures of the mission', async () => {
    expect(await words('link', 'watch', '')).toEqual(['sat1', 'sat2', 'noaa20']);
    expect(await words('tc', 'send', '--json', '--user', 'ada', '')).toEqual(['sat1', 'sat2', 'noaa20']);
    expect(await words('tc', 'send', 'sat1', '')).toEqual(
      expect.arrayContaining(['obc.ping', 'obc.set_mode']),
    );
    expect(await words('run', 'start', '')).toContain('take_image');
    expect(await words('mode', 'set', 'sat1', '')).toContain('safe');
    expect(await words('sim', 'faults', '')).toContain('sim-1');
    for (const verb of ['watch', 'history', 'export'])
      expect(await words('values', verb, 'sat1', 'obc.mode', '')).toEqual(
        expect.arrayContaining(['obc.uptime', 'battery[1].voltage']),
      );
  });

  it('completion.C1 nothing, and no complaint, where nothing is known', async () => {
    expect(await words('nothing', 'of', 'this')).toEqual([]);
    expect(await words('tc', 'nothing', '')).toEqual([]);
    expect(await words('tc', 'send', 'sat9', '')).toEqual([]);
    expect(await words('tc', 'send', '--user', '')).toEqual([]);
    expect(await words('tc', 'send', '--api', 'http://127.0.0.1:1', '')).toEqual([]);
    expect(await words('tc', 'send', '--api', 'no address', '')).toEqual([]);
  });
});

describe.runIf(has('bash'))('in bash', () => {
  const complete = (...line: string[]): string[] => [
    `COMP_WORDS=(${line.map((word) => `'${word}'`).join(' ')})`,
    `COMP_CWORD=${line.length - 1}`,
    '_mcs',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: of the shell.
    'echo "${COMPREPLY[@]}"',
  ];

  it('completes commands and verbs, and the rest from the service', { timeout: 60_000 }, async () => {
    const said = await inShell(
      'bash',
      'eval "$(mcs completion bash)"',
      'complete -p mcs',
      ...complete('mcs', 'te'),
      ...complete('mcs', 'pass', 'p'),
      ...complete('mcs', 'tc', 'send', 'sat1', 'obc.set_w'),
      ...complete('mcs', 'values', 'watch', 'sat1', 'battery[1].v'),
      ...complete('mcs', 'tc', 'send', '--haz'),
    );
    expect(said).toEqual([
      'complete -o default -F _mcs mcs',
      'telecommand test',
      'put predict',
      'obc.set_watchdog',
      'battery[1].voltage',
      '--hazardous',
    ]);
  });
});

/** An interactive zsh: the Tab key completes, and Control-G says what stands at the prompt. */
const ZSHRC = [
  'PS1= PS2= RPS1=',
  `mcs() { ${MCS} "$@" }`,
  'autoload -Uz compinit; compinit -u -D',
  'eval "$(mcs completion zsh)"',
  'typed() { print -r -- "typed <$BUFFER>typed"; BUFFER=; zle accept-line }',
  "zle -N typed; bindkey '^G' typed",
  'print -r -- ready',
];
/** Types each line at a terminal, then Tab and Control-G. */
const TYPIST = [
  'zmodload zsh/zpty',
  'zpty shell zsh -i',
  "zpty -r shell seen '*ready*'",
  'for line in "$@"; do',
  '  zpty -w -n shell "$line"$\'\\t\\a\'',
  "  zpty -r shell seen '*>typed*'",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: of the shell.
  '  print -r -- "${${seen##*typed <}%%>typed*}"',
  'done',
];

describe.runIf(has('zsh'))('in zsh', () => {
  it('completes commands, verbs, options, targets, telecommands and measures at the prompt', {
    timeout: 90_000,
  }, async () => {
    const lines = [
      ['mcs telec', 'mcs telecommand '],
      ['mcs tc se', 'mcs tc send '],
      ['mcs tc send --haz', 'mcs tc send --hazardous '],
      ['mcs tc send noa', 'mcs tc send noaa20 '],
      ['mcs tc send sat1 obc.set_w', 'mcs tc send sat1 obc.set_watchdog '],
      ['mcs values watch sat1 obc.upt', 'mcs values watch sat1 obc.uptime '],
      ['mcs values watch sat1 battery\\[1\\].v', 'mcs values watch sat1 battery\\[1\\].voltage '],
    ] as const;
    const folder = await mkdtemp(join(tmpdir(), 'mcs-zsh-'));
    try {
      await writeFile(join(folder, '.zshrc'), `${ZSHRC.join('\n')}\n`);
      const typed = lines.map(([line]) => line);
      const child = spawn('zsh', ['-f', '-c', TYPIST.join('\n'), 'typist', ...typed], {
        env: { ...ENV, MCS_API: cell.api, ZDOTDIR: folder },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let out = '';
      child.stdout.on('data', (text) => (out += String(text)));
      await once(child, 'close');
      expect(out.split('\n').slice(0, -1)).toEqual(lines.map(([, completed]) => completed));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe.runIf(has('fish'))('in fish', () => {
  it('completes commands, verbs, options, targets, telecommands and measures', {
    timeout: 90_000,
  }, async () => {
    const lines = [
      ['mcs telec', ['telecommand']],
      ['mcs tc s', ['send']],
      ['mcs tc send --haz', ['--hazardous']],
      ['mcs tc send sat', ['sat1', 'sat2']],
      ['mcs tc send sat1 obc.set_w', ['obc.set_watchdog']],
      ['mcs values watch sat1 obc.upt', ['obc.uptime']],
      ['mcs values watch sat1 battery[1].v', ['battery[1].voltage']],
    ] as const;
    const loaded = `function mcs; ${MCS} $argv; end; mcs completion fish | source`;
    const asked = lines.map(([line]) => `echo =; complete -C '${line}'`);
    const child = spawn('fish', ['--no-config', '-c', [loaded, ...asked].join('; ')], {
      env: { ...ENV, MCS_API: cell.api },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    child.stdout.on('data', (text) => (out += String(text)));
    await once(child, 'close');
    const groups = out
      .split('=\n')
      .slice(1)
      .map((each) => each.split('\n').filter((word) => word !== ''));
    // Behind a tab stands what fish says of a word.
    expect(groups.map((words) => words.map((word) => word.split('\t')[0]))).toEqual(
      lines.map(([, words]) => words),
    );
  });
});
