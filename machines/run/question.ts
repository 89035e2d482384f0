/**
 * Questions of a run and who may answer them. Mission Control Service, sections 3.2, 4.2 rules 6 and 8, and 5.4.
 *
 * Q1. An answer is taken, and logged `answered`, or refused, and logged `answer_refused`; the run then waits on
 *     (MC-ANS-006). Either bears the position of the answer.
 * Q2. Nobody confirms a step twice (MC-ANS-011).
 * Q3. An answer is given by somebody: one without a name is refused.
 * Q4. An answer answers one question, the one it names (`question`), else one that stood in the log when it was given: what
 *     was asked behind it, at the same path or after a takeover, it never answers.
 * Q5. A decision is one of its values, or a plain no; anything else is refused, and the run waits on.
 */

import type { AskStatement } from '../../contract/program.ts';
import { CHOICES, isChoice } from '../../contract/run.ts';
import type { AnswerGiven, RunChartEvent } from './protocol.ts';
import { failed, passed } from './statement.ts';
import type { GivenAnswer, Turn } from './turn.ts';

type Reply<Type extends RunChartEvent['type']> = Extract<RunChartEvent, { type: Type }>;

/** Asks the question of the statement, its prompt written out. */
export function ask(turn: Turn, prompt: string, statement: AskStatement): void {
  const { path, program, at } = turn;
  const isTyped = statement.as !== undefined;
  if (isTyped && !program.policy.humanOrchestration)
    return failed(turn, `an answer is needed, and ${program.environment} has no human orchestration`);
  turn.record({ event: 'asked', path, prompt });
  if (!program.policy.humanOrchestration) return acknowledged(turn);
  const ticket = turn.askAwaited({ type: 'effect.await' });
  if (statement.timeoutMs !== null) turn.ask({ type: 'effect.wake', ticket, at: at + statement.timeoutMs });
  turn.become({ kind: 'asking', ticket, path, question: turn.progress.seq });
}

/** Asks for a confirmation by somebody with the role; without human orchestration it is given at once. */
export function confirm(turn: Turn, prompt: string, role: string): void {
  const { path, program } = turn;
  turn.record({ event: 'asked', path, prompt, role });
  if (program.policy.humanOrchestration) {
    const ticket = turn.askAwaited({ type: 'effect.await' });
    turn.become({ kind: 'confirming', ticket, path, question: turn.progress.seq, role });
    return;
  }
  turn.record({ event: 'answered', path, accepted: true, role });
  confirmed(turn);
}

function acknowledged(turn: Turn): void {
  turn.record({ event: 'answered', path: turn.path, accepted: true });
  passed(turn);
}

/** Takes the answer or refuses it (Q1). */
export function answer(turn: Turn, given: AnswerGiven): void {
  const { activity } = turn;
  const { path, by, source } = given;
  const reason = refusalOf(turn, given);
  if (reason !== undefined || by === undefined) {
    const named = by === undefined ? {} : { by };
    turn.record({ event: 'answer_refused', path, ...named, reason: reason ?? 'it has no name' }, source);
  } else if (activity.kind === 'asking') answered(turn, given, by);
  else {
    logAnswer(turn, given);
    if (activity.kind === 'confirming' && given.accepted) confirmed(turn, by);
    else turn.goOn();
  }
}

/** A typed answer that was given is read first; whatever else it is, is in the log at once. */
function answered(turn: Turn, given: AnswerGiven, by: string): void {
  const { statement } = turn;
  const { accepted, value, source } = given;
  const typed = statement?.kind === 'ask' && statement.as !== undefined ? statement : undefined;
  if (typed !== undefined && accepted && value !== undefined) {
    const ticket = turn.askAwaited({ type: 'effect.read-answer', statement: typed, value });
    turn.become({ kind: 'readingAnswer', ticket, given: { by, value, source } });
    return;
  }
  logAnswer(turn, given);
  if (!accepted) turn.goOn();
  else if (typed === undefined) passed(turn);
  else failed(turn, 'the answer has no value');
}

function logAnswer(turn: Turn, { path, accepted, by, value, source }: AnswerGiven): void {
  const { activity } = turn;
  turn.record(
    {
      event: 'answered',
      path,
      accepted,
      ...(by !== undefined && { by }),
      ...(value !== undefined && { value }),
      ...(activity.kind === 'confirming' && { role: activity.role }),
    },
    source,
  );
}

/** The typed answer has a value: it is a name in the rest of the step. */
export function answerRead(turn: Turn, given: GivenAnswer, { value }: Reply<'answer.read'>): void {
  const { path, statement, inStep } = turn;
  if (statement?.kind !== 'ask' || statement.as === undefined) return;
  turn.record({ event: 'answered', path, accepted: true, by: given.by, value }, given.source);
  turn.changeStep({ answers: { ...inStep.answers, [statement.as]: value } });
  passed(turn);
}

export function answerUnreadable(
  turn: Turn,
  { by, value, source }: GivenAnswer,
  { reason }: Reply<'answer.unreadable'>,
): void {
  const as = value === undefined ? {} : { value };
  turn.record({ event: 'answered', path: turn.path, accepted: true, by, ...as }, source);
  failed(turn, reason);
}

export function unanswered(turn: Turn): void {
  const { statement } = turn;
  const ms = statement?.kind === 'ask' ? (statement.timeoutMs ?? 0) : 0;
  failed(turn, `no answer within ${ms / 1000} s`);
}

/** The step goes on behind a confirmation; one of a hazardous telecommand counts for the policy. */
function confirmed(turn: Turn, by?: string): void {
  const { inStep, statement } = turn;
  if (by !== undefined) turn.changeStep({ confirmers: [...inStep.confirmers, by] });
  if (statement?.kind === 'confirm') return passed(turn);
  turn.changeStep({ confirmed: inStep.confirmed + 1 });
  turn.goOn();
}

/** Why an answer is not taken; undefined when it is. */
function refusalOf(turn: Turn, given: AnswerGiven): string | undefined {
  const { activity } = turn;
  const awaited = awaitedBy(turn);
  if (awaited === undefined || awaited.path !== given.path) return 'nothing is asked at this path';
  const { by, verified, identityFault, roles } = given;
  const elsewhere = otherQuestion(awaited.question, given);
  if (elsewhere !== undefined) return elsewhere;
  if (turn.program.policy.identity === 'jwt' && !verified)
    return identityFault ?? 'a verified token is needed';
  if (by === undefined) return 'an answer needs the name of who gives it';
  if (activity.kind === 'waitingDecision') return undecided(given);
  if (activity.kind !== 'confirming') return undefined;
  if (!roles.includes(activity.role)) return `the role ${activity.role} is needed`;
  return turn.inStep.confirmers.includes(by) ? `${by} has already confirmed this step` : undefined;
}

/** What is waited for: where, and the number of the event that asked. */
function awaitedBy({ activity, progress, path }: Turn): { path: string; question: number } | undefined {
  if (activity.kind === 'asking' || activity.kind === 'confirming') return activity;
  const { standing } = progress;
  const isDecision = activity.kind === 'waitingDecision' && standing.kind === 'deciding';
  return isDecision ? { path, question: standing.question } : undefined;
}

/** Q4 */
function otherQuestion(awaited: number, { question, seen }: AnswerGiven): string | undefined {
  if (question === awaited) return undefined;
  if (question !== undefined) return `it answers question ${question}, and question ${awaited} is asked now`;
  if (seen >= awaited) return undefined;
  return `it was given before question ${awaited} was asked: answer that one anew`;
}

/** Q5 */
function undecided({ accepted, value }: AnswerGiven): string | undefined {
  const isDecided = isChoice(value) || (!accepted && value === undefined);
  if (isDecided) return undefined;
  const said = accepted ? '' : 'no, with ';
  const given = value === undefined ? 'no value' : JSON.stringify(value);
  return `${said}${given} is no decision: give one of ${CHOICES.join(', ')}, or a plain no`;
}
