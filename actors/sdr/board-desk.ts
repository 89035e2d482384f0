/**
 * Where commands for the board are asked for, and done when the chart of the radio says so.
 *
 * K1. What a command carries and answers stays here; the chart knows its number and its facts.
 * K2. Whoever asked is told once the facts of the command are durable, so that what is read next agrees with it.
 * K3. An effect that is asked for again after a crash of the cell is the same work, done once.
 * K4. Before it is recorded that a command begins, nothing of it is done; one that cannot be recorded is refused, for good.
 * K5. A defect in a command ends that command and throws where it was asked; the radio goes on.
 */

import type { BenchFault } from '../../contract/bench/errors.ts';
import { BENCH_RECORD_MS } from '../../contract/limits.ts';
import { refused } from '../../contract/result.ts';
import type { Holder, RadioContext, RadioEvent } from '../../machines/radio-protocol.ts';
import { afterFact, type RadioFact, type RadioRecord } from '../../machines/radio-record.ts';
import type { Answered, Refusable } from '../../ports/bench.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { IioFailure } from '../../radio/iio/context.ts';
import type { Board } from './board.ts';
import { boardFault, refuse } from './board-fault.ts';

/** In whose name, and until when it is wanted. */
export interface Asking {
  readonly by?: Holder;
  readonly signal?: AbortSignal;
}

/** The command under way: the board, and what is known of it so far. */
export class Work {
  readonly board: Board;
  /** In words: `manual`, `campaign 01J…`. */
  readonly by: string;
  readonly signal: AbortSignal | undefined;
  readonly #clock: Clock;
  readonly facts: RadioFact[] = [];
  #record: RadioRecord;

  constructor(board: Board, record: RadioRecord, { by, signal }: Asking, clock: Clock) {
    this.board = board;
    this.#record = record;
    this.by = by === undefined ? 'manual' : `${by.kind} ${by.id}`;
    this.signal = signal;
    this.#clock = clock;
  }

  /** As it stands with what this command has done. */
  get record(): RadioRecord {
    return this.#record;
  }

  /** Before it is done: it may have happened also when the board then fails. */
  note(fact: RadioFact): void {
    this.facts.push(fact);
    this.#record = afterFact(this.#record, fact, this.#clock.now());
  }
}

type Job = (work: Work) => Promise<Refusable<unknown>>;

interface Asked {
  readonly route: string;
  readonly job: Job;
  readonly asking: Asking;
  readonly settle: (outcome: Refusable<unknown>) => void;
  readonly fail: (error: unknown) => void;
  readonly end: () => void;
  timer: TimerHandle;
  begun?: Promise<RadioEvent>;
}

export interface DeskOptions {
  readonly session: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly context: () => RadioContext;
  /** False: the chart takes no events now. */
  readonly tell: (event: RadioEvent) => boolean;
  readonly board: () => Board | undefined;
  readonly refused: (route: string, fault: BenchFault) => void;
  /** What is set is no longer as the applied profile asks. */
  readonly dirtied: (profile: string, route: string) => void;
}

export class Desk {
  readonly #options: DeskOptions;
  readonly #asked = new Map<string, Asked>();
  /** Of commands that have ended and are not yet told. */
  readonly #outcomes = new Map<string, { value: Refusable<unknown> } | { error: unknown }>();
  #count = 0;

  constructor(options: DeskOptions) {
    this.#options = options;
  }

  /** Does the job behind what was asked before; refused as the chart and the board refuse. */
  ask<Value>(route: string, asking: Asking, job: (work: Work) => Promise<Refusable<Value>>): Answered<Value> {
    const { session, clock, tell } = this.#options;
    if (asking.signal?.aborted === true)
      return Promise.resolve(refuse('conflict', 'withdrawn before it began'));
    this.#count += 1;
    const id = `${session}.${this.#count}`;
    return new Promise<Refusable<Value>>((settle, fail) => {
      const withdraw = (): void => void tell({ type: 'operator.withdraw', id, at: clock.now() });
      asking.signal?.addEventListener('abort', withdraw);
      this.#asked.set(id, {
        ...{ route, job, asking, fail },
        settle: settle as Asked['settle'],
        end: () => asking.signal?.removeEventListener('abort', withdraw),
        timer: this.#lookLater(id),
      });
      const command = { id, route };
      const { by } = asking;
      if (!tell({ type: 'operator.command', command, ...(by && { by }), at: clock.now() }))
        this.refuse(id, { code: 'unavailable', message: 'the radio takes no commands now' });
    });
  }

  /** Effect of the chart: does the command, once (K3). */
  begin(id: string): Promise<RadioEvent> {
    const asked = this.#asked.get(id);
    const { clock } = this.#options;
    if (asked === undefined)
      return Promise.resolve({ type: 'command.ended', id, facts: [], at: clock.now() });
    asked.begun ??= this.#work(id, asked);
    return asked.begun;
  }

  /** Effect of the chart: tells whoever asked (K2). */
  answer(id: string): void {
    const asked = this.#asked.get(id);
    const outcome = this.#outcomes.get(id);
    this.#forget(id);
    if (asked === undefined || outcome === undefined) return;
    if ('error' in outcome) asked.fail(outcome.error);
    else asked.settle(outcome.value);
  }

  refuse(id: string, fault: BenchFault): void {
    const asked = this.#asked.get(id);
    this.#forget(id);
    if (asked === undefined) return;
    asked.settle(refused(fault));
    this.#options.refused(asked.route, fault);
  }

  /** The daemon ends: everybody is told. */
  stop(): void {
    for (const id of [...this.#asked.keys()])
      this.refuse(id, { code: 'unavailable', message: 'the daemon ends' });
  }

  async #work(id: string, { job, asking, route }: Asked): Promise<RadioEvent> {
    const { clock, board, context, log } = this.#options;
    const attached = board();
    const ended = (facts: readonly RadioFact[]): RadioEvent => ({
      ...{ type: 'command.ended', id, facts, at: clock.now() },
    });
    if (attached === undefined) {
      this.#outcomes.set(id, { value: refuse('unavailable', 'the board is lost') });
      return ended([]);
    }
    const before = context().record;
    const work = new Work(attached, before, asking, clock);
    try {
      this.#outcomes.set(id, { value: await job(work) });
    } catch (error) {
      if (error instanceof IioFailure)
        this.#outcomes.set(id, { value: refused(await this.#faultOf(error, attached)) });
      else {
        log.error({ err: error, route }, 'a command for the board failed by a defect');
        this.#outcomes.set(id, { error });
      }
    }
    if (!this.#asked.has(id)) this.#outcomes.delete(id);
    this.#tellDirty(before, work.record);
    return ended(work.facts);
  }

  /** Whether the board failed or is gone is known a turn later: both are told by the same broken connection. */
  async #faultOf(failure: IioFailure, attached: Board): Promise<BenchFault> {
    await new Promise((resolve) => setImmediate(resolve));
    const fault = boardFault(failure);
    if (this.#options.board() === attached) return fault;
    return { ...fault, code: 'unavailable', message: `the board is lost: ${fault.message}` };
  }

  #tellDirty({ applied: before }: RadioRecord, { applied: after }: RadioRecord): void {
    if (after?.dirtyReason === undefined || before?.dirtyReason === after.dirtyReason) return;
    this.#options.dirtied(after.profile.name, after.dirtyReason);
  }

  #lookLater(id: string): TimerHandle {
    return this.#options.clock.setTimeout(() => this.#look(id), BENCH_RECORD_MS);
  }

  /** K4 */
  #look(id: string): void {
    const asked = this.#asked.get(id);
    if (asked === undefined || asked.begun !== undefined) return;
    const running = this.#options.context().running?.id;
    const isMoving = running !== undefined && this.#asked.get(running)?.begun !== undefined;
    if (isMoving) asked.timer = this.#lookLater(id);
    else
      this.refuse(id, {
        ...{ code: 'unavailable', message: 'the command cannot be recorded, and is not done' },
        help: 'ask again when the bus is reached',
      });
  }

  #forget(id: string): void {
    const asked = this.#asked.get(id);
    asked?.end();
    if (asked !== undefined) this.#options.clock.clearTimeout(asked.timer);
    this.#asked.delete(id);
    this.#outcomes.delete(id);
  }
}
