/**
 * Every command of `mcs`, each loaded when it is called: a client of the API need not wait for the service to be read.
 * `mcs` alone lists them all.
 */

import { readFile } from 'node:fs/promises';
import { type Command, isHelp, orWrongUsage } from './command.ts';
import { WrongUsage } from './command-line.ts';

interface Listed {
  /** What it is, and its verbs: for the list of all. */
  readonly about: string;
  readonly verbs?: string;
  readonly load: () => Promise<Command>;
}

export const COMMANDS: Readonly<Record<string, Listed>> = {
  demo: { about: 'a whole mission on this machine', load: async () => (await import('./demo.ts')).demo },
  serve: {
    about: 'the service, or some roles of it; with --bench-port an RF bench',
    load: async () => (await import('./serve.ts')).serve,
  },
  config: {
    about: 'the configuration of a mission: every error of its folder, or published',
    verbs: 'check publish',
    load: async () => (await import('./config.ts')).config,
  },
  bus: {
    about: 'the message bus: what does not fit together on it, and its repair',
    verbs: 'check',
    load: async () => (await import('./bus.ts')).bus,
  },
  target: {
    about: 'targets of the mission',
    verbs: 'list',
    load: async () => (await import('./target.ts')).target,
  },
  procedure: {
    about: 'procedures of the mission: what a launch needs',
    verbs: 'list',
    load: async () => (await import('./procedure.ts')).procedure,
  },
  telecommand: {
    about: 'what a target can be sent',
    verbs: 'list',
    load: async () => (await import('./telecommand.ts')).telecommand,
  },
  tc: {
    about: 'telecommands: one sent, those of the past, or all of them as they go',
    verbs: 'send list watch',
    load: async () => (await import('./tc.ts')).tc,
  },
  run: {
    about: 'runs of procedures; check and dry ask no service',
    verbs: 'start list follow report answer suspend resume abort dry check',
    load: async () => (await import('./run.ts')).run,
  },
  values: {
    about: 'current values as they change, and their past',
    verbs: 'watch history export',
    load: async () => (await import('./values.ts')).values,
  },
  mode: {
    about: 'the mode of a target',
    verbs: 'get set',
    load: async () => (await import('./mode.ts')).mode,
  },
  parameters: {
    about: 'parameters of a target by mode, and whether they read back',
    load: async () => (await import('./parameters.ts')).parameters,
  },
  file: {
    about: 'files on board: as last listed, asked for, brought down, put there',
    verbs: 'list refresh get put',
    load: async () => (await import('./file.ts')).file,
  },
  transfer: {
    about: 'files that come down and go up',
    verbs: 'list watch',
    load: async () => (await import('./transfer.ts')).transfer,
  },
  link: {
    about: 'links of a target: who serves them, and frames as they pass',
    verbs: 'list watch',
    load: async () => (await import('./link.ts')).link,
  },
  pass: {
    about: 'passes of targets over stations; predict: from orbital elements',
    verbs: 'list show watch put feed predict',
    load: async () => (await import('./pass.ts')).pass,
  },
  schedule: {
    about: 'runs that start automatically on passes',
    verbs: 'list show create cancel validate',
    load: async () => (await import('./schedule.ts')).schedule,
  },
  rule: {
    about: 'rules that make schedules of passes',
    verbs: 'list add remove',
    load: async () => (await import('./rule.ts')).rule,
  },
  alarm: {
    about: 'alarms',
    verbs: 'list show watch ack shelve unshelve',
    load: async () => (await import('./alarm.ts')).alarm,
  },
  events: {
    about: 'the log of everything that happened; --follow: as it happens',
    load: async () => (await import('./events.ts')).events,
  },
  unit: {
    about: 'bench units; simulate and image make them up',
    verbs: 'list selftest update reboot enrol remove simulate image',
    load: async () => (await import('./unit.ts')).unit,
  },
  connector: {
    about: 'who takes data out of the bus, and how far behind; postgres: values and events into PostgreSQL',
    verbs: 'list remove postgres',
    load: async () => (await import('./connector.ts')).connector,
  },
  actor: {
    about: 'what lives and where, what is stored of it, and what is in trouble',
    verbs: 'list show trouble resume reset',
    load: async () => (await import('./actor.ts')).actor,
  },
  sim: {
    about: 'simulated gateways: their faults, and the files on board',
    verbs: 'faults fault files',
    load: async () => (await import('./sim.ts')).sim,
  },
  completion: {
    about: 'completion of command lines in bash, zsh and fish',
    load: async () => (await import('./completion.ts')).completionOf(COMMANDS),
  },
};

const NAME_CHARACTERS = 12;

/** The list of all. */
export function overview(): string {
  const lines = Object.entries(COMMANDS).flatMap(([name, { about, verbs }]) => [
    `  mcs ${name.padEnd(NAME_CHARACTERS)}${about}`,
    ...(verbs === undefined ? [] : [`      ${''.padEnd(NAME_CHARACTERS)}${verbs.replaceAll(' ', ', ')}`]),
  ]);
  return `mcs, open mission control

${lines.join('\n')}
  mcs ${'test'.padEnd(NAME_CHARACTERS)}everything that CI runs

--help behind any of them, and behind its verb, says how it is called; mcs --version: which version this is
`;
}

/** Carries out a command line; its exit code. */
export async function runCommand(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === 'help' || isHelp(name)) {
    process.stdout.write(overview());
    return 0;
  }
  if (name === '--version') {
    const description = await readFile(new URL('../package.json', import.meta.url), 'utf8');
    const { version } = JSON.parse(description) as { version: string };
    process.stdout.write(`${version}\n`);
    return 0;
  }
  return orWrongUsage(overview(), async () => {
    if (!Object.hasOwn(COMMANDS, name)) throw new WrongUsage(`there is no command ${JSON.stringify(name)}`);
    return (await COMMANDS[name]!.load())(rest);
  });
}
