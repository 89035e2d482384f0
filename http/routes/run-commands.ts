/**
 * What people say to a run: answers to its questions and decisions, and suspend, resume, abort. Mission Control
 * Service, sections 2.3, 4.2 rules 6 and 7, and 5.4. The front end passes it on with who said it; the executor alone
 * decides whether an answer is taken.
 *
 * K1. An answer is published and kept, so that it reaches an executor that takes over; a command is asked of whoever
 *     holds the run (`http/run-control.ts`).
 * K2. Refused is what the run does not do. Of what it may still do 504 `run::timeout` says that this is not known.
 * K3. An answer reaches the question that its sender saw, or none: it names it, or the log is looked at before it is
 *     published (question.Q4).
 */

import { assert } from '../../contract/assert.ts';
import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { Answer, AnswerTold, ResumeRequest, type RunSummary, RunTold } from '../../contract/run.ts';
import type { Approval, ControlCall } from '../../contract/run-wire.ts';
import type { Caller } from '../caller.ts';
import { refuse } from '../errors.ts';
import { currentMission } from '../mission-of.ts';
import { actionInPath, runInPath, runOrUnknown } from '../parameters.ts';
import type { RoutePorts } from '../ports.ts';
import type { Handled, Refusal, Reply } from '../reply.ts';
import { defineRoute } from '../route.ts';
import { askHolder } from '../run-control.ts';
import { operatorRefusal, type SpeakingPolicy } from '../run-policy.ts';
import { findRun, firstEvent, lastEventNumber, storedProgram, unknownRun } from '../run-record.ts';

/** A person who may speak to runs: never anonymous. */
type Operator = Exclude<Caller, { kind: 'anonymous' }>;

export const answerRun = defineRoute({
  method: 'POST',
  path: '/v1/runs/:run/answers',
  operationId: 'answerRun',
  summary: 'Answer a question of a run, or decide about a step that failed',
  description:
    'Published for the executor, which decides whether it is taken: the log of the run shows `answered` or ' +
    '`answer_refused`. An answer that got no reply may be repeated. Name its `question`, and a repetition changes nothing ' +
    'whenever it comes: what is answered already is refused in the log. Without `question` an answer is for what the log ' +
    'asked last when it was given, so that a repetition of a no may answer the decision which the first one led to.',
  tag: 'Runs',
  params: { run: runOrUnknown },
  body: Answer,
  replies: { 202: AnswerTold },
  errors: [
    'api::no-configuration',
    'api::anonymous',
    'auth::jwt-required',
    'run::unknown',
    'api::unavailable',
  ],
  statuses: { 'api::anonymous': [400, 401] },
  async handle({ params: { run }, body, caller }, ports) {
    const operator = await operatorOf(run, caller, ports);
    if (!operator.ok) return operator;
    if (!operator.value.known) return unknownRun(run);
    const seen = await publishAnswer(run, body, operator.value.operator, ports);
    const { finished } = operator.value;
    const told: AnswerTold = { run, seen, ...(finished !== undefined && { finished }) };
    return { ok: true, value: { status: 202, body: told } };
  },
});

export const commandRun = defineRoute({
  method: 'POST',
  path: '/v1/runs/:run/:action',
  operationId: 'commandRun',
  summary: 'Suspend, resume or abort a run',
  description:
    'Answered once the executor that holds the run has accepted. While no executor answers, as during a takeover, it is ' +
    'asked again for up to 30 s. A suspension is carried out at the end of the instruction in progress; a resumption ends ' +
    'the suspension that stood when it was asked for, never a later one. Only `resume` takes a body.',
  tag: 'Runs',
  params: { run: runInPath, action: actionInPath },
  body: ResumeRequest,
  bodyOptional: true,
  bodyFor: { parameter: 'action', value: 'resume' },
  replies: { 202: RunTold },
  errors: [
    'api::no-configuration',
    'api::anonymous',
    'auth::jwt-required',
    'run::not-running',
    'run::refused',
    'run::timeout',
    'api::unavailable',
  ],
  statuses: { 'api::anonymous': [400, 401] },
  async handle({ params: { run, action }, body, caller }, ports) {
    const operator = await operatorOf(run, caller, ports);
    if (!operator.ok) return operator;
    const by = operator.value.operator.name;
    return control(run, callOf(action, by, body?.choice), ports);
  },
});

interface Speaker {
  readonly operator: Operator;
  /** Whether the bus knows the run. */
  readonly known: boolean;
  /** Whether it passed; absent while it is not over. */
  readonly finished?: boolean;
}

/** Who speaks to the run; refuses whom its environment does not let. */
async function operatorOf(run: string, caller: Caller, ports: RoutePorts): Promise<Handled<Speaker>> {
  const mission = currentMission(ports);
  if (!mission.ok) return mission;
  const found = await findRun(run, ports);
  const configured = found && mission.value.environments.get(found.environment);
  const policy = configured ?? (found && (await launchPolicy(found, ports)));
  const forbidden = operatorRefusal(caller, policy);
  if (forbidden !== undefined) return forbidden;
  assert(caller.kind !== 'anonymous', 'run-policy.Y2');
  return { ok: true, value: { operator: caller, known: found !== undefined, ...endOf(found) } };
}

function endOf(found: RunSummary | undefined): Pick<Speaker, 'finished'> {
  return found?.finished === undefined ? {} : { finished: found.finished };
}

/** Of its program (run-policy.Y3 of policies); undefined when that is not there, and while the run is not begun. */
async function launchPolicy(
  { run, environment: name }: RunSummary,
  ports: RoutePorts,
): Promise<SpeakingPolicy | undefined> {
  const first = await firstEvent(run, ports);
  const program = first?.event === 'started' ? await storedProgram(first.ir, ports) : undefined;
  return program && { name, ...program.policy };
}

/** One that does not name its question is bound to what the log has now (K3): the number of its last event. */
async function publishAnswer(
  run: string,
  answer: Answer,
  operator: Operator,
  ports: RoutePorts,
): Promise<number> {
  const { bus, newId } = ports;
  const { name, roles } = operator;
  const seen = await lastEventNumber(run, ports);
  const approval: Approval = {
    ...answer,
    by: name,
    roles,
    ...(operator.kind === 'verified' && { token: operator.token }),
  };
  const headers = {
    [header.user]: name,
    ...(roles.length > 0 && { [header.roles]: roles.join(',') }),
    ...(answer.question === undefined && { [header.seen]: String(seen) }),
  };
  const data = Buffer.from(JSON.stringify(approval));
  await bus.append(streams.runAnswers, subject.runApproval(run), data, { id: newId(), headers });
  return seen;
}

function callOf(action: string, by: string, choice = 'replay'): ControlCall {
  if (action === 'resume') return { action, by, choice };
  return action === 'suspend' ? { action, by } : { action: 'abort', by };
}

async function control(run: string, call: ControlCall, ports: RoutePorts): Promise<Handled<Reply>> {
  const reply = await askHolder(run, call, ports);
  switch (reply.outcome) {
    case 'accepted':
      return reported(run);
    case 'refused':
      return refuse('run::refused', reply.reason);
    case 'over':
      return notHeld(run);
    case 'unknown':
      return notSaid(`run ${run} has not confirmed the command: ${reply.reason}`);
  }
}

/**
 * Also of a run whose log has just ended, while its executor still clears up: the answer must not depend on how fast
 * that is.
 */
function notHeld(run: string): Refusal {
  return refuse('run::not-running', `no executor holds run ${run}`, {
    help: 'It has ended, has not begun, or waits to be taken over by another executor: its status says which.',
  });
}

/** Nothing is known of the command: neither that it is carried out nor that it is not. */
function notSaid(message: string): Refusal {
  return refuse('run::timeout', message, {
    help: 'It may still carry out the command: read the log of the run.',
  });
}

function reported(run: string): Handled<Reply> {
  return { ok: true, value: { status: 202, body: { run } satisfies RunTold } };
}

export const runCommandRoutes = [answerRun, commandRun];
