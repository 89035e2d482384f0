/**
 * `mcs run answer`: answers what a run asks now, and waits until its log says whether the answer is taken. Exit code: 0
 * when it is taken, 1 when it is refused, 130 when it was interrupted before that was known.
 *
 * A1. What cannot be an answer is not sent: nothing is asked, something else is, or the value is not of its kind.
 * A2. What the log had before the answer was given is no word about it.
 */

import type { Answer, AnswerTold, PendingQuestion, RunStatus } from '../contract/run.ts';
import { isChoice } from '../contract/run.ts';
import type { RunEvent } from '../contract/run-event.ts';
import { answerFault } from '../contract/run-question.ts';
import { realClock } from '../supervision/clock.ts';
import { defineCommand } from './command.ts';
import { WrongUsage } from './command-line.ts';
import { followAgain, INTERRUPTED, whenEnded } from './followed.ts';
import { printJson } from './print-json.ts';
import { printable } from './printable.ts';
import { request } from './request.ts';
import { answerHelp } from './run-line.ts';
import { RUN_NAME, withRun } from './run-name.ts';
import { type Service, serviceOf } from './service.ts';
import { JSON_OPTIONS } from './table-options.ts';
import { readValue } from './written-value.ts';

const ANSWER_USAGE = `mcs run answer RUN [yes|no] [VALUE] [--question N] [--path P] [--text] [--json]
  answers what it asks, and waits until its log says whether the answer is taken; N: the event of the log that asks,
  without it what is asked now; --text: VALUE is text also where it looks like a number
${RUN_NAME}`;
/** An executor that lives takes an answer up within a fraction of this. */
const SAID_AFTER_MS = 5_000;

type Said = Pick<Answer, 'accepted' | 'value'>;
type Verdict = Extract<RunEvent, { event: 'answered' | 'answer_refused' | 'finished' }>;

export const answer = defineCommand({
  usage: ANSWER_USAGE,
  words: ['RUN', 'yes|no|VALUE', '[VALUE]'],
  options: {
    ...JSON_OPTIONS,
    question: { type: 'string' },
    path: { type: 'string' },
    text: { type: 'boolean' },
  },
  run({ words: [name, first, second], values }) {
    const said = readAnswer(first, second, values.text === true);
    const service = serviceOf(values);
    const meant = { path: values.path, question: numberOf(values.question) };
    return withRun(name, service, async (id) => {
      const status = await request<RunStatus>(service, 'GET', `/v1/runs/${id}`);
      if (status === undefined) return 1;
      const problem = answerProblem(status, said, meant);
      if (problem !== undefined) {
        process.stderr.write(`mcs: ${printable(problem)}\n`);
        return 1;
      }
      return give(service, id, { said, pending: status.pending!, json: values.json === true });
    });
  },
});

async function give(
  service: Service,
  id: string,
  { said, pending, json }: { readonly said: Said; readonly pending: PendingQuestion; readonly json: boolean },
): Promise<number> {
  const { path, question } = pending;
  const body: Answer = { path, ...said, ...(question !== undefined && { question }) };
  const told = await request<AnswerTold>(service, 'POST', `/v1/runs/${id}/answers`, body);
  if (told === undefined) return 1;
  const { seen } = told;
  // A service of an earlier version does not say where its log was.
  if (seen === undefined) {
    process.stdout.write(`answered ${path}; the log of the run shows whether it is accepted\n`);
    return 0;
  }
  const by = service.token === undefined ? service.user : undefined;
  const verdict = await verdictOf(service, id, (event) => isAbout(event, { path, seen, by }));
  if (typeof verdict === 'string') {
    process.stderr.write(`mcs: ${printable(verdict)}\n`);
    return 1;
  }
  if (verdict === undefined) {
    process.stderr.write('mcs: interrupted; the answer is kept until the run has taken or refused it\n');
    return INTERRUPTED;
  }
  if (json) printJson(verdict);
  else process.stdout.write(`${printable(verdictText(verdict, path))}\n`);
  return verdict.event === 'answered' ? 0 : 1;
}

/** The event that says it; why it cannot be followed; undefined when it was interrupted. */
async function verdictOf(
  service: Service,
  id: string,
  isIt: (event: RunEvent) => event is Verdict,
): Promise<Verdict | string | undefined> {
  const ended = whenEnded();
  const found = new AbortController();
  let verdict: Verdict | undefined;
  const late = realClock.setTimeout(() => {
    process.stderr.write('-- the run has not taken it up yet: it is kept until an executor does\n');
  }, SAID_AFTER_MS);
  const signal = AbortSignal.any([ended.signal, found.signal]);
  const refused = await followAgain<RunEvent>(service, `/v1/runs/${id}/events`, signal, {
    received(event) {
      if (verdict !== undefined || !isIt(event)) return;
      verdict = event;
      found.abort();
    },
    lost: (why) => void process.stderr.write(`-- ${why}; trying again\n`),
  });
  realClock.clearTimeout(late);
  return verdict ?? refused;
}

/** A2 */
function isAbout(
  event: RunEvent,
  { path, seen, by }: { readonly path: string; readonly seen: number; readonly by: string | undefined },
): event is Verdict {
  if (event.seq <= seen) return false;
  if (event.event === 'finished') return true;
  if (event.event === 'answered') return event.path === path;
  return event.event === 'answer_refused' && event.path === path && (by === undefined || event.by === by);
}

function verdictText(verdict: Verdict, path: string): string {
  if (verdict.event === 'answer_refused') return `refused at ${path}: ${verdict.reason}`;
  if (verdict.event === 'finished') return 'the run ended before it took the answer';
  const { accepted, value, by } = verdict;
  const said = value === undefined ? (accepted ? 'yes' : 'no') : String(value);
  return `taken at ${path}: ${said}${by === undefined ? '' : ` by ${by}`}`;
}

/** `yes`, `no`, or a value, which is a yes. */
function readAnswer(first: string, second: string | undefined, asText: boolean): Said {
  const isWord = first === 'yes' || first === 'no';
  if (!isWord && second !== undefined)
    throw new WrongUsage(`an answer is yes, no or one value: ${JSON.stringify(second)} is one word too many`);
  const value = isWord ? second : first;
  const read = value === undefined || asText ? value : readValue(value);
  return { accepted: first !== 'no', ...(read !== undefined && { value: read }) };
}

function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw new WrongUsage(`--question takes the number of an event, not ${JSON.stringify(text)}`);
  return Number(text);
}

/**
 * A no ends a run that waits for a decision; the same command typed once more must not, so it has to name the
 * decision (A1).
 */
function answerProblem(
  { run: id, pending, finished, reason }: RunStatus,
  said: Said,
  meant: { readonly path: string | undefined; readonly question: number | undefined },
): string | undefined {
  if (finished !== undefined)
    return `run ${id} is over, it ${finished ? 'passed' : `failed${reason === undefined ? '' : `: ${reason}`}`}`;
  if (pending === undefined) return `run ${id} has no open question`;
  const { path = pending.path, question = pending.question } = meant;
  const help = answerHelp(id, pending);
  if (path !== pending.path) return `run ${id} asks nothing at ${path}, but at ${pending.path}: ${help}`;
  if (question !== pending.question)
    return `run ${id} now asks question ${pending.question}, not ${question}: ${help}`;
  const { accepted, value } = said;
  if (pending.kind === 'decision') {
    const isDecided = isChoice(value) || (!accepted && meant.question !== undefined);
    return isDecided ? undefined : `run ${id} waits for a decision about ${pending.path}: ${help}`;
  }
  const fault = answerFault(pending, said);
  return fault === undefined ? undefined : `${fault}: ${help}`;
}
