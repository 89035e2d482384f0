/**
 * A shard of the runs: takes its submissions up, hands its runs answers and commands, and ends what is over. Mission
 * Control Service, sections 3.2 and 4.2 rules 5 to 7.
 *
 * S1. A run is entered among the open ones before its cell lives; whoever owns the shard next restores each from its
 *     log.
 * S2. A submission is read by position from the low-water mark on, so it comes once more after a crash: a run whose log
 *     has begun is not begun again (MC-BUS-009). Answers below the low-water mark are logged.
 * S3. A run that cannot be begun (no program, no configuration) ends failed with the reason in its log: none is lost.
 * S4. What an end leaves to do (`ending.ts`) is done before the run is forgotten, and again by the next owner if it was
 *     not.
 * S5. A run whose cell is quarantined stays open with its targets held, until a person resumes it or gives it up.
 * S6. What is wrong with one run (its log, its program) is never in the way of another.
 * S7. Once the shard is left nothing of it comes to life again, whatever was on its way to its runs.
 * S9. Where the logs of runs went back, what is left of a run may be cut: it is ended, and its log says so. Where
 *     submissions or answers went back, what is stored since is read, at positions that were used before.
 * S10. What is kept of a run beside its log is removed before its entry: none is left of one that is over. What an
 *     owner that slept wrote behind that is removed when the shard is taken next.
 * S11. Where the bus went back behind the end of a run, what that had left to do may be undone: it is done again,
 *     whether all of its log is there or its end is lost with it. A run that is entered and neither open here nor on
 *     its way to it was over.
 * S12. A run is ended, and its log says why, when one of its targets has left the mission.
 * S13. A run is ended, and its log says why, when events of its log that were acknowledged are lost: copies of a stream
 *     that differ lose some in its middle, and the connection stays. Nothing is carried on from such a log, and the
 *     other runs go on (`shard-losses.ts`).
 * S8. An owner that slept while another one had the shard brings nothing to life from what that one wrote, nor ends it.
 */

import { alarmOfReaction } from '../../contract/alarm-name.ts';
import { assertNever } from '../../contract/assert.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { type StreamDefinition, streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { RunChartEvent, RunRecord } from '../../machines/run/protocol.ts';
import type { KnownIn } from '../../messaging/known-past.ts';
import { pastIsGone, type WentBack } from '../../messaging/low-water-mark.ts';
import { readSubmission } from '../../messaging/run-launch.ts';
import type { Follower, FollowFrom, StreamMessage } from '../../ports/bus.ts';
import type { CellOwner, Gone } from '../../ports/cells.ts';
import { Control } from './control.ts';
import type { Begun } from './log-store.ts';
import type { HeldRun } from './open-run.ts';
import { shardOf } from './open-runs.ts';
import { OpenShard, type ShardOptions } from './open-shard.ts';
import { PlanWatch } from './plan-watch.ts';
import { ShardAnswers } from './shard-answers.ts';
import { ShardEnds } from './shard-ends.ts';
import { ShardLosses } from './shard-losses.ts';
import { ShardTakingUp } from './shard-taking-up.ts';
import { Wishes } from './wishes.ts';

export class RunShard implements CellOwner {
  readonly #shard: OpenShard;
  readonly #wishes: Wishes;
  readonly #control: Control;
  readonly #ends: ShardEnds;
  readonly #takingUp: ShardTakingUp;
  readonly #answers: ShardAnswers;
  readonly #losses: ShardLosses;
  readonly #plans: PlanWatch;
  readonly #followers: Follower[] = [];
  #nextSubmission = 1;
  /** The last messages known, by stream (low-water-mark.F3). */
  readonly #known = new Map<string, KnownIn>();
  /** Runs that are being ended (S12). */
  readonly #leaving = new Set<string>();
  #unwatch: (() => void) | undefined;

  constructor(options: ShardOptions) {
    const { bus, clock, passes } = options.services;
    const shard: OpenShard = new OpenShard(options, {
      stands: () => this.#stands(),
      known: () => [...this.#known.values(), ...(shard.lastEvent === undefined ? [] : [shard.lastEvent])],
      lossFound: () => void this.#takingUp.endAgain().catch(options.failed),
    });
    this.#shard = shard;
    const { openRuns, stopping } = shard;
    const held = (run: string): HeldRun | undefined => shard.runs.get(run);
    this.#wishes = new Wishes({ openRuns, clock, signal: stopping.signal, held });
    this.#control = new Control({
      bus,
      clock,
      wishes: this.#wishes,
      holds: () => !shard.isStopped && options.holds(),
      tell: (run, command) => this.#tell(run, command),
    });
    this.#ends = new ShardEnds(shard, this.#control);
    this.#losses = new ShardLosses(shard, this.#ends);
    this.#plans = new PlanWatch({ clock, passes, tell: (run, seen) => void this.#tell(run, seen) });
    this.#takingUp = new ShardTakingUp(shard, this.#control, this.#ends, this.#plans, this.#losses);
    this.#answers = new ShardAnswers(shard, (run, answer) => this.#tell(run, answer));
  }

  /** Takes over the shard: restores what is open, then follows submissions and answers. */
  async start(): Promise<void> {
    const stands = await this.#shard.mark.take();
    this.#nextSubmission = stands.submission;
    this.#answers.next = stands.answer;
    await this.#takingUp.restoreAll(await this.#shard.openRuns.list((key) => this.#unreadable(key)));
    if (this.#shard.isStopped) return;
    const { wentBack } = this.#shard.mark;
    // What the owner before had read may have lost all that it led to: each submission that there is, is looked for in
    // the logs.
    if (wentBack !== undefined && wentBack.streams.size > 0) this.#nextSubmission = 1;
    const submissions = { from: 'seq', seq: this.#nextSubmission } as const;
    await this.#follow(streams.runSubmissions, subject.runSubmit, submissions, (message) =>
      this.#submitted(message),
    );
    const answers = fromWhere(streams.runAnswers, stands.answer, wentBack);
    await this.#follow(streams.runAnswers, subject.runApproval(), answers, (message) =>
      this.#answers.answered(message),
    );
    if (wentBack?.streams.has(streams.runAnswers.name)) this.#answers.next = 1;
    this.#shard.mark.keep();
    void this.#ends.sweep();
    if (this.#shard.isStopped) return;
    this.#unwatch = this.#shard.options.services.missions.onChange(() => this.#endThoseLeft());
  }

  #unreadable(key: string): void {
    const { log } = this.#shard.options.services;
    log.error({ key, bucket: buckets.openRuns.name }, 'malformed entry of an open run: not taken up');
  }

  /** S12 */
  #endThoseLeft(): void {
    const { cells, failed } = this.#shard.options;
    for (const [run, held] of this.#shard.runs) {
      const { program } = held.atHand;
      const reason = this.#shard.hasLeft(program);
      if (reason === undefined || this.#leaving.has(run)) continue;
      this.#leaving.add(run);
      cells.drop(run);
      this.#ends
        .giveUp(held.entry, program, reason)
        .catch(failed)
        .finally(() => this.#leaving.delete(run));
    }
  }

  async #follow(
    stream: StreamDefinition,
    about: string,
    from: FollowFrom,
    handle: (message: StreamMessage) => Promise<void>,
  ): Promise<void> {
    const wentBack = (): void => this.#shard.options.failed(pastIsGone(stream));
    const taken = async (message: StreamMessage): Promise<void> => {
      await handle(message);
      if (!this.#shard.isStopped) this.#known.set(stream.name, { stream, seq: message.seq, at: message.at });
    };
    this.#followers.push(
      await this.#shard.options.services.bus.follow(stream, about, from, taken, { wentBack }),
    );
  }

  /** Leaves the shard where it stands: the next owner goes on from the logs. */
  async stop(): Promise<void> {
    this.#shard.stopping.abort('stopped');
    this.#unwatch?.();
    this.#plans.stop();
    const { cells } = this.#shard.options;
    for (const run of this.#shard.runs.keys()) cells.drop(run);
    this.#shard.makeRoom();
    await Promise.all([...this.#followers.map((follower) => follower.stop()), this.#control.stop()]);
    await this.#shard.mark.stop();
    this.#shard.runs.clear();
  }

  /** A run of this shard that is open here. */
  held(run: string): HeldRun | undefined {
    return this.#shard.runs.get(run);
  }

  /** Undefined also once the shard is left: no cell of it comes back from the log any more (S7). */
  begunOf(run: string): Begun | undefined {
    return this.#shard.isStopped ? undefined : this.#shard.runs.get(run)?.begun;
  }

  epochOf(run: string): number {
    return this.begunOf(run)?.epoch ?? 0;
  }

  /**
   * An event of one of its runs is about to be stored: its end waits until nothing of it can leave any more. Throws
   * `Outage`.
   */
  appending(run: string, record: RunRecord): Promise<void> | undefined {
    const held = this.#shard.runs.get(run);
    held?.appending(record);
    if (held === undefined || record.event.event !== 'finished') return undefined;
    return this.#ends.standDown(held.atHand, held.sendings.open);
  }

  /** An event of one of its runs is stored. */
  appended(run: string, record: RunRecord, position: number): void {
    this.#shard.storedEvent(run, position);
    const held = this.#shard.runs.get(run);
    if (held === undefined) return;
    const at = this.#shard.options.services.clock.now();
    this.#shard.index.changed(held.appended(record, position, at));
    this.#plans.stored(run, record.event);
    if (record.event.event === 'suspended') this.#forgetWish(run, record.event.by);
  }

  /** Events of the log of a run are lost (S13). */
  lost(run: string): void {
    const held = this.#shard.runs.get(run);
    if (held !== undefined) held.isCut = true;
  }

  /** The cell of a run of this shard is gone. */
  async gone(run: string, why: Gone, detail = ''): Promise<void> {
    const held = this.#shard.runs.get(run);
    const { services, failed } = this.#shard.options;
    if (held === undefined || this.#shard.isStopped) return;
    if (why === 'quarantined') return;
    const isGivenUp = why === 'reset' || why === 'too-large';
    if (why === 'fenced' || why === 'given-up') return this.#losses.refused(run).catch(failed);
    try {
      if (isGivenUp) await this.#ends.giveUp(held.entry, held.atHand.program, detail);
      else await this.#ends.end(run, held.atHand.program);
    } catch (error) {
      if (this.#shard.isStopped) return;
      // Given up, yet its log cannot be read: it stays as it is, and the others go on (S6).
      if (isGivenUp) services.log.error({ run, err: error }, 'run not given up: it stays open');
      else failed(error);
    }
  }

  /**
   * Why a run cannot take the event; undefined when it has it. What comes while the shard is left wakes nobody (S7).
   */
  #tell(run: string, event: RunChartEvent): string | undefined {
    const { cells } = this.#shard.options;
    const told = this.#shard.isStopped ? 'gone' : cells.tell(run, event);
    switch (told) {
      case 'accepted':
        return undefined;
      case 'full':
        return 'too much waits for the run';
      case 'gone':
        return 'its executor is stopping; ask again';
      case 'quarantined':
        return `the run is in trouble (${cells.trouble(run) ?? 'unknown'}) and waits until somebody resumes or resets it in the inspector`;
      default:
        return assertNever(told);
    }
  }

  async #submitted(message: StreamMessage): Promise<void> {
    const submission = readSubmission(message.data);
    const { shard, services } = this.#shard.options;
    if (submission === undefined) {
      services.log.error({ position: message.seq }, 'malformed submission of a run: skipped');
    } else if (shardOf(submission.run) === shard) {
      await this.#shard.whileBusIsAway(() => this.#takingUp.takeUp(submission, message.at));
      this.#endThoseLeft();
    }
    if (!this.#shard.isStopped) this.#nextSubmission = message.seq + 1;
  }

  /** The log shows the suspension: it is no longer pending. */
  #forgetWish(run: string, by: string): void {
    const wish = this.#wishes.of(run);
    // Where nobody could be asked, a reaction left its suspension in the entry alone (preemption.Y2).
    const isOfReaction = wish === undefined && alarmOfReaction(by) !== undefined;
    const forgotten = isOfReaction ? this.#wishes.forgetReaction(run, by) : this.#wishes.forget(run, wish);
    forgotten.catch(this.#shard.options.failed);
  }

  #stands(): { submission: number; answer: number } {
    const told = [...this.#shard.runs.values()].flatMap(({ firstTold }) => firstTold ?? []);
    return { submission: this.#nextSubmission, answer: Math.min(this.#answers.next, ...told) };
  }
}

/** Positions of a stream that went back are used again: what is new is known by its time (S9). */
function fromWhere({ name }: StreamDefinition, seq: number, wentBack: WentBack | undefined): FollowFrom {
  return wentBack?.streams.has(name) ? { from: 'time', at: wentBack.since + 1 } : { from: 'seq', seq };
}
