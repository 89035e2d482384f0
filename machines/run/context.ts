/**
 * What the chart of a run knows beside the state in which it stands: the data that its actions work with. Mission
 * Control Service, section 3.2.
 *
 * T2. What the state says is not in the context: what is under way, whether it is suspended or over.
 */

import type { Program, ProgramStatement, StepNode } from '../../contract/program.ts';
import type { RunValue } from '../../contract/run-event.ts';
import { leafAt, pathAt, statementsOf } from './place.ts';
import type { Progress } from './progress.ts';
import type { AnswerGiven, Answers, PassSeen, RunCommand, RunInput } from './protocol.ts';

export interface RunContext extends RunInput {
  readonly progress: Progress;
  readonly inStep: InStep;
  /** The last ticket given out; a state that awaits a reply awaits the one with this ticket (T3 of `draft.ts`). */
  readonly tickets: number;
  /** The leases are taken and the targets were ready. */
  readonly targetsHeld: boolean;
  /** Who wants it suspended. */
  readonly suspendWish: string | null;
  /** Who aborts it, and the requests to be answered once it is over. */
  readonly abort: { readonly by: string; readonly requests: readonly string[] } | null;
  /** The question or confirmation asked last. */
  readonly asked: AskedQuestion | null;
  /** The typed answer that is being read. */
  readonly given: GivenAnswer | null;
  /** The resumption for which leases are being retaken. */
  readonly resume: Resume | null;
  /** One for each fault of the program. */
  readonly faults: readonly FaultStanding[];
  /** Came before the new owner was there. */
  readonly early: readonly (RunCommand | AnswerGiven | PassSeen)[];
  /** Instance that took it over. */
  readonly owner: string | null;
}

/** Inside the open step; a new owner does not know it (see `progress.ts`). */
export interface InStep {
  /** Index of the statement under way. */
  readonly statement: number;
  /** Of a configure: the setter under way. */
  readonly setter: number;
  /** A setter has just ended: what follows of its configure is the same instruction. */
  readonly midway: boolean;
  /** Sendings of the present telecommand that failed. */
  readonly failedSendings: number;
  readonly answers: Answers;
  /** Who confirmed in this attempt: nobody confirms a step twice. */
  readonly confirmers: readonly string[];
  /** Roles of the policy that have confirmed its hazardous telecommands, counted. */
  readonly confirmed: number;
}

export const STEP_BEGUN: InStep = {
  statement: 0,
  setter: 0,
  midway: false,
  failedSendings: 0,
  answers: {},
  confirmers: [],
  confirmed: 0,
};

export interface AskedQuestion {
  /** Number of the event that asked. */
  readonly question: number;
  /** Of a confirmation. */
  readonly role?: string;
}

export interface GivenAnswer {
  readonly by: string;
  readonly value: RunValue;
  readonly source: number;
}

export interface Resume {
  readonly request: string;
  readonly by: string;
  readonly choice: 'replay' | 'skip' | 'fail';
}

/** How a fault of the program stands (`fault.ts`). */
export interface FaultStanding {
  readonly on: Switching;
  readonly off: Switching;
  /** It is on, or may be (fault-log.V3). */
  readonly isLit: boolean;
}

export interface Switching {
  readonly stage: 'before' | 'armed' | 'done';
  /** ms since 1970, once armed. */
  readonly dueAt: number;
}

type Place = Pick<RunContext, 'program' | 'progress' | 'inStep'>;

/** The open step with statements; undefined between two. */
export function leafOf({ program, progress }: Omit<Place, 'inStep'>): StepNode | undefined {
  return leafAt(program, progress.frames);
}

/** The statement under way; undefined behind the last one, and between steps. */
export function statementOf(place: Place): ProgramStatement | undefined {
  const leaf = leafOf(place);
  return leaf && statementsOf(leaf)[place.inStep.statement];
}

/** Path of the step in progress, or the name of the procedure. */
export function pathOf({ program, progress }: { program: Program; progress: Progress }): string {
  return pathAt(program, progress.frames);
}
