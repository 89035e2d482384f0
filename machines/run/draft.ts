/**
 * What one action of the chart of a run writes: the context as it will be, with the records and effects on the way
 * there. Mission Control Service, section 3.2.
 *
 * T1. A record is numbered, logged and moves the progress in one go (run/progress.P1).
 * T3. Every effect that is awaited has a ticket of its own; a reply with another one comes too late and is skipped.
 * T4. The context that the draft is of is never mutated.
 */

import type { Program, ProgramStatement, StepNode } from '../../contract/program.ts';
import type { RunFact } from '../../contract/run-event.ts';
import { type InStep, leafOf, pathOf, type RunContext, STEP_BEGUN, statementOf } from './context.ts';
import { evolve, type Progress } from './progress.ts';
import type { RunEffect, RunRecord } from './protocol.ts';

/** An effect without its ticket. */
type Unticketed<Effect> = Effect extends { ticket: number } ? Omit<Effect, 'ticket'> : never;

export class Draft {
  readonly at: number;
  readonly emitted: (RunEffect | RunRecord)[] = [];
  readonly #before: RunContext;
  /** Of the draft alone once anything in it is another (T4). */
  #context: RunContext;
  #changes: Partial<RunContext> | undefined;

  constructor(context: RunContext, at: number) {
    this.#before = context;
    this.#context = context;
    this.at = at;
  }

  get context(): RunContext {
    return this.#context;
  }

  /** What of the context is another than it was; undefined where nothing is. */
  get changes(): Partial<RunContext> | undefined {
    return this.#changes;
  }

  get program(): Program {
    return this.#context.program;
  }

  get progress(): Progress {
    return this.#context.progress;
  }

  get inStep(): InStep {
    return this.#context.inStep;
  }

  get leaf(): StepNode | undefined {
    return leafOf(this.#context);
  }

  get statement(): ProgramStatement | undefined {
    return statementOf(this.#context);
  }

  get path(): string {
    return pathOf(this.#context);
  }

  change(changes: Partial<RunContext>): void {
    if (this.#context === this.#before) this.#context = { ...this.#before };
    Object.assign(this.#context, changes);
    this.#changes = Object.assign(this.#changes ?? {}, changes);
  }

  changeStep(changes: Partial<InStep>): void {
    this.change({ inStep: { ...this.inStep, ...changes } });
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
}
