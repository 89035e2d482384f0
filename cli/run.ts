/**
 * `mcs run`: a thin client of the routes of runs, and the check of a mission's procedures. Mission Control Service,
 * sections 2.3 and 4.2. Exit code: 0 when it was done (`follow`: when the run passed), 1 when it was refused or failed,
 * 2 when the command line is none.
 */

import { parseArgs } from 'node:util';
import {
  type Answer,
  CHOICES,
  isChoice,
  type PendingQuestion,
  type RunList,
  type RunStatus,
  type RunSummary,
} from '../contract/run.ts';
import { isUlid } from '../contract/token.ts';
import { request } from './request.ts';
import { checkProcedures } from './run-check.ts';
import { followRun } from './run-follow.ts';
import { answerHelp, stateOf } from './run-line.ts';
import { startRun } from './run-start.ts';
import { SERVICE_OPTIONS, SERVICE_USAGE, type Service, serviceOf } from './service.ts';
import { readPairs, readValue } from './written-value.ts';

const USAGE = `mcs run start PROCEDURE role=target … [input=value …] --environment E
              [--library L] [--plan P] [--input name=value] [--fault role:fault[@step][+delay]] [--follow]
mcs run list [--limit N]                 the newest runs
mcs run follow RUN                       its log from the beginning; exit code 0: passed, 1: failed
mcs run answer RUN [yes|no] [VALUE] [--question N] [--path P] [--text]
                                         N: the event of the log that asks; without it, what is asked now
mcs run suspend RUN | resume RUN [--choice ${CHOICES.join('|')}] | abort RUN
mcs run dry DIR PROCEDURE role=target … [input=value …] --environment E
              [--decide fail|skip|abort|replay] [--answer PATH=VALUE]   to its end on this machine, simulated
mcs run check DIR [PROCEDURE]            its steps, their longest duration and what they need
RUN: an identifier, or its last characters
${SERVICE_USAGE}`;

const OPTIONS = {
  ...SERVICE_OPTIONS,
  environment: { type: 'string' },
  library: { type: 'string' },
  plan: { type: 'string' },
  input: { type: 'string', multiple: true },
  fault: { type: 'string', multiple: true },
  follow: { type: 'boolean' },
  limit: { type: 'string' },
  path: { type: 'string' },
  question: { type: 'string' },
  text: { type: 'boolean' },
  choice: { type: 'string' },
  decide: { type: 'string' },
  answer: { type: 'string', multiple: true },
} as const;

type Values = ReturnType<typeof parse>['values'];

interface Words {
  readonly words: readonly string[];
  readonly values: Values;
  readonly service: Service;
}

const VERBS: Readonly<Record<string, (words: Words) => Promise<number>>> = {
  start,
  list,
  follow: ({ words, service }) => withRun(words, service, (run) => followRun(run, service)),
  answer,
  suspend: (words) => command('suspend', words),
  resume: (words) => command('resume', words),
  abort: (words) => command('abort', words),
  dry,
  check: ({ words: [folder, procedure, ...more] }) =>
    folder === undefined || more.length > 0 ? usage() : checkProcedures(folder, procedure),
};

export async function run([verb, ...args]: string[]): Promise<number> {
  const carryOut = verb !== undefined && Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (carryOut === undefined) return usage();
  const { values, positionals } = parse(args);
  return carryOut({ words: positionals, values, service: serviceOf(values) });
}

function parse(args: string[]) {
  return parseArgs({ args, allowPositionals: true, options: OPTIONS });
}

async function usage(): Promise<number> {
  process.stderr.write(USAGE);
  return 2;
}

async function start({ words: [procedure, ...pairs], values, service }: Words): Promise<number> {
  const { environment, library, plan, input = [], fault = [] } = values;
  if (procedure === undefined || environment === undefined) return usage();
  const asked = { procedure, pairs, environment, library, plan, inputs: input, faults: fault };
  const launched = await startRun(asked, service);
  if (launched === undefined) return 1;
  for (const warning of launched.warnings) process.stderr.write(`warning: ${warning}\n`);
  process.stdout.write(`${launched.run}\n`);
  return values.follow === true ? followRun(launched.run, service) : 0;
}

async function dry({ words: [folder, procedure, ...pairs], values }: Words): Promise<number> {
  const { environment, library, input = [], fault = [], decide = 'fail', answer: answers = [] } = values;
  if (folder === undefined || procedure === undefined || environment === undefined) return usage();
  if (!isChoice(decide)) return usage();
  const words = { procedure, pairs, environment, library, inputs: input, faults: fault };
  const read = readPairs(answers, 'an answer').map(([path, text]) => [path, readValue(text)] as const);
  const { dryRun } = await import('./run-dry.ts');
  return dryRun({ folder, words, decide, answers: Object.fromEntries(read) });
}

async function list({ words, values: { limit }, service }: Words): Promise<number> {
  if (words.length > 0) return usage();
  const query = limit === undefined ? '' : `?limit=${encodeURIComponent(limit)}`;
  const reply = await request<RunList>(service, 'GET', `/v1/runs${query}`);
  if (reply === undefined) return 1;
  const width = Math.max(0, ...reply.runs.map(({ procedure }) => procedure.length));
  for (const each of reply.runs) process.stdout.write(`${summaryLine(each, width)}\n`);
  return 0;
}

function summaryLine(summary: RunSummary, width: number): string {
  const { run: id, procedure, step, pending, reason, environment, targets, by } = summary;
  const where = Object.values(targets).join(',');
  const facts = [
    `${where} in ${environment}`,
    by === undefined ? undefined : `by ${by}`,
    summary.finished === undefined && step !== undefined ? `at ${step}` : undefined,
    pending?.prompt,
    reason,
  ];
  const said = facts.filter((fact) => fact !== undefined).join(', ');
  return `${id}  ${stateOf(summary).padEnd(9)}  ${procedure.padEnd(width)}  ${said}`.replace(/\p{Cc}/gu, '.');
}

async function answer({ words: [name, ...rest], values, service }: Words): Promise<number> {
  const said = readAnswer(rest, values.text === true);
  const named = values.question === undefined ? undefined : Number(values.question);
  if (said === undefined || (named !== undefined && !Number.isSafeInteger(named))) return usage();
  return withRun(name === undefined ? [] : [name], service, async (id) => {
    const status = await request<RunStatus>(service, 'GET', `/v1/runs/${id}`);
    if (status === undefined) return 1;
    const problem = answerProblem(status, said, { path: values.path, question: named });
    if (problem !== undefined) {
      process.stderr.write(`mcs: ${problem}\n`);
      return 1;
    }
    const { path, question } = status.pending!;
    const body: Answer = { path, ...said, ...(question !== undefined && { question }) };
    if ((await request(service, 'POST', `/v1/runs/${id}/answers`, body)) === undefined) return 1;
    process.stdout.write(`answered ${body.path}; the log of the run shows whether it is accepted\n`);
    return 0;
  });
}

type Said = Pick<Answer, 'accepted' | 'value'>;

/** `yes`, `no`, or a value, which is a yes. */
function readAnswer([first, ...rest]: readonly string[], asText: boolean): Said | undefined {
  if (first === undefined || rest.length > 1) return undefined;
  const isWord = first === 'yes' || first === 'no';
  const [value, ...more] = isWord ? rest : [first, ...rest];
  if (more.length > 0) return undefined;
  const read = value === undefined || asText ? value : readValue(value);
  return { accepted: first !== 'no', ...(read !== undefined && { value: read }) };
}

/**
 * Why not to send it: what is asked is something else. A no ends a run that waits for a decision; the same command
 * typed once more must not, so it has to name the decision.
 */
function answerProblem(
  { run: id, pending }: RunStatus,
  { accepted, value }: Said,
  meant: { readonly path: string | undefined; readonly question: number | undefined },
): string | undefined {
  if (pending === undefined) return `run ${id} has no open question`;
  const { path = pending.path, question = pending.question } = meant;
  const help = answerHelp(id, pending satisfies PendingQuestion);
  if (path !== pending.path) return `run ${id} asks nothing at ${path}, but at ${pending.path}: ${help}`;
  if (question !== pending.question)
    return `run ${id} now asks question ${pending.question}, not ${question}: ${help}`;
  const isDecided = isChoice(value) || (!accepted && meant.question !== undefined);
  if (pending.kind === 'ask' || isDecided) return undefined;
  return `run ${id} waits for a decision about ${pending.path}: ${help}`;
}

async function command(action: string, { words, values: { choice }, service }: Words): Promise<number> {
  if (choice !== undefined && action !== 'resume') return usage();
  const body = choice === undefined ? undefined : { choice };
  return withRun(words, service, async (id) => {
    if ((await request(service, 'POST', `/v1/runs/${id}/${action}`, body)) === undefined) return 1;
    process.stdout.write(`${action} accepted\n`);
    return 0;
  });
}

/** Carries out what is asked of one run; its name may be the end of its identifier. */
async function withRun(
  words: readonly string[],
  service: Service,
  carryOut: (run: string) => Promise<number>,
): Promise<number> {
  const [name = '', ...more] = words;
  // An empty one is what a shell makes of a variable that is not set; every identifier ends with it.
  if (name === '' || more.length > 0) return usage();
  const ending = name.toUpperCase();
  if (isUlid(ending)) return carryOut(ending);
  const reply = await request<RunList>(service, 'GET', '/v1/runs?limit=200');
  if (reply === undefined) return 1;
  const matches = reply.runs.map((each) => each.run).filter((id) => id.endsWith(ending));
  if (matches.length === 1) return carryOut(matches[0]!);
  const said =
    matches.length === 0 ? 'no run has this ending' : `several have this ending: ${matches.join(', ')}`;
  process.stderr.write(`mcs: ${JSON.stringify(name)} is not a run: ${said}\n`);
  return 1;
}
