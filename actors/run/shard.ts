/**
 * A shard of the runs: takes its submissions up, tells its runs of answers and commands, and ends what is over. Mission
 * Control Service, sections 3.2 and 4.2 rules 5 to 7.
 *
 * S1. A run is entered among the open ones before its cell lives; whoever owns the shard next restores each from its log.
 * S2. A submission is read by position from the floor on, so it comes once more after a crash: a run whose log has begun is
 *     not begun again (MC-BUS-009). Answers below the floor are logged.
 * S3. A run that cannot be begun (no program, no configuration) ends failed with the reason in its log: none is lost.
 * S4. What an end leaves to do (`ending.ts`) is done before the run is forgotten, and again by the next owner if it was not.
 * S5. A run whose cell is quarantined stays open with its targets held, until a person resumes it or gives it up.
 * S6. What is wrong with one run (its log, its program) is never in the way of another.
 * S7. Once the shard is left nothing of it comes to life again, whatever was on its way to its runs.
 * S9. Where the logs of runs went back, what is left of a run may be cut: it is ended, and its log says so. Where submissions or
 *     answers went back, what is stored since is read, at positions that were used before.
 * S10. What is kept of a run beside its log is removed before its entry: none is left of one that is over.
 * S8. An owner that slept while another one had the shard brings nothing to life from what that one wrote, nor ends it.
 */

import { setMaxListeners } from 'node:events';
import { alarmOfReaction } from '../../contract/alarm.ts';
import { type StreamDefinition, streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { SHARD_OPEN_RUNS, SHARD_RESTORES } from '../../contract/limits.ts';
import { Outage } from '../../contract/outage.ts';
import type { Program } from '../../contract/program.ts';
import type { Approval, OpenRun, RunSubmission, RunSummary } from '../../contract/run.ts';
import { isUlid } from '../../contract/token.ts';
import type { RunEffect, RunInput, RunRecord } from '../../machines/run/protocol.ts';
import type { KeptEnvelopes } from '../../messaging/kept-envelopes.ts';
import type { KnownIn, KnownPast } from '../../messaging/known-past.ts';
import { Floor, pastIsGone, type WentBack } from '../../messaging/low-water-mark.ts';
import { patiently } from '../../messaging/patiently.ts';
import type { Mission } from '../../mission/mission.ts';
import { submittedRun, summaryOf } from '../../mission/procedure/run-status.ts';
import type { Follower, FollowFrom, StreamMessage } from '../../ports/bus.ts';
import type { EntityEvent, Stored } from '../../ports/entity.ts';
import type { Tokens } from '../../ports/tokens.ts';
import { answerGiven, readApproval, seenIn } from './approval.ts';
import { Control } from './control.ts';
import { recordGivenUp, settleEnd } from './ending.ts';
import { IndexWriter } from './index-writer.ts';
import { Leases } from './leases.ts';
import { LogFacts, type RunFacts } from './log-facts.ts';
import { type Begun, storedRun } from './log-store.ts';
import { HeldRun } from './open-run.ts';
import { OpenRuns, shardOf } from './open-runs.ts';
import { Programs } from './programs.ts';
import { isOver, type LoggedEvent, lastEventBefore, readRunLog } from './run-log.ts';
import { Sendings, type SentEvent } from './sendings.ts';
import type { RunServices } from './services.ts';
import { type StandsDown, standDown } from './stand-down.ts';
import { isOverAt, type RunStanding, readRunStanding, unbegun } from './standing.ts';
import { Wishes } from './wishes.ts';

/** The cells of runs, as a shard uses them. */
export interface RunCells {
  start(run: string, input: RunInput, epoch: number): void;
  restore(run: string, stored: Stored, epoch: number): void;
  /** What a cell says that cannot take the event; undefined when it has it. */
  tell(run: string, event: EntityEvent): string | undefined;
  /** Brings a run to life that its shard could not: it is tried again, and quarantined where people see it. */
  wake(run: string): void;
  drop(run: string): void;
}

interface ShardOptions {
  /** `0` to `7` */
  readonly shard: string;
  readonly epoch: number;
  readonly services: RunServices;
  readonly tokens: Tokens;
  readonly cells: RunCells;
  readonly past?: KnownPast;
  /** What is kept of its runs beside their logs; default: nothing. */
  readonly kept?: KeptEnvelopes;
  /** Whether the shard is still this process's, now. */
  readonly holds: () => boolean;
  /** The shard cannot go on: its owner starts it anew. */
  readonly failed: (error: unknown) => void;
}

export class RunShard {
  readonly #options: ShardOptions;
  readonly #open = new Map<string, HeldRun>();
  readonly #openRuns: OpenRuns;
  readonly #floor: Floor<{ readonly submission: number; readonly answer: number }>;
  readonly #wishes: Wishes;
  readonly #programs: Programs;
  readonly #control: Control;
  readonly #index: IndexWriter;
  readonly #stopping = new AbortController();
  readonly #followers: Follower[] = [];
  #nextSubmission = 1;
  #nextAnswer = 1;
  /** The last messages known, by stream (F3). */
  readonly #known = new Map<string, KnownIn>();
  #room: (() => void) | undefined;

  constructor(options: ShardOptions) {
    this.#options = options;
    const { shard, epoch, services, failed } = options;
    const { bus, clock, log } = services;
    // Every run of it may wait for the bus at the same time.
    setMaxListeners(0, this.#stopping.signal);
    this.#openRuns = new OpenRuns(bus, shard);
    this.#programs = new Programs(bus);
    this.#index = new IndexWriter(bus, clock, this.#stopping.signal, () => this.#options.holds());
    this.#floor = new Floor({
      ...{ bus, clock, log, epoch, name: `runs.${shard}`, lost: failed },
      first: { submission: 1, answer: 1 },
      stands: () => this.#stands(),
      known: () => [...this.#known.values()],
      ...{ about: [streams.runSubmissions, streams.runAnswers, streams.runs], past: options.past },
    });
    const held = (run: string): HeldRun | undefined => this.#open.get(run);
    this.#wishes = new Wishes({ openRuns: this.#openRuns, clock, signal: this.#stopping.signal, held });
    this.#control = new Control({
      bus,
      clock,
      wishes: this.#wishes,
      holds: () => !this.#stopped && this.#options.holds(),
      tell: (run, command) => this.#tell(run, command),
    });
  }

  /** Takes over the shard: restores what is open, then follows submissions and answers. */
  async start(): Promise<void> {
    const floor = await this.#floor.take();
    this.#nextSubmission = floor.submission;
    this.#nextAnswer = floor.answer;
    await this.#restoreAll(await this.#openRuns.list());
    if (this.#stopped) return;
    const { wentBack } = this.#floor;
    // What the owner before had read may have lost all that it led to: each submission that there is, is looked for in the logs.
    if (wentBack !== undefined && wentBack.streams.size > 0) this.#nextSubmission = 1;
    const submissions = { from: 'seq', seq: this.#nextSubmission } as const;
    await this.#follow(streams.runSubmissions, subject.runSubmit, submissions, (message) =>
      this.#submitted(message),
    );
    const answers = fromWhere(streams.runAnswers, floor.answer, wentBack);
    await this.#follow(streams.runAnswers, subject.runApproval(), answers, (message) =>
      this.#answered(message),
    );
    if (wentBack?.streams.has(streams.runAnswers.name)) this.#nextAnswer = 1;
    this.#floor.keep();
  }

  async #follow(
    stream: StreamDefinition,
    about: string,
    from: FollowFrom,
    handle: (message: StreamMessage) => Promise<void>,
  ): Promise<void> {
    const wentBack = (): void => this.#options.failed(pastIsGone(stream));
    const taken = async (message: StreamMessage): Promise<void> => {
      await handle(message);
      if (!this.#stopped) this.#known.set(stream.name, { stream, seq: message.seq, at: message.at });
    };
    this.#followers.push(await this.#options.services.bus.follow(stream, about, from, taken, { wentBack }));
  }

  /** Leaves the shard where it stands: the next owner goes on from the logs. */
  async stop(): Promise<void> {
    this.#stopping.abort('stopped');
    const { cells } = this.#options;
    for (const run of this.#open.keys()) cells.drop(run);
    this.#room?.();
    await Promise.all([...this.#followers.map((follower) => follower.stop()), this.#control.stop()]);
    await this.#floor.stop();
    this.#open.clear();
  }

  /** A run of this shard that is open here. */
  held(run: string): HeldRun | undefined {
    return this.#open.get(run);
  }

  /** Undefined also once the shard is left: no cell of it comes back from the log any more (S7). */
  begunOf(run: string): Begun | undefined {
    return this.#stopped ? undefined : this.#open.get(run)?.begun;
  }

  /** An event of one of its runs is about to be stored: its end waits until nothing of it can leave any more. Throws `Outage`. */
  appending(run: string, record: RunRecord): Promise<void> | undefined {
    const held = this.#open.get(run);
    held?.appending(record);
    if (held === undefined || record.event.event !== 'finished') return undefined;
    return this.#standDown(held.atHand, held.sendings.open);
  }

  /** An event of one of its runs is stored. */
  appended(run: string, record: RunRecord, position?: number): void {
    if (position !== undefined) this.#storedEvent(run, position);
    const held = this.#open.get(run);
    if (held === undefined) return;
    this.#index.changed(held.appended(record));
    if (record.event.event === 'suspended') this.#forgetWish(run, record.event.by);
  }

  #storedEvent(run: string, seq: number): void {
    const { name } = streams.runs;
    if (seq <= (this.#known.get(name)?.seq ?? 0)) return;
    const at = this.#options.services.clock.now();
    this.#known.set(name, { stream: streams.runs, seq, at, subject: subject.runEvents(run) });
  }

  /** The cell of a run of this shard is gone. */
  async gone(
    run: string,
    why: 'finished' | 'fenced' | 'quarantined' | 'given-up' | 'reset',
    detail = '',
  ): Promise<void> {
    const held = this.#open.get(run);
    const { services, failed } = this.#options;
    if (held === undefined || this.#stopped) return;
    if (why === 'quarantined') return;
    if (why === 'fenced' || why === 'given-up')
      return failed(new Error(`another owner writes the log of run ${run}`));
    try {
      if (why === 'reset') await this.#giveUp(openRunOf(held), held.atHand.program, detail);
      else await this.#end(run, held.atHand.program);
    } catch (error) {
      if (this.#stopped) return;
      // Given up, yet its log cannot be read: it stays as it is, and the others go on (S6).
      if (why === 'reset') services.log.error({ run, err: error }, 'run not given up: it stays open');
      else failed(error);
    }
  }

  /** What comes while the shard is left wakes nobody (S7). */
  #tell(run: string, event: EntityEvent): string | undefined {
    return this.#stopped ? 'its executor is stopping; ask again' : this.#options.cells.tell(run, event);
  }

  get #stopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  #patiently<Value>(step: () => Promise<Value>): Promise<{ readonly value: Value } | undefined> {
    return patiently(this.#options.services.clock, this.#stopping.signal, step);
  }

  // Taking up --------------------------------------------------------------------------------------------------------

  async #submitted(message: StreamMessage): Promise<void> {
    const submission = readSubmission(message.data);
    const { shard, services } = this.#options;
    if (submission === undefined) {
      services.log.error({ position: message.seq }, 'submission of a run that is none: passed over');
    } else if (shardOf(submission.run) === shard) {
      await this.#patiently(() => this.#takeUp(submission, message.at));
    }
    if (!this.#stopped) this.#nextSubmission = message.seq + 1;
  }

  async #takeUp({ run, ir, by }: RunSubmission, submittedAt: number): Promise<void> {
    if (this.#open.has(run)) return;
    const { bus } = this.#options.services;
    // Past the memory of the stream for message ids the log still knows it (S2).
    if ((await bus.last(streams.runs, subject.runEvents(run))) !== undefined) return this.#adopt(run);
    await this.#roomForOne();
    if (this.#stopped || (await this.#isOvertaken(0))) return;
    const open = await this.#openRuns.enter({ run, ir, submittedAt, ...(by !== undefined && { by }) });
    await this.#bring(open, true);
  }

  async #restoreAll(open: readonly OpenRun[]): Promise<void> {
    const waiting = [...open];
    const restore = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined && !this.#stopped; next = waiting.shift())
        await this.#restore(next);
    };
    await Promise.all(Array.from({ length: SHARD_RESTORES }, restore));
  }

  /** An owner of before took it up behind this one's look at the open runs; what is over stands there no more. */
  async #adopt(run: string): Promise<void> {
    const open = await this.#openRuns.find(run);
    if (open !== undefined) await this.#restore(open);
  }

  /** A run that nobody can bring to life is no harm to the others (S6). */
  async #restore(open: OpenRun): Promise<void> {
    const { log } = this.#options.services;
    try {
      await this.#bring(open, false);
    } catch (error) {
      if (error instanceof Outage) throw error;
      log.error({ run: open.run, err: error }, 'run not restored: it stays open for the next owner');
    }
  }

  /** Brings a run to life here, new or from its log; or to its end. */
  async #bring(open: OpenRun, isNew: boolean): Promise<void> {
    const program = await this.#programs.of(open.ir);
    if (typeof program === 'string') return this.#bringToItsEnd(open, isNew, program);
    const about = { run: open.run, program, by: open.by };
    const { bus } = this.#options.services;
    const standing = isNew ? unbegun(about) : await orBroken(readRunStanding(bus, about, this.#options.kept));
    if (await this.#isOvertaken(standing === 'broken' ? 0 : standing.facts.highestEpoch)) return;
    if (standing !== 'broken' && isOverAt(standing))
      return this.#ended(open, standing.facts.summary, program);
    if (this.#isCut(open)) return this.#giveUp(open, program, CUT);
    const mission = await this.#missionOf(program);
    if (typeof mission === 'string') return this.#giveUp(open, program, mission);
    if (!this.#stopped) await this.#revive(open, standing, program, mission);
  }

  /** Without its program a run has no chart: what its log says of its end counts, or that it cannot go on. */
  async #bringToItsEnd(open: OpenRun, isNew: boolean, reason: string): Promise<void> {
    const { services } = this.#options;
    const log = isNew ? [] : await orBroken(readRunLog(services.bus, open.run));
    if (await this.#isOvertaken(log === 'broken' ? 0 : highestEpochOf(log))) return;
    if (log !== 'broken' && isOver(log)) return this.#ended(open, summaryIn(open, undefined, log), undefined);
    await this.#giveUp(open, undefined, reason);
  }

  /** S9 */
  #isCut({ submittedAt }: OpenRun): boolean {
    const { wentBack } = this.#floor;
    if (wentBack === undefined || submittedAt > wentBack.until) return false;
    return wentBack.elsewhere === true || wentBack.streams.has(streams.runs.name);
  }

  /** S8. `highestEpoch`: of those who wrote its log. */
  async #isOvertaken(highestEpoch: number): Promise<boolean> {
    const { epoch, holds, shard, failed } = this.#options;
    if (holds() && (highestEpoch <= epoch || (await this.#floor.isOwn()))) return false;
    if (!this.#stopped) failed(new Error(`another owner has shard ${shard} of the runs`));
    // Nothing that was passed over counts as read.
    this.#stopping.abort('overtaken');
    return true;
  }

  async #revive(
    open: OpenRun,
    standing: RunStanding | 'broken',
    program: Program,
    mission: Mission,
  ): Promise<void> {
    const { epoch, cells } = this.#options;
    const { run, by } = open;
    const facts = standing === 'broken' ? LogFacts.before({ run, program, by }).now : standing.facts;
    const held = this.#hold(open, facts, program, mission, await this.#answeredIn(facts));
    if (held.summary.suspended && open.suspendBy !== undefined) await this.#openRuns.wish(run, undefined);
    const stored = await this.#stored(held, standing);
    if (this.#stopped) return;
    this.#open.set(run, held);
    if (stored === undefined) cells.start(run, held.begun.input, epoch);
    else if (stored === 'broken') cells.wake(run);
    else cells.restore(run, stored, epoch);
    this.#control.serve(run);
    if (stored !== 'broken') this.#index.changed(held.summary);
  }

  /** What the cell goes on from; undefined for a run that is new. */
  async #stored(
    { begun }: HeldRun,
    standing: RunStanding | 'broken',
  ): Promise<Stored | 'broken' | undefined> {
    if (standing === 'broken') return standing;
    if (standing.revision === 0) return undefined;
    return orBroken(storedRun(this.#options.services.bus, begun, standing, () => !this.#stopped));
  }

  /** The mission it was resolved with; a text saying why there is none. */
  async #missionOf({ config }: Program): Promise<Mission | string> {
    const gone = `the configuration ${config} it was resolved with is not stored`;
    const mission = await orBroken(this.#options.services.missions.at(config));
    if (mission === 'broken') return `the configuration ${config} it was resolved with cannot be read here`;
    return mission ?? gone;
  }

  /** Position of the last answer that the log shows; 0 where the stream of answers does not have it any more (S9). */
  async #answeredIn({ answered }: RunFacts): Promise<number> {
    if (answered === 0) return 0;
    const { bus } = this.#options.services;
    return (await bus.stillHolds(streams.runAnswers, { seq: answered })) ? answered : 0;
  }

  #hold(open: OpenRun, facts: RunFacts, program: Program, mission: Mission, answered: number): HeldRun {
    const { run, ir, by, suspendBy } = open;
    const { epoch, services, holds } = this.#options;
    const { summary, began } = facts;
    const input: RunInput = {
      ...{ run, ir, program },
      at: began === null ? services.clock.now() : Date.parse(began),
      ...(by !== undefined && { by }),
      ...(suspendBy !== undefined && !summary.suspended && { suspendBy }),
    };
    const replied = (effect: Extract<RunEffect, { type: 'effect.reply' }>): void =>
      this.#control.replied(effect);
    return new HeldRun({ input, mission, epoch, facts, answered, holds, replied });
  }

  #roomForOne(): Promise<void> | undefined {
    if (this.#open.size < SHARD_OPEN_RUNS) return undefined;
    return new Promise((resolve) => {
      this.#room = resolve;
    });
  }

  /** The log shows the suspension: the wish has done its work. */
  #forgetWish(run: string, by: string): void {
    const wish = this.#wishes.of(run);
    // Where nobody could be asked, a reaction left its wish in the entry alone (Y2).
    const isOfReaction = wish === undefined && alarmOfReaction(by) !== undefined;
    const forgotten = isOfReaction ? this.#wishes.forgetReaction(run, by) : this.#wishes.forget(run, wish);
    forgotten.catch(this.#options.failed);
  }

  // Ending -----------------------------------------------------------------------------------------------------------

  #standDown(run: StandsDown, open: readonly SentEvent[]): Promise<void> | undefined {
    if (open.length === 0) return undefined;
    const { services, holds } = this.#options;
    const { bus, clock, log } = services;
    const isOwner = (): boolean => !this.#stopped && holds();
    const mark = (targets: ReadonlySet<string>): Promise<void> =>
      new Leases(bus).leave(run.run, targets, isOwner);
    return standDown({ bus, clock, run, open, mark }).then((unconfirmed) => {
      if (unconfirmed.length > 0)
        log.warn({ run: run.run, unconfirmed }, 'a run ends while telecommands may still leave');
    });
  }

  /** What a run that is given up may have under way, by its log. */
  async #giveUpSendings({ run, by }: OpenRun, program: Program | undefined): Promise<void> {
    const log = await orBroken(readRunLog(this.#options.services.bus, run));
    if (log === 'broken' || isOver(log)) return;
    const mission = program && (await this.#missionOf(program));
    const known = typeof mission === 'string' ? undefined : mission;
    await this.#standDown(
      { run, by, program, mission: known },
      new Sendings(log.map(({ event }) => event)).open,
    );
  }

  async #giveUp(open: OpenRun, program: Program | undefined, reason: string): Promise<void> {
    const { run, ir, by } = open;
    const { epoch, services, failed } = this.#options;
    await this.#patiently(() => this.#giveUpSendings(open, program));
    const isOwn = (): Promise<boolean> => this.#floor.isOwn();
    const given = { run, ir, by, program, epoch, at: services.clock.now(), reason, isOwn };
    const recorded = await this.#patiently(() => recordGivenUp(services.bus, given));
    if (recorded === undefined) return;
    const log = recorded.value;
    if (log === undefined) return failed(new Error(`another owner writes the log of run ${run}`));
    await this.#ended(open, summaryIn(open, program, log), program);
  }

  /** Does what the end of a run leaves to do that has no cell here. */
  async #ended({ run }: OpenRun, summary: RunSummary, program: Program | undefined): Promise<void> {
    this.#index.changed(summary);
    // Without a cell nobody here knows whether something is kept of it.
    await this.#patiently(async () => void (await this.#options.kept?.read(run)));
    await this.#end(run, program);
  }

  /** S4. */
  async #end(run: string, program: Program | undefined): Promise<void> {
    const { bus } = this.#options.services;
    await this.#patiently(() => settleEnd(bus, run, program));
    await this.#index.settled(run);
    await this.#patiently(async () => this.#options.kept?.remove(run));
    await this.#patiently(() => this.#openRuns.remove(run));
    if (this.#stopped) return;
    await this.#control.withdraw(run);
    this.#open.delete(run);
    this.#room?.();
  }

  // Answers ----------------------------------------------------------------------------------------------------------

  async #answered(message: StreamMessage): Promise<void> {
    const run = message.subject.split('.').at(-1) ?? '';
    const held = this.#open.get(run);
    if (held !== undefined && !this.#stopped) await this.#tellAnswer(held, message);
    if (!this.#stopped) this.#nextAnswer = message.seq + 1;
  }

  async #tellAnswer(held: HeldRun, message: StreamMessage): Promise<void> {
    const { data, seq } = message;
    const { services, tokens } = this.#options;
    const { run } = held.atHand;
    const approval = readApproval(data);
    if (approval === undefined) {
      services.log.warn({ run, position: seq }, 'answer that is none: passed over');
      return;
    }
    if (!held.takes(seq)) return;
    const seen = await this.#seen(run, approval, message);
    if (seen === undefined) return;
    const answer = await answerGiven(approval, { tokens, at: services.clock.now(), source: seq, seen });
    const trouble = this.#tell(run, answer);
    if (trouble === undefined) return;
    services.log.warn({ run, position: seq, trouble }, 'answer not taken');
    held.gaveBack(seq);
  }

  /** A3 of `approval.ts`; undefined once the shard is left. One that names its question says it all. */
  async #seen(
    run: string,
    { question }: Approval,
    { headers, at }: StreamMessage,
  ): Promise<number | undefined> {
    const stated = seenIn(headers) ?? (question === undefined ? undefined : 0);
    if (stated !== undefined) return stated;
    return (await this.#patiently(() => lastEventBefore(this.#options.services.bus, run, at)))?.value;
  }

  // Floor ------------------------------------------------------------------------------------------------------------

  #stands(): { submission: number; answer: number } {
    const told = [...this.#open.values()].flatMap(({ firstTold }) => firstTold ?? []);
    return { submission: this.#nextSubmission, answer: Math.min(this.#nextAnswer, ...told) };
  }
}

/** What can be had, or that it is broken. Throws `Outage`. */
function orBroken<Value>(wanted: Promise<Value>): Promise<Value | 'broken'> {
  return wanted.catch((error: unknown) => {
    if (error instanceof Outage) throw error;
    return 'broken';
  });
}

function highestEpochOf(log: readonly LoggedEvent[]): number {
  return log.reduce((highest, { epoch }) => Math.max(highest, epoch), 0);
}

/** What the whole log says to the lists, also without the program of the run. */
function summaryIn(
  { run, by }: OpenRun,
  program: Program | undefined,
  log: readonly LoggedEvent[],
): RunSummary {
  const announced = program ?? { procedure: 'unknown', environment: 'unknown', targets: {} };
  return summaryOf(
    submittedRun(run, announced, by),
    log.map(({ event }) => event),
  );
}

function openRunOf({ begun: { input } }: HeldRun): OpenRun {
  const { run, ir, by, at } = input;
  return { run, ir, submittedAt: at, ...(by !== undefined && { by }) };
}

const CUT =
  'the bus went back in time and part of its log is lost: what it did since is not known, and it is not carried on';

/** Positions of a stream that went back are used again: what is new is known by its time (S9). */
function fromWhere({ name }: StreamDefinition, seq: number, wentBack: WentBack | undefined): FollowFrom {
  return wentBack?.streams.has(name) ? { from: 'time', at: wentBack.since + 1 } : { from: 'seq', seq };
}

function readSubmission(data: Uint8Array): RunSubmission | undefined {
  try {
    const { run, ir, by } = JSON.parse(Buffer.from(data).toString()) as Record<string, unknown>;
    if (typeof run !== 'string' || !isUlid(run)) return undefined;
    if (typeof ir !== 'string' || !/^[0-9a-f]{64}$/.test(ir)) return undefined;
    return { run, ir, ...(typeof by === 'string' && { by }) };
  } catch {
    return undefined;
  }
}
