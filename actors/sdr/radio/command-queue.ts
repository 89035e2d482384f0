/**
 * Where commands for the board are asked for, and done when the chart of the radio says so.
 *
 * K1. What a command carries and answers stays here; the chart knows its number and its facts.
 * K2. Whoever asked is answered once the facts of the command are durable, so that what is read next agrees with it.
 * K3. An effect that is asked for again after a crash of the cell is the same work, done once.
 * K4. Before it is recorded that a command begins, nothing of it is done; one that cannot be recorded is refused, for
 *     good.
 * K5. A defect in a command ends that command and throws where it was asked; the radio goes on.
 * K6. What stops the transmitter waits for nothing: not for what was asked before, not for who holds the board, not for
 *     the bus. It is recorded behind. What was asked before it does not make the transmitter radiate again
 *     (`radio/board/stops.ts`).
 */

import type { BenchFault } from '../../../contract/bench/errors.ts';
import { BENCH_RECORD_MS } from '../../../contract/limits/bench.ts';
import { refused } from '../../../contract/result.ts';
import {
  type BoardPart,
  goesBefore,
  type Holder,
  type RadioContext,
  type RadioEvent,
} from '../../../machines/bench/radio-protocol.ts';
import type { RadioFact, RadioRecord } from '../../../machines/bench/radio-record.ts';
import type { Answered, Refusable } from '../../../ports/bench.ts';
import type { Clock, TimerHandle } from '../../../ports/clock.ts';
import type { Log } from '../../../ports/log.ts';
import { Interrupted, type Permit, Stops } from '../../../radio/board/stops.ts';
import { IioFailure } from '../../../radio/iio/context.ts';
import type { Board } from './board.ts';
import { boardFault, refuse } from './board-fault.ts';
import { type Asking, Work, type WorkOptions } from './board-work.ts';

/** What most commands use. */
const SETTINGS: readonly BoardPart[] = ['settings'];

/** What is refused with by a bench that another one has replaced. */
export const REPLACED = 'another bench has taken the records of this one';

type Job = (work: Work) => Promise<Refusable<unknown>>;

interface Asked {
  readonly route: string;
  readonly job: Job;
  readonly asking: Asking;
  readonly uses: readonly BoardPart[];
  /** As of its asking. */
  readonly permit: Permit;
  readonly settle: (outcome: Refusable<unknown>) => void;
  readonly fail: (error: unknown) => void;
  readonly end: () => void;
  timer: TimerHandle;
  begun?: Promise<RadioEvent>;
}

export interface QueueOptions {
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
  readonly leavePath: WorkOptions['leavePath'];
}

export class CommandQueue {
  readonly #options: QueueOptions;
  readonly #asked = new Map<string, Asked>();
  /** Of commands that have ended and are not yet answered. */
  readonly #outcomes = new Map<string, { value: Refusable<unknown> } | { error: unknown }>();
  readonly #stops = new Stops();
  /** The run that took the board last, and how many stops there were then. */
  #held: { readonly holder: string; readonly since: number } | undefined;
  #count = 0;
  #isClosed = false;
  #isReplaced = false;
  /** Commands and stops that change settings now, and how many began or ended so far. */
  #changing = 0;
  #changes = 0;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** Another number whenever settings may have been changed here in between; undefined while they are. */
  get moment(): number | undefined {
    const { running } = this.#options.context();
    const isChanging = this.#changing > 0 || running.some(({ uses }) => uses.includes('settings'));
    return isChanging ? undefined : this.#changes;
  }

  /** The applied profile, as long as nothing has changed it. */
  get applied(): RadioRecord | undefined {
    const { record } = this.#options.context();
    return record.applied === undefined || record.applied.dirtyReason !== undefined ? undefined : record;
  }

  /** The board was found to be set otherwise than the applied profile asks, by nobody here. */
  observed(what: string): void {
    const { tell, context, clock } = this.#options;
    const before = context().record;
    tell({ type: 'board.differs', what, at: clock.now() });
    this.#reportDirty(before, context().record);
  }

  /** A run asks for the board: a stop by hand holds for it from now on. */
  holding({ id }: Holder): void {
    if (this.#held?.holder !== id) this.#held = { holder: id, since: this.#stops.count };
  }

  /** What is asked later in its name is of another holding. */
  released({ id }: Holder): void {
    if (this.#held?.holder === id) this.#held = undefined;
  }

  /** Does the job behind what was asked before and uses the same; refused as the chart and the board refuse. */
  ask<Value>(
    route: string,
    asking: Asking,
    job: (work: Work) => Promise<Refusable<Value>>,
    uses = SETTINGS,
  ): Answered<Value> {
    const { session, clock, tell } = this.#options;
    if (this.#isClosed && asking.by === undefined)
      return Promise.resolve(refuse('unavailable', 'the daemon is stopping'));
    if (asking.signal?.aborted === true)
      return Promise.resolve(refuse('conflict', 'withdrawn before it began'));
    this.#count += 1;
    const id = `${session}.${this.#count}`;
    return new Promise<Refusable<Value>>((settle, fail) => {
      const withdraw = (): void => void tell({ type: 'operator.withdraw', id, at: clock.now() });
      asking.signal?.addEventListener('abort', withdraw);
      this.#asked.set(id, {
        route,
        job,
        asking,
        uses,
        fail,
        permit: this.#permit(asking),
        settle: settle as Asked['settle'],
        end: () => asking.signal?.removeEventListener('abort', withdraw),
        timer: this.#lookLater(id),
      });
      const command = { id, route, uses };
      const { by } = asking;
      if (!tell({ type: 'operator.command', command, ...(by && { by }), at: clock.now() }))
        this.refuse(id, { code: 'unavailable', message: 'the radio accepts no commands now' });
    });
  }

  /** Stops the transmitter, at once (K6). `act` says which facts it made. */
  async halt<Value>(
    route: string,
    { by }: Asking,
    act: (board: Board, note: (fact: RadioFact) => void) => Promise<Refusable<Value>>,
  ): Answered<Value> {
    const { board, clock, tell, context } = this.#options;
    const attached = board();
    if (attached === undefined) return refuse('unavailable', `there is no board: ${context().trouble}`);
    if (this.#isReplaced && by !== undefined) return refuse('unavailable', REPLACED);
    this.#stops.add(route, by === undefined);
    const facts: RadioFact[] = [];
    this.#change(1);
    try {
      return await act(attached, (fact) => void facts.push(fact));
    } catch (error) {
      if (error instanceof IioFailure) return refused(await this.#faultOf(error, attached));
      throw error;
    } finally {
      const before = context().record;
      tell({ type: 'transmitter.stopped', facts, at: clock.now() });
      this.#change(-1);
      this.#reportDirty(before, context().record);
    }
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

  /** Effect of the chart: answers whoever asked (K2). */
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

  /** The daemon is about to end: what is asked by hand is refused from now on. */
  close(): void {
    this.#isClosed = true;
  }

  /** Everybody who waits is answered. */
  refuseAll(message: string): void {
    for (const id of [...this.#asked.keys()]) this.refuse(id, { code: 'unavailable', message });
  }

  /**
   * Another bench has the records (takeover.D1): whoever waits is answered. True where a setting was under way, or
   * ended and was not recorded.
   */
  replaced(): boolean {
    const begun = [...this.#asked.values()].filter((asked) => asked.begun !== undefined);
    this.#isReplaced = true;
    this.#stops.add('another bench', true);
    this.refuseAll(REPLACED);
    return begun.some(({ uses }) => uses.includes('settings'));
  }

  async #work(id: string, { job, asking, route, permit, uses }: Asked): Promise<RadioEvent> {
    const { clock, board, context, log, leavePath } = this.#options;
    const attached = board();
    const ended = (facts: readonly RadioFact[]): RadioEvent => ({
      type: 'command.ended',
      id,
      facts,
      at: clock.now(),
    });
    if (attached === undefined) {
      this.#outcomes.set(id, { value: refuse('unavailable', 'the board is lost') });
      return ended([]);
    }
    const before = context().record;
    const work = new Work({ board: attached, route, record: before, asking, clock, permit, leavePath });
    const changes = uses.includes('settings');
    if (changes) this.#change(1);
    try {
      this.#outcomes.set(id, { value: await job(work) });
    } catch (error) {
      if (error instanceof Interrupted) this.#outcomes.set(id, { value: refuse('conflict', error.message) });
      else if (error instanceof IioFailure)
        this.#outcomes.set(id, { value: refused(await this.#faultOf(error, attached)) });
      else {
        log.error({ err: error, route }, 'a command for the board failed by a defect');
        this.#outcomes.set(id, { error });
      }
    } finally {
      if (changes) this.#change(-1);
    }
    if (!this.#asked.has(id)) this.#outcomes.delete(id);
    this.#reportDirty(before, work.record);
    return ended(work.facts);
  }

  #change(by: 1 | -1): void {
    this.#changing += by;
    this.#changes += 1;
  }

  #permit({ by }: Asking): Permit {
    return this.#stops.permit(
      by !== undefined && by.id === this.#held?.holder ? this.#held.since : undefined,
    );
  }

  /** Whether the board failed or is gone is known a turn later: the same broken connection reports both. */
  async #faultOf(failure: IioFailure, attached: Board): Promise<BenchFault> {
    await new Promise((resolve) => setImmediate(resolve));
    const fault = boardFault(failure);
    if (this.#options.board() === attached) return fault;
    return { ...fault, code: 'unavailable', message: `the board is lost: ${fault.message}` };
  }

  #reportDirty({ applied: before }: RadioRecord, { applied: after }: RadioRecord): void {
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
    const { running } = this.#options.context();
    const isMoving =
      !running.some((own) => own.id === id) &&
      running.some((other) => goesBefore(other, asked) && this.#asked.get(other.id)?.begun !== undefined);
    if (isMoving) asked.timer = this.#lookLater(id);
    else
      this.refuse(id, {
        code: 'unavailable',
        message: 'the command cannot be recorded and was not carried out',
        help: 'try again when the bus is reachable',
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
