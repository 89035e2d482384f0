/**
 * What the chart of a run makes of each event: one turn. Mission Control Service, section 3.2. In which state an event counts
 * is the chart's to say (`run.ts`).
 */

import type { RunFact } from '../../contract/run.ts';
import { abortAsked, notPrepared, prepared, released, resumptionAsked, suspensionAsked } from './command.ts';
import { armedFaults, faultAnswered } from './fault.ts';
import { faultsBefore } from './fault-log.ts';
import { proceed, written } from './proceed.ts';
import { BEFORE } from './progress.ts';
import type { RunChartEvent, RunInput } from './protocol.ts';
import { answer, answerRead, answerUnreadable, unanswered } from './question.ts';
import { telecommandEnded } from './sending.ts';
import { failed, judged, modeSet, passed } from './statement.ts';
import { type RunContext, STEP_BEGUN, Turn } from './turn.ts';

/** A run that has not begun. */
export function newRun(input: RunInput): RunContext {
  return {
    ...input,
    progress: BEFORE,
    activity: { kind: 'none' },
    inStep: STEP_BEGUN,
    tickets: 0,
    targetsHeld: false,
    suspendWish: input.suspendBy ?? null,
    abort: null,
    faults: faultsBefore(input.program),
    early: [],
    owner: null,
  };
}

/** The first turn: `started`, and what follows. */
export function begun(context: RunContext): Turn {
  const turn = new Turn(context, context.at);
  turn.record(startedFact(context));
  proceed(turn);
  return turn;
}

function startedFact({ program, ir, by }: RunInput): RunFact {
  const { procedure, library, environment, targets, inputs } = program;
  return {
    event: 'started',
    procedure,
    library,
    environment,
    targets: { ...targets },
    ir,
    ...(by !== undefined && { by }),
    inputs: { ...inputs },
  };
}

/** The turn that the event leads to. */
export function told(context: RunContext, event: RunChartEvent): Turn {
  const turn = new Turn(context, event.at);
  take(turn, event);
  proceed(turn);
  return turn;
}

function take(turn: Turn, event: RunChartEvent): void {
  switch (event.type) {
    case 'command.suspend':
    case 'command.preempt':
      return suspensionAsked(turn, event);
    case 'command.resume':
      return resumptionAsked(turn, event);
    case 'command.abort':
      return abortAsked(turn, event);
    case 'answer':
      return answer(turn, event);
    case 'fault.switched':
    case 'fault.refused':
      return faultTold(turn, event);
    case 'recovered':
      return recovered(turn, event.by);
    case 'prepared':
      return prepared(turn);
    case 'not-prepared':
      return notPrepared(turn, event);
    case 'released':
      return released(turn, event);
    default:
      return replied(turn, event);
  }
}

type Told<Type extends RunChartEvent['type']> = Extract<RunChartEvent, { type: Type }>;
type StatementReply = Told<
  | 'telecommand.ended'
  | 'judged'
  | 'written'
  | 'answer.read'
  | 'answer.unreadable'
  | 'done'
  | 'failed'
  | 'woken'
>;

/** A reply that the statement under way waited for. */
function replied(turn: Turn, event: StatementReply): void {
  const { activity } = turn;
  switch (event.type) {
    case 'telecommand.ended':
      return telecommandEnded(turn, event);
    case 'judged':
      return judged(turn, event);
    case 'written':
      return written(turn, event);
    case 'answer.read':
      if (activity.kind === 'readingAnswer') answerRead(turn, activity.given, event);
      return;
    case 'answer.unreadable':
      if (activity.kind === 'readingAnswer') answerUnreadable(turn, activity.given, event);
      return;
    case 'done':
      return activity.kind === 'settingMode' ? modeSet(turn) : passed(turn);
    case 'failed':
      return failed(turn, event.reason);
    case 'woken':
      return woken(turn);
  }
}

function woken(turn: Turn): void {
  const { kind } = turn.activity;
  if (kind === 'asking') unanswered(turn);
  else if (kind === 'waiting') passed(turn);
  else turn.goOn();
}

function faultTold(turn: Turn, event: Told<'fault.switched' | 'fault.refused'>): void {
  faultAnswered(turn, event);
  if (turn.activity.kind === 'ending') turn.goOn();
}

/** The new owner says so in the log, and goes on from there. */
function recovered(turn: Turn, by: string): void {
  turn.record({ event: 'taken_over', by });
  turn.change({ owner: by });
  for (const effect of armedFaults(turn.context)) turn.ask(effect);
  turn.goOn();
}
