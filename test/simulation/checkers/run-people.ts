/**
 * What people are promised: commands that were accepted take effect, and an answer counts once. Section 4.2 rules 6, 7.
 */

import { readApproval } from '../../../actors/run/approval.ts';
import { isChoice } from '../../../contract/run.ts';
import type { RunEvent } from '../../../contract/run-event.ts';
import type { History } from '../history.ts';
import { type AcceptedCommand, byRun, lastToken, type RecordedRunEvent } from '../run-history.ts';
import { type Checker, isWhileAsked } from './checker.ts';

export const commandsTakeEffect: Checker = {
  name: 'commands-take-effect',
  promise:
    'a command that was accepted is carried out, whoever dies: suspended before anything else begins, resumed, aborted',
  *check({ runs }) {
    const logs = byRun(runs.events);
    for (const command of runs.accepted) {
      const log = logs.get(command.run) ?? [];
      const what = `${command.action} of ${command.run}, accepted at ${command.answeredAt}`;
      if (command.action === 'abort') yield* aborted(command, log, what);
      else if (command.action === 'resume') yield* resumed(command, log, what);
      else yield* suspended(command, log, what);
    }
  },
};

function* aborted(
  { by, answeredAt }: AcceptedCommand,
  log: readonly RecordedRunEvent[],
  what: string,
): Iterable<string> {
  const last = log.at(-1);
  if (last?.event.event !== 'finished' || last.message.order > answeredAt)
    yield `${what}: it was not over then`;
  else if (last.event.reason !== `aborted by ${by}` && !last.event.reason?.startsWith('aborted by'))
    yield `${what}: it ended ${last.event.reason}`;
}

function* resumed(
  command: AcceptedCommand,
  log: readonly RecordedRunEvent[],
  what: string,
): Iterable<string> {
  const taken = log.some(
    ({ event, message }) =>
      (event.event === 'continued' || event.event === 'finished') && isWhileAsked(message, command),
  );
  if (!taken) yield `${what}: nothing in its log says so`;
}

/** Nothing begins between the acceptance and the suspension. */
function* suspended(
  { askedAt, answeredAt }: AcceptedCommand,
  log: readonly RecordedRunEvent[],
  what: string,
): Iterable<string> {
  const asked = log.findLastIndex(({ message }) => message.order <= askedAt);
  const standing = log
    .slice(0, asked + 1)
    .findLast(({ event }) => ['suspended', 'continued'].includes(event.event));
  if (standing?.event.event === 'suspended') return;
  const later = log.slice(asked + 1);
  const done = later.find(({ event }) => event.event === 'suspended' || event.event === 'finished');
  if (done === undefined) return yield `${what}: never suspended`;
  const begun = later.find(
    ({ event, message }) =>
      message.order > answeredAt &&
      message.order < done.message.order &&
      ['step_started', 'asked'].includes(event.event),
  );
  if (begun !== undefined)
    yield `${what}: ${begun.event.event} ${begun.event.seq} came before the suspension`;
}

export const answersCountOnce: Checker = {
  name: 'answers-count-once',
  promise: 'every answer is in the log of its run once, in the order of the answers, and none is passed over',
  *check({ runs }) {
    const logs = byRun(runs.events);
    const given = answersByRun(runs.answers);
    for (const [run, log] of logs) {
      const logged = log.flatMap(({ source }) => source ?? []);
      for (const [n, source] of logged.entries())
        if (n > 0 && source <= logged[n - 1]!)
          yield `${run}: answer ${source} is logged behind ${logged[n - 1]}`;
      const highest = Math.max(0, ...logged);
      for (const source of given.get(run) ?? [])
        if (source < highest && !logged.includes(source)) yield `${run}: answer ${source} was passed over`;
      for (const { event, source } of log)
        if (event.event === 'answer_refused' && source === undefined)
          yield `${run}: ${event.seq} refuses nothing`;
    }
  },
};

export const refusalsAreTrue: Checker = {
  name: 'refusals-are-true',
  promise: 'a command that was refused is not carried out',
  *check({ runs }) {
    const logs = byRun(runs.events);
    for (const { run, action, by } of runs.refused)
      for (const { event } of logs.get(run) ?? [])
        if (isOf(event, by))
          yield `${action} of ${run} by ${by} was refused, and ${event.event} ${event.seq} is its`;
  },
};

/** Whether somebody's command led to it; everybody commands once. */
function isOf(event: RunEvent, by: string): boolean {
  if (event.event === 'suspended' || event.event === 'continued') return event.by === by;
  return event.event === 'finished' && event.reason === `aborted by ${by}`;
}

export const answersMeanOneQuestion: Checker = {
  name: 'answers-mean-one-question',
  promise:
    'an answer that is taken answers the question it names, or one that was stored before it, and a decision is one of its values',
  *check({ runs }) {
    const given = new Map(runs.answers.map((message) => [message.seq, message]));
    for (const [run, log] of byRun(runs.events))
      for (const [n, { event, source }] of log.entries()) {
        const message = source === undefined ? undefined : given.get(source);
        if (event.event !== 'answered' || message === undefined) continue;
        const asked = log
          .slice(0, n)
          .findLast((each) => each.event.event === 'asked' || each.event.event === 'decision_required');
        const what = `${run}: answer ${source} was taken in event ${event.seq}`;
        const { question } = readApproval(message.data) ?? {};
        if (asked === undefined) yield `${what}, and nothing was asked`;
        else if (question !== undefined && question !== asked.event.seq)
          yield `${what} for question ${asked.event.seq}, and it names ${question}`;
        else if (question === undefined && message.order < asked.message.order)
          yield `${what}, and was stored before question ${asked.event.seq}`;
        else if (asked.event.event === 'decision_required' && event.accepted && !isChoice(event.value))
          yield `${what}, and decides nothing`;
      }
  },
};

function answersByRun(answers: History['runs']['answers']): Map<string, number[]> {
  const given = new Map<string, number[]>();
  for (const message of answers) {
    if (readApproval(message.data) === undefined) continue;
    const run = lastToken(message);
    given.set(run, [...(given.get(run) ?? []), message.seq]);
  }
  return given;
}
