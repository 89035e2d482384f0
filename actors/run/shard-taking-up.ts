/**
 * Brings the runs of a shard to life: new ones from their submission, open ones from what their log says. Part of a
 * shard.
 */

import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { SHARD_RESTORES } from '../../contract/limits/run.ts';
import { Outage } from '../../contract/outage.ts';
import type { Program } from '../../contract/program.ts';
import type { OpenRun, RunSubmission } from '../../contract/run-wire.ts';
import type { RunEffect, RunInput } from '../../machines/run/protocol.ts';
import type { Mission } from '../../mission/mission.ts';
import type { Stored } from '../../ports/entity.ts';
import type { Control } from './control.ts';
import { LogFacts, type RunFacts } from './log-facts.ts';
import { storedRun } from './log-store.ts';
import { HeldRun, type LastLogged } from './open-run.ts';
import type { OpenShard } from './open-shard.ts';
import { missionOf, orBroken } from './or-broken.ts';
import type { PlanWatch } from './plan-watch.ts';
import { Programs } from './programs.ts';
import { isOver, type LoggedEvent, readLogged, readRunLog } from './run-log.ts';
import { type ShardEnds, summaryIn } from './shard-ends.ts';
import type { ShardLosses } from './shard-losses.ts';
import { isOverAt, type RunStanding, readRunStanding, unbegun } from './standing.ts';

export class ShardTakingUp {
  readonly #shard: OpenShard;
  readonly #control: Control;
  readonly #ends: ShardEnds;
  readonly #plans: PlanWatch;
  readonly #programs: Programs;
  readonly #losses: ShardLosses;
  /** Runs whose submission is being taken up, until it is. */
  readonly #inTakeUp = new Set<string>();
  /** Runs that could not be restored (shard.S6). */
  readonly #unrestored = new Set<string>();
  /** Runs that were over are ended one after the other, whenever a loss is found. */
  #ending: Promise<unknown> = Promise.resolve();

  constructor(shard: OpenShard, control: Control, ends: ShardEnds, plans: PlanWatch, losses: ShardLosses) {
    this.#losses = losses;
    this.#shard = shard;
    this.#control = control;
    this.#ends = ends;
    this.#plans = plans;
    this.#programs = new Programs(shard.options.services.bus);
  }

  async takeUp(submission: RunSubmission, submittedAt: number): Promise<void> {
    const { run } = submission;
    if (this.#shard.runs.has(run)) return;
    // It stays among them where the bus goes away: it is taken up again.
    this.#inTakeUp.add(run);
    await this.#takeUp(submission, submittedAt);
    this.#inTakeUp.delete(run);
  }

  async #takeUp({ run, ir, by }: RunSubmission, submittedAt: number): Promise<void> {
    const { bus } = this.#shard.options.services;
    // Past the memory of the stream for message ids the log still knows it (shard.S2).
    if ((await bus.last(streams.runs, subject.runEvents(run))) !== undefined) return this.#adopt(run);
    await this.#shard.roomForOne();
    if (this.#shard.isStopped || (await this.#isOvertaken(0))) return;
    const open = await this.#shard.openRuns.enter({ run, ir, submittedAt, ...(by !== undefined && { by }) });
    await this.#bring(open, true);
  }

  async restoreAll(open: readonly OpenRun[]): Promise<void> {
    const waiting = [...open];
    const restore = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined && !this.#shard.isStopped; next = waiting.shift())
        await this.#restore(next);
    };
    await Promise.all(Array.from({ length: SHARD_RESTORES }, restore));
  }

  /** shard.S11: of the runs that are entered and not open here none is left: each of them was over. */
  async endAgain(): Promise<void> {
    const before = this.#ending.catch(() => undefined);
    this.#ending = this.#shard.whileBusIsAway(async () => {
      await before;
      for (const open of await this.#shard.openRuns.list())
        if (!this.#shard.isStopped && this.#wasOver(open)) await this.#endAgain(open);
    });
    await this.#ending;
  }

  #wasOver({ run }: OpenRun): boolean {
    return !this.#shard.runs.has(run) && !this.#inTakeUp.has(run) && !this.#unrestored.has(run);
  }

  async #endAgain(open: OpenRun): Promise<void> {
    const { bus } = this.#shard.options.services;
    const last = await bus.last(streams.runs, subject.runEvents(open.run));
    const isOverInLog = last !== undefined && readLogged(last)?.event.event === 'finished';
    // It may have come to life here meanwhile.
    if (isOverInLog) await this.#restore(open);
    else if (this.#wasOver(open)) await this.#restore(open, () => this.#endCut(open));
  }

  /** Of what is left of its log nothing is carried on. */
  async #endCut(open: OpenRun): Promise<void> {
    const program = await this.#programs.of(open.ir);
    const log = await orBroken(readRunLog(this.#shard.options.services.bus, open.run));
    if (await this.#isOvertaken(log === 'broken' ? 0 : highestEpochOf(log))) return;
    await this.#ends.giveUp(open, typeof program === 'string' ? undefined : program, CUT);
  }

  /** An owner of before took it up behind this one's look at the open runs; what is over stands there no more. */
  async #adopt(run: string): Promise<void> {
    const open = await this.#shard.openRuns.find(run);
    if (open !== undefined) await this.#restore(open);
  }

  /** A run that nobody can bring to life is no harm to the others (shard.S6). */
  async #restore(open: OpenRun, bring = () => this.#bring(open, false)): Promise<void> {
    const { log } = this.#shard.options.services;
    try {
      await bring();
    } catch (error) {
      if (error instanceof Outage) throw error;
      this.#unrestored.add(open.run);
      log.error({ run: open.run, err: error }, 'run not restored: it stays open for the next owner');
    }
  }

  /** Brings a run to life here, new or from its log; or to its end. */
  async #bring(open: OpenRun, isNew: boolean): Promise<void> {
    const program = await this.#programs.of(open.ir);
    if (typeof program === 'string') return this.#bringToItsEnd(open, isNew, program);
    const about = { run: open.run, program, by: open.by };
    const { bus } = this.#shard.options.services;
    const standing = isNew
      ? unbegun(about)
      : await orBroken(readRunStanding(bus, about, this.#shard.options.kept));
    if (await this.#isOvertaken(standing === 'broken' ? 0 : standing.facts.highestEpoch)) return;
    const cut = isNew || standing === 'broken' ? undefined : await this.#losses.cutOf(open, standing);
    if (cut !== undefined) return this.#losses.end(open, program, cut);
    if (standing !== 'broken' && isOverAt(standing))
      return this.#ends.ended(open, standing.facts.summary, program);
    if (this.#isCut(open)) return this.#ends.giveUp(open, program, CUT);
    const left = this.#shard.hasLeft(program);
    if (left !== undefined) return this.#ends.giveUp(open, program, left);
    const mission = await missionOf(program, this.#shard.options.services);
    if (typeof mission === 'string') return this.#ends.giveUp(open, program, mission);
    if (!this.#shard.isStopped) await this.#revive(open, standing, program, mission);
  }

  /** Without its program a run has no chart: what its log says of its end counts, or that it cannot go on. */
  async #bringToItsEnd(open: OpenRun, isNew: boolean, reason: string): Promise<void> {
    const { services, kept } = this.#shard.options;
    const log = isNew ? [] : await orBroken(readRunLog(services.bus, open.run));
    await kept?.read(open.run);
    if (await this.#isOvertaken(log === 'broken' ? 0 : highestEpochOf(log))) return;
    if (log !== 'broken' && isOver(log))
      return this.#ends.ended(open, summaryIn(open, undefined, log), undefined);
    await this.#ends.giveUp(open, undefined, reason);
  }

  /** shard.S9. */
  #isCut({ submittedAt }: OpenRun): boolean {
    const { wentBack } = this.#shard.mark;
    if (wentBack === undefined || submittedAt > wentBack.until) return false;
    return wentBack.elsewhere === true || wentBack.streams.has(streams.runs.name);
  }

  /** shard.S8. `highestEpoch`: of those who wrote its log. */
  async #isOvertaken(highestEpoch: number): Promise<boolean> {
    const { epoch, holds, shard, failed } = this.#shard.options;
    if (holds() && (highestEpoch <= epoch || (await this.#shard.mark.isOwn()))) return false;
    if (!this.#shard.isStopped) failed(new Error(`another owner has shard ${shard} of the runs`));
    // Nothing that was skipped counts as read.
    this.#shard.stopping.abort('overtaken');
    return true;
  }

  async #revive(
    open: OpenRun,
    standing: RunStanding | 'broken',
    program: Program,
    mission: Mission,
  ): Promise<void> {
    const { epoch, cells } = this.#shard.options;
    const { run, by } = open;
    const facts = standing === 'broken' ? LogFacts.before({ run, program, by }).now : standing.facts;
    const last = lastOf(standing, this.#shard.options.services.clock.now());
    const held = this.#hold(open, { facts, program, mission, last, answered: await this.#answeredIn(facts) });
    if (held.summary.suspended && open.suspendBy !== undefined)
      await this.#shard.openRuns.wish(run, undefined);
    const stored = await this.#stored(held, standing);
    if (this.#shard.isStopped) return;
    this.#shard.runs.set(run, held);
    if (stored === undefined) cells.start(run, held.begun.input, epoch);
    else if (stored === 'broken') cells.wake(run);
    else cells.restore(run, stored, epoch);
    this.#control.serve(run);
    this.#plans.watch(run, program, standing === 'broken' ? null : standing.progress.passNote);
    if (stored !== 'broken') this.#shard.index.changed(held.summary);
  }

  /** What the cell goes on from; undefined for a run that is new. */
  async #stored(
    { begun }: HeldRun,
    standing: RunStanding | 'broken',
  ): Promise<Stored | 'broken' | undefined> {
    if (standing === 'broken') return standing;
    if (standing.revision === 0) return undefined;
    return orBroken(
      storedRun(this.#shard.options.services.bus, begun, standing, () => !this.#shard.isStopped),
    );
  }

  /**
   * Position of the last answer that the log shows; 0 where the stream of answers does not have it any more (shard.S9).
   */
  async #answeredIn({ answered }: RunFacts): Promise<number> {
    if (answered === 0) return 0;
    const { bus } = this.#shard.options.services;
    return (await bus.stillHolds(streams.runAnswers, { seq: answered })) ? answered : 0;
  }

  #hold(
    open: OpenRun,
    {
      facts,
      program,
      mission,
      answered,
      last,
    }: {
      readonly facts: RunFacts;
      readonly program: Program;
      readonly mission: Mission;
      readonly answered: number;
      readonly last: LastLogged;
    },
  ): HeldRun {
    const { run, ir, by, suspendBy } = open;
    const { epoch, services, holds } = this.#shard.options;
    const { summary, began } = facts;
    const input: RunInput = {
      run,
      ir,
      program,
      at: began === null ? services.clock.now() : Date.parse(began),
      ...(by !== undefined && { by }),
      ...(suspendBy !== undefined && !summary.suspended && { suspendBy }),
    };
    const replied = (effect: Extract<RunEffect, { type: 'effect.reply' }>): void =>
      this.#control.replied(effect);
    return new HeldRun({ input, mission, epoch, facts, answered, last, holds, replied });
  }
}

function highestEpochOf(log: readonly LoggedEvent[]): number {
  return log.reduce((highest, { epoch }) => Math.max(highest, epoch), 0);
}

/** Its events are dated by who wrote them. */
function lastOf(standing: RunStanding | 'broken', now: number): LastLogged {
  if (standing === 'broken') return { seq: 0, number: 0, at: now };
  const { position: seq, revision: number, facts } = standing;
  return { seq, number, at: Date.parse(facts.summary.updated_at ?? '') || now };
}

const CUT =
  'the bus went back in time and part of its log is lost: what it did since is not known, and it is not carried on';
