/**
 * Questions of a run and who may answer them. Mission Control Service, sections 3.2, 4.2 rules 6 and 8, and 5.4. In
 * which state an answer counts is the chart's to say: `run.ts`.
 *
 * Q1. An answer is taken, and logged `answered`, or refused, and logged `answer_refused`; the run then waits on
 *     (MC-ANS-006). Either bears the position of the answer.
 * Q2. Nobody confirms a step twice (MC-ANS-011).
 * Q3. An answer is given by somebody: one without a name is refused.
 * Q4. An answer answers one question, the one it names (`question`), else one that stood in the log when it was given:
 *     what was asked behind it, at the same path or after a takeover, it never answers.
 * Q5. A decision is one of its values, or a plain no; anything else is refused, and the run waits on.
 */

import type { AskStatement } from '../../contract/program.ts';
import { CHOICES, isChoice } from '../../contract/run.ts';
import type { AskedAnswer } from '../../contract/run-fields.ts';
import { pathOf, type RunContext, statementOf } from './context.ts';
import type { Draft } from './draft.ts';
import type { AnswerGiven, RunChartEvent } from './protocol.ts';
import { awaitedRole, hazardText } from './sending.ts';
import { passStatement, plainText } from './statement.ts';

type Reply<Type extends RunChartEvent['type']> = Extract<RunChartEvent, { type: Type }>;
/** The states in which something is asked. */
export type Asking = 'asking' | 'confirming' | 'waitingDecision';

// Asking --------------------------------------------------------------------------------------------------------------

/** Asks the question of the statement, its prompt written out. */
export function ask(draft: Draft, event: RunChartEvent): void {
  const { path, at, statement } = draft;
  const timeoutMs = statement?.kind === 'ask' ? statement.timeoutMs : null;
  const deadline = timeoutMs === null ? {} : { deadline: new Date(at + timeoutMs).toISOString() };
  const prompt = promptOf(draft.context, event);
  draft.record({ event: 'asked', path, prompt, ...askedAnswer(draft.context), ...deadline });
  draft.change({ asked: { question: draft.progress.seq } });
  const ticket = draft.askAwaited({ type: 'effect.await' });
  if (timeoutMs !== null) draft.ask({ type: 'effect.wake', ticket, at: at + timeoutMs });
}

/** Asks for a confirmation by somebody with the role: of the statement, or of a hazardous telecommand. */
export function askConfirmation(draft: Draft, event: RunChartEvent): void {
  const role = roleOf(draft.context) ?? '';
  draft.record({ event: 'asked', path: draft.path, prompt: promptOf(draft.context, event), role });
  draft.change({ asked: { question: draft.progress.seq, role } });
  draft.askAwaited({ type: 'effect.await' });
}

/** Without human orchestration a question is acknowledged at once, and a confirmation given (section 3.2). */
export function answerItself(draft: Draft, event?: RunChartEvent): void {
  const { path, context } = draft;
  const role = roleOf(context);
  const named = role === undefined ? {} : { role };
  draft.record({ event: 'asked', path, prompt: promptOf(context, event), ...named });
  draft.record({ event: 'answered', path, accepted: true, ...named });
  confirmed(draft);
}

/** Whether the statement needs an answer of a person, and the environment has none. */
export function isUnanswerable(context: RunContext): boolean {
  const isTyped = typedQuestionOf(context) !== undefined;
  return isTyped && !context.program.policy.humanOrchestration;
}

export function needsAnswerText({ program }: RunContext): string {
  return `an answer is needed, and ${program.environment} has no human orchestration`;
}

/** What the statement under way asks for. */
export function isConfirming(context: RunContext): boolean {
  return statementOf(context)?.kind === 'confirm';
}

function typedQuestionOf(context: RunContext): (AskStatement & { readonly as: string }) | undefined {
  const statement = statementOf(context);
  if (statement?.kind !== 'ask' || statement.as === undefined) return undefined;
  return { ...statement, as: statement.as };
}

/** The value that the statement under way asks for. */
function askedAnswer(context: RunContext): { readonly answer?: AskedAnswer } {
  const typed = typedQuestionOf(context)?.type;
  if (typed === undefined) return {};
  const { type, of, unit, range, values } = typed;
  return {
    answer: {
      type,
      ...(of !== undefined && { of }),
      ...(unit !== undefined && { unit }),
      ...(range !== undefined && { range: [...range] }),
      ...(values !== undefined && { choices: values.map(([name]) => name) }),
    },
  };
}

function roleOf(context: RunContext): string | undefined {
  const statement = statementOf(context);
  return statement?.kind === 'confirm' ? statement.role : awaitedRole(context);
}

function promptOf(context: RunContext, event: RunChartEvent | undefined): string {
  const statement = statementOf(context);
  if (statement?.kind !== 'ask' && statement?.kind !== 'confirm')
    return hazardText(context, awaitedRole(context) ?? '');
  const plain = plainText(statement.prompt);
  return plain ?? (event?.type === 'written' ? event.text : '');
}

// Answers -------------------------------------------------------------------------------------------------------------

/**
 * Whether a typed answer has a value, which is read before anything is logged; null: the question is of another kind.
 */
export function isTypedAnswer(context: RunContext, { value }: AnswerGiven): 'with value' | 'without' | null {
  if (typedQuestionOf(context) === undefined) return null;
  return value === undefined ? 'without' : 'with value';
}

/** The answer to a question or a confirmation. */
export function logAnswer(draft: Draft, given: AnswerGiven): void {
  const role = draft.context.asked?.role;
  record(draft, given, role === undefined ? {} : { role });
  draft.change({ asked: null });
}

/** The answer to a decision: with it in the log the progress goes where it says (run/progress.P3). */
export function logDecision(draft: Draft, given: AnswerGiven): void {
  record(draft, given, {});
}

function record(
  draft: Draft,
  { path, accepted, by, value, source }: AnswerGiven,
  role: { readonly role?: string },
): void {
  const named = by === undefined ? {} : { by };
  const valued = value === undefined ? {} : { value };
  draft.record({ event: 'answered', path, accepted, ...named, ...valued, ...role }, source);
}

/** A typed answer is read by what knows its unit. */
export function readAnswer(draft: Draft, { by = '', value = null, source }: AnswerGiven): void {
  const { statement } = draft;
  if (statement?.kind !== 'ask') return;
  draft.change({ given: { by, value, source }, asked: null });
  draft.askAwaited({ type: 'effect.read-answer', statement, value });
}

/** The typed answer has a value: it is a name in the rest of the step. */
export function passTypedAnswer(draft: Draft, { value }: Reply<'answer.read'>): void {
  const { path, context, inStep } = draft;
  const { given } = context;
  const typed = typedQuestionOf(context);
  if (typed === undefined || given === null) return;
  draft.record({ event: 'answered', path, accepted: true, by: given.by, value }, given.source);
  draft.change({ given: null });
  draft.changeStep({ answers: { ...inStep.answers, [typed.as]: value } });
  passStatement(draft);
}

export function logUnreadable(draft: Draft): void {
  const { path, context } = draft;
  const { given } = context;
  if (given === null) return;
  draft.record({ event: 'answered', path, accepted: true, by: given.by, value: given.value }, given.source);
  draft.change({ given: null });
}

/** The question is answered: the next statement follows. */
export function passQuestion(draft: Draft, given: AnswerGiven): void {
  logAnswer(draft, given);
  passStatement(draft);
}

/** The step goes on behind a confirmation (Q2). */
export function passConfirmation(draft: Draft, given: AnswerGiven): void {
  logAnswer(draft, given);
  draft.changeStep({ confirmers: [...draft.inStep.confirmers, given.by ?? ''] });
  confirmed(draft);
}

/** One of a hazardous telecommand counts for the policy. */
function confirmed(draft: Draft): void {
  const { statement, inStep } = draft;
  if (statement?.kind === 'ask' || statement?.kind === 'confirm') return passStatement(draft);
  draft.changeStep({ confirmed: inStep.confirmed + 1 });
}

// Refusals ------------------------------------------------------------------------------------------------------------

/** Q1, Q3 */
export function refuseAnswer(draft: Draft, given: AnswerGiven, asking: Asking | undefined): void {
  const { path, by, source } = given;
  const named = by === undefined ? {} : { by };
  const reason = refusalOf(draft.context, given, asking) ?? 'it has no name';
  draft.record({ event: 'answer_refused', path, ...named, reason }, source);
}

/** Why an answer is not taken; undefined when it is. */
export function refusalOf(
  context: RunContext,
  given: AnswerGiven,
  asking: Asking | undefined,
): string | undefined {
  const question = asking && questionOf(context, asking);
  if (question === undefined || pathOf(context) !== given.path) return 'nothing is asked at this path';
  const { by, verified, identityFault } = given;
  const elsewhere = otherQuestion(question, given);
  if (elsewhere !== undefined) return elsewhere;
  if (context.program.policy.identity === 'jwt' && !verified)
    return identityFault ?? 'a verified token is needed';
  if (by === undefined) return 'an answer needs the name of who gives it';
  if (asking === 'waitingDecision') return undecided(given);
  return asking === 'confirming' ? unconfirmed(context, by, given) : undefined;
}

/** Number of the event that asked. */
function questionOf({ asked, progress }: RunContext, asking: Asking): number | undefined {
  if (asking !== 'waitingDecision') return asked?.question;
  return progress.standing.kind === 'deciding' ? progress.standing.question : undefined;
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

/** Q2 */
function unconfirmed({ asked, inStep }: RunContext, by: string, { roles }: AnswerGiven): string | undefined {
  if (asked?.role !== undefined && !roles.includes(asked.role)) return `the role ${asked.role} is needed`;
  return inStep.confirmers.includes(by) ? `${by} has already confirmed this step` : undefined;
}
