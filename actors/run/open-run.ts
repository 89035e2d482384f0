/**
 * A run as its shard holds it: what it was begun with, how far its log has come, and what of it ends when an
 * instruction does. Mission Control Service, section 3.2.
 *
 * H1. An answer reaches the chart once: what is at or below the last answer of the log has reached it already.
 * H2. An answer that reached the chart and is not in the log yet is read again by the next owner.
 */

import type { RunSummary } from '../../contract/run.ts';
import type { OpenRun } from '../../contract/run-wire.ts';
import type { RunEffect, RunInput, RunRecord } from '../../machines/run/protocol.ts';
import type { Mission } from '../../mission/mission.ts';
import type { RunHost } from './binding.ts';
import { LogFacts, type RunFacts } from './log-facts.ts';
import type { Begun } from './log-store.ts';
import type { Sendings } from './sendings.ts';
import type { RunAtHand } from './services.ts';

/** A pending suspension of the run; each is one of its own, also of the same person. */
export interface Wish {
  readonly by: string;
}

/** The last event of its log that its holder knows to be stored. */
export interface LastLogged {
  /** Position in RUNS; 0: none. */
  readonly seq: number;
  /** Number in the log. */
  readonly number: number;
  /** ms since 1970 */
  readonly at: number;
}

interface HeldRunOptions {
  readonly input: RunInput;
  readonly mission: Mission;
  readonly epoch: number;
  /** What its log says so far. */
  readonly facts: RunFacts;
  /** Position of the last answer in its log that its stream still has; 0 for none. */
  readonly answered: number;
  readonly last: LastLogged;
  readonly holds: () => boolean;
  readonly replied: (effect: Extract<RunEffect, { type: 'effect.reply' }>) => void;
}

export class HeldRun implements RunHost {
  /** What a cell of it is begun with, its pending suspension as it stands now. */
  readonly begun: Begun & { input: RunInput };
  readonly atHand: RunAtHand;
  readonly replied: HeldRunOptions['replied'];
  readonly #facts: LogFacts;
  #wish: Wish | undefined;
  #last: LastLogged;
  /** Events of its log are lost, whatever of it stands there (run/run-log.G6). */
  isCut = false;
  #answered: number;
  /** Positions of answers that reached the chart and are not in the log. */
  readonly #told = new Set<number>();
  #instruction = new AbortController();
  #question = new AbortController();
  readonly #run = new AbortController();

  constructor({ input, mission, epoch, facts, answered, last, holds, replied }: HeldRunOptions) {
    const { run, program, by } = input;
    this.begun = { input, epoch };
    this.#wish = input.suspendBy === undefined ? undefined : { by: input.suspendBy };
    this.atHand = { run, program, mission, by, holds };
    this.replied = replied;
    this.#facts = new LogFacts(facts);
    this.#answered = answered;
    this.#last = last;
  }

  /** As it is entered among the open ones. */
  get entry(): OpenRun {
    const { run, ir, by, at } = this.begun.input;
    return { run, ir, submittedAt: at, ...(by !== undefined && { by }) };
  }

  get last(): LastLogged {
    return this.#last;
  }

  get summary(): RunSummary {
    return this.#facts.summary;
  }

  /** Telecommands of it that may be under way. */
  get sendings(): Sendings {
    return this.#facts.sendings;
  }

  /** What its log says of it, as it is kept. */
  get facts(): RunFacts {
    return this.#facts.now;
  }

  get instruction(): AbortSignal {
    return this.#instruction.signal;
  }

  get question(): AbortSignal {
    return this.#question.signal;
  }

  get whole(): AbortSignal {
    return this.#run.signal;
  }

  /** The pending suspension in the entry of the open run. */
  get wish(): Wish | undefined {
    return this.#wish;
  }

  wished(wish: Wish | undefined): void {
    const { suspendBy: _, ...input } = this.begun.input;
    this.#wish = wish;
    this.begun.input = { ...input, ...(wish !== undefined && { suspendBy: wish.by }) };
  }

  /** What is under way of the instruction is given up before the targets are. */
  interrupted(): void {
    this.#endInstruction();
  }

  /** An event of its log is about to be stored: from its end on nothing of the run begins any more. */
  appending({ event }: RunRecord): void {
    if (event.event === 'finished') this.#run.abort('over');
  }

  /** Whether an answer is new to the run (H1); from then on it counts as taken. */
  takes(source: number): boolean {
    if (source <= this.#answered || this.#told.has(source)) return false;
    this.#told.add(source);
    return true;
  }

  /** It did not reach the chart after all. */
  gaveBack(source: number): void {
    this.#told.delete(source);
  }

  /** The first answer that the next owner has to read again (H2); undefined when there is none. */
  get firstTold(): number | undefined {
    return this.#told.size === 0 ? undefined : Math.min(...this.#told);
  }

  /** An event of its log is stored; the summary after it. */
  appended({ event, source }: RunRecord, position: number, at: number): RunSummary {
    this.#last = { seq: position, number: event.seq, at };
    this.#facts.note({ event, epoch: this.begun.epoch, source });
    if (source !== undefined) this.#logged(source);
    if (event.event === 'answered' || event.event === 'step_finished') this.#endQuestion();
    if (event.event === 'suspended' || event.event === 'decision_required') this.#endInstruction();
    return this.summary;
  }

  #logged(source: number): void {
    this.#answered = Math.max(this.#answered, source);
    for (const told of this.#told) if (told <= source) this.#told.delete(told);
  }

  #endInstruction(): void {
    this.#instruction.abort('over');
    this.#instruction = new AbortController();
  }

  #endQuestion(): void {
    this.#question.abort('answered');
    this.#question = new AbortController();
  }
}
