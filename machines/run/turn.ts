/**
 * What the chart of a run knows, and one turn of it: the records and effects that one event leads to. Mission Control
 * Service, section 3.2.
 *
 * T1. A record is numbered, logged and moves the progress in one go (run/progress.P1).
 * T2. The chart stands in the state that is named for the activity under way.
 * T3. Every effect that is awaited has a ticket of its own; a reply with another one comes too late and is passed over.
 * T4. A context is never mutated: a turn puts a new one in its place.
 */

import type { Program, ProgramStatement, StepNode } from '../../contract/program.ts';
import type { RunFact, RunValue } from '../../contract/run.ts';
import { leafAt, pathAt, statementsOf } from './place.ts';
import { evolve, type Progress } from './progress.ts';
import type { AnswerGiven, Answers, RunCommand, RunEffect, RunInput, RunRecord } from './protocol.ts';

/** What is under way; its kind names the state of the chart. */
export type Activity =
  /** Nothing: the turn goes on. */
  | { readonly kind: 'none' }
  | { readonly kind: 'preparing'; readonly ticket: number }
  | { readonly kind: 'sending'; readonly ticket: number; readonly tc: string }
  | {
      readonly kind: 'judging' | 'writing' | 'waiting' | 'settingMode' | 'transferring' | 'pausing';
      readonly ticket: number;
    }
  /** `question`: number of the event that asked. */
  | {
      readonly kind: 'asking';
      readonly ticket: number;
      readonly path: string;
      readonly question: number;
    }
  | {
      readonly kind: 'confirming';
      readonly ticket: number;
      readonly path: string;
      readonly question: number;
      readonly role: string;
    }
  | { readonly kind: 'readingAnswer'; readonly ticket: number; readonly given: GivenAnswer }
  | { readonly kind: 'suspending'; readonly ticket: number; readonly by: string }
  /** `resume`: the command; null when a new owner makes sure of the targets. */
  | { readonly kind: 'resuming'; readonly ticket: number; readonly resume: Resume | null }
  | { readonly kind: 'closing'; readonly ticket: number }
  | { readonly kind: 'waitingDecision' | 'suspended' | 'ending' | 'recovering' };

export interface GivenAnswer {
  readonly by: string;
  readonly value?: RunValue;
  readonly source: number;
}

export interface Resume {
  readonly request: string;
  readonly by: string;
  readonly choice: 'replay' | 'skip' | 'fail';
}

/** Inside the open step; a new owner does not know it (see `progress.ts`). */
export interface InStep {
  /** Index of the statement under way. */
  readonly statement: number;
  /** Of a configure: the setter under way. */
  readonly setter: number;
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
  failedSendings: 0,
  answers: {},
  confirmers: [],
  confirmed: 0,
};

/** How a fault of the program stands (`fault.ts`). */
export interface FaultStanding {
  readonly on: Switching;
  readonly off: Switching;
  readonly isLit: boolean;
}

export interface Switching {
  readonly stage: 'before' | 'armed' | 'done';
  /** ms since 1970, once armed. */
  readonly dueAt: number;
}

export interface RunContext extends RunInput {
  readonly progress: Progress;
  readonly activity: Activity;
  readonly inStep: InStep;
  /** The last ticket given out. */
  readonly tickets: number;
  /** The leases are taken and the targets were ready. */
  readonly targetsHeld: boolean;
  /** Who wants it suspended. */
  readonly suspendWish: string | null;
  /** Who aborts it, and the requests to be answered once it is over. */
  readonly abort: { readonly by: string; readonly requests: readonly string[] } | null;
  /** One for each fault of the program. */
  readonly faults: readonly FaultStanding[];
  /** Came before the new owner was there. */
  readonly early: readonly (RunCommand | AnswerGiven)[];
  /** Instance that took it over. */
  readonly owner: string | null;
}

/** An effect without its ticket. */
type Unticketed<Effect> = Effect extends { ticket: number } ? Omit<Effect, 'ticket'> : never;

export class Turn {
  readonly at: number;
  readonly emitted: (RunEffect | RunRecord)[] = [];
  #context: RunContext;

  constructor(context: RunContext, at: number) {
    this.#context = context;
    this.at = at;
  }

  get context(): RunContext {
    return this.#context;
  }

  get program(): Program {
    return this.#context.program;
  }

  get progress(): Progress {
    return this.#context.progress;
  }

  get activity(): Activity {
    return this.#context.activity;
  }

  get inStep(): InStep {
    return this.#context.inStep;
  }

  get leaf(): StepNode | undefined {
    return leafAt(this.program, this.progress.frames);
  }

  /** The statement under way; undefined behind the last one, and between steps. */
  get statement(): ProgramStatement | undefined {
    const { leaf } = this;
    return leaf && statementsOf(leaf)[this.inStep.statement];
  }

  /** Path of the step in progress, or the name of the procedure. */
  get path(): string {
    return pathAt(this.program, this.progress.frames);
  }

  change(changes: Partial<RunContext>): void {
    this.#context = { ...this.#context, ...changes };
  }

  changeStep(changes: Partial<InStep>): void {
    this.change({ inStep: { ...this.inStep, ...changes } });
  }

  /** Makes this the activity under way. */
  become(activity: Activity): void {
    this.change({ activity });
  }

  /** The activity is over, and the turn goes on. */
  goOn(): void {
    this.become({ kind: 'none' });
  }

  /** Logs the fact (T1); `source` is the position of the answer that caused it. */
  record(fact: RunFact, source?: number): void {
    const { run, program, progress } = this.#context;
    const event = { run, seq: progress.seq + 1, at: new Date(this.at).toISOString(), ...fact };
    this.emitted.push({ type: 'record', event, ...(source !== undefined && { source }) });
    this.change({
      progress: evolve(program, progress, event),
      ...(fact.event === 'step_started' && { inStep: STEP_BEGUN }),
    });
  }

  ask(effect: RunEffect): void {
    this.emitted.push(effect);
  }

  /** Asks for the effect under a new ticket (T3). */
  askAwaited(effect: Unticketed<RunEffect>): number {
    const ticket = this.#context.tickets + 1;
    this.change({ tickets: ticket });
    this.ask({ ...effect, ticket } as RunEffect);
    return ticket;
  }

  accept(request: string): void {
    this.ask({ type: 'effect.reply', request, outcome: 'accepted' });
  }

  refuse(request: string, reason: string): void {
    this.ask({ type: 'effect.reply', request, outcome: 'refused', reason });
  }

  /** Its log has ended, and the request came behind that. */
  isOver(request: string): void {
    this.ask({ type: 'effect.reply', request, outcome: 'over' });
  }
}
