/**
 * `mcs run`: a thin client of the routes of runs, and the check of a mission's procedures. Mission Control Service,
 * sections 2.3 and 4.2. Exit code: 0 when it was done (`follow`: when the run passed), 1 when it was refused or failed,
 * 2 when the command line is malformed.
 */

import { CHOICES, isChoice, type LaunchReply, type RunTold } from '../contract/run.ts';
import { type Command, defineCommand, defineVerbs } from './command.ts';
import { WrongUsage } from './command-line.ts';
import { printJson } from './print-json.ts';
import { printable } from './printable.ts';
import { request } from './request.ts';
import { answer } from './run-answer.ts';
import { checkProcedures } from './run-check.ts';
import { followRun } from './run-follow.ts';
import { list } from './run-list.ts';
import { RUN_NAME, withRun } from './run-name.ts';
import { report } from './run-report.ts';
import { startRun } from './run-start.ts';
import { serviceOf } from './service.ts';
import { JSON_OPTIONS } from './table-options.ts';
import { readPairs, readValue } from './written-value.ts';

const START_USAGE = `mcs run start PROCEDURE role=target … [input=value …] --environment E
              [--library L] [--plan P] [--input name=value] [--fault role:fault[@step][+delay]] [--id ULID]
              [--follow] [--json]
  --id: of a launch that is repeated, since it was not answered: it is started once
`;

const DRY_USAGE = `mcs run dry DIR PROCEDURE role=target … [input=value …] --environment E
              [--library L] [--input name=value] [--fault role:fault[@step][+delay]]
              [--decide ${CHOICES.join('|')}] [--answer PATH=VALUE]
  to its end on this machine, with simulated spacecraft
`;

/** What a run is given. */
const GIVEN_OPTIONS = {
  environment: { type: 'string' },
  library: { type: 'string' },
  input: { type: 'string', multiple: true },
  fault: { type: 'string', multiple: true },
} as const;

const start = defineCommand({
  usage: START_USAGE,
  words: ['PROCEDURE'],
  rest: 'role=target or input=value',
  options: {
    ...JSON_OPTIONS,
    ...GIVEN_OPTIONS,
    plan: { type: 'string' },
    id: { type: 'string' },
    follow: { type: 'boolean' },
  },
  async run({ words: [procedure], rest: pairs, values }) {
    const { environment, library, plan, id, input = [], fault = [], json = false } = values;
    if (environment === undefined) throw new WrongUsage('--environment is missing');
    const service = serviceOf(values);
    const asked = { procedure, pairs, environment, library, plan, inputs: input, faults: fault, id };
    const launched = await startRun(asked, service);
    if (launched === undefined) return 1;
    printLaunch(launched, { json, follow: values.follow === true });
    return values.follow === true ? followRun(launched.run, service, undefined, json) : 0;
  },
});

/** Followed as JSON, the output is the log alone. */
function printLaunch(
  launched: LaunchReply,
  { json, follow }: { readonly json: boolean; readonly follow: boolean },
): void {
  for (const warning of launched.warnings) process.stderr.write(`warning: ${printable(warning)}\n`);
  if (launched.duplicate === true) process.stderr.write('started before, nothing new is started\n');
  if (!json) process.stdout.write(`${launched.run}\n`);
  else if (!follow) printJson(launched);
}

const follow = defineCommand({
  usage: `mcs run follow RUN [--json]
  its log from the beginning; exit code 0: passed, 1: failed; --json: its events, one in a line
${RUN_NAME}`,
  words: ['RUN'],
  options: JSON_OPTIONS,
  run({ words: [name], values }) {
    const service = serviceOf(values);
    return withRun(name, service, (run) => followRun(run, service, undefined, values.json));
  },
});

const resume = defineCommand({
  usage: `mcs run resume RUN [--choice ${CHOICES.join('|')}] [--json]
  continues a suspended run
${RUN_NAME}`,
  words: ['RUN'],
  options: { ...JSON_OPTIONS, choice: { type: 'string' } },
  run({ words: [name], values }) {
    const { choice } = values;
    return command('resume', name, values, choice === undefined ? undefined : { choice });
  },
});

const dry = defineCommand({
  usage: DRY_USAGE,
  words: ['DIR', 'PROCEDURE'],
  rest: 'role=target or input=value',
  options: { ...GIVEN_OPTIONS, decide: { type: 'string' }, answer: { type: 'string', multiple: true } },
  async run({ words: [folder, procedure], rest: pairs, values }) {
    const { environment, library, input = [], fault = [], decide = 'fail', answer: answers = [] } = values;
    if (environment === undefined) throw new WrongUsage('--environment is missing');
    if (!isChoice(decide))
      throw new WrongUsage(`--decide is one of ${CHOICES.join(', ')}, not ${JSON.stringify(decide)}`);
    const words = { procedure, pairs, environment, library, inputs: input, faults: fault };
    const read = readPairs(answers, 'an answer').map(([path, text]) => [path, readValue(text)] as const);
    const { dryRun } = await import('./run-dry.ts');
    return dryRun({ folder, words, decide, answers: Object.fromEntries(read) });
  },
});

const check = defineCommand({
  usage: `mcs run check DIR [PROCEDURE]
  the steps of procedures, how long they last at most, and what they need
`,
  words: ['DIR', '[PROCEDURE]'],
  options: {},
  run: ({ words: [folder, procedure] }) => checkProcedures(folder, procedure),
});

export const run = defineVerbs('run', {
  start,
  list,
  follow,
  report,
  answer,
  suspend: plain('suspend', 'stops it behind the instruction in progress'),
  resume,
  abort: plain('abort', 'ends it'),
  dry,
  check,
});

/** A command of one word to one run. */
function plain(action: 'suspend' | 'abort', about: string): Command {
  return defineCommand({
    usage: `mcs run ${action} RUN [--json]\n  ${about}\n${RUN_NAME}`,
    words: ['RUN'],
    options: JSON_OPTIONS,
    run: ({ words: [name], values }) => command(action, name, values),
  });
}

function command(
  action: string,
  name: string,
  values: Parameters<typeof serviceOf>[0] & { readonly json?: boolean | undefined },
  body?: { readonly choice: string },
): Promise<number> {
  const service = serviceOf(values);
  return withRun(name, service, async (id) => {
    const told = await request<RunTold>(service, 'POST', `/v1/runs/${id}/${action}`, body);
    if (told === undefined) return 1;
    if (values.json === true) printJson(told);
    else process.stdout.write(`${action} accepted\n`);
    return 0;
  });
}
