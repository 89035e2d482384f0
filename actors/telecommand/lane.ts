/**
 * The lane of a target: takes its submissions in their order, one leaving after the other, while the verification of
 * those that left goes on. Mission Control Service, section 4.1 rule 4 and section 3.1.
 *
 * J1. Telecommands of one target are sent in the order of their submission: from its requirements on, each waits for its
 *     turn. Only that it was taken up is recorded before.
 * J2. The lane reads TC_COMMANDS by position, from its floor on: submissions below it are over (`messaging/low-water-mark.ts`). Once it has
 *     caught up its floor is at the head, also where nothing was submitted: no start reads what is finished.
 * J3. A submission whose history has begun is not begun again: it is continued where its history stands, or it is over
 *     (O2, O4).
 * J5. A telecommand whose cell was overtaken keeps its place until the lane is started anew: the floor never passes it
 *     and nothing behind it leaves before it.
 * J6. A quarantined telecommand loses its turn and keeps its place: the floor never passes it. Resumed, it goes on from
 *     its history when it is its turn again, behind the one that is leaving; reset, it is given a final state.
 * J7. A telecommand whose answer does not name it keeps its turn until the answer has come or its time is over: only one
 *     awaits an answer at a time (`answer.ts`).
 * J8. Where an answer does not name its telecommand, one whose frame may have left without anybody knowing keeps its turn
 *     past its end, for as long as that frame may still be answered (N4).
 * J9. What cannot be read or begun is the end of that telecommand and of nothing else: it is given a final state and passed.
 * J11. What is kept beside the log of a telecommand is removed when it is over (`leftovers.ts`).
 * J10. A lane whose streams went back starts anew: from what is there, with an end for what may have been cut
 *     (`taking-over.ts`). Nothing that may have left is sent again.
 */

import { header } from '../../contract/bus/headers.ts';
import { type StreamDefinition, streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { LANE_OPEN_TELECOMMANDS, TC_MAX_AGE_MS } from '../../contract/limits.ts';
import type { BusPosition, EchoMessage } from '../../contract/link.ts';
import { Outage } from '../../contract/outage.ts';
import type { NeededHold, TcState } from '../../contract/telecommand.ts';
import type {
  TelecommandEffect,
  TelecommandEvent,
  TelecommandInput,
} from '../../machines/telecommand/telecommand.ts';
import type { KeptEnvelopes } from '../../messaging/kept-envelopes.ts';
import type { KnownIn, KnownPast } from '../../messaging/known-past.ts';
import { Floor, pastIsGone, type WentBack } from '../../messaging/low-water-mark.ts';
import { meansTheSame } from '../../mission/measure-meaning.ts';
import type { Mission } from '../../mission/mission.ts';
import type { AwaitedAnswer, Platform } from '../../mission/platform.ts';
import { gatewayOf, gatewaysReceiving } from '../../mission/resolve.ts';
import type { Bus, Follower, StreamMessage } from '../../ports/bus.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { EntityEvent, Stored } from '../../ports/entity.ts';
import type { Log } from '../../ports/log.ts';
import type { MissionSource } from '../../ports/mission-source.ts';
import type { TargetValues } from '../../ports/target-values.ts';
import { busPosition } from '../../telemetry/reading/bus-position.ts';
import type { LaneServices } from './binding.ts';
import { LaneEchoes } from './echoes.ts';
import { type GivenUp, recordGivenUp } from './given-up.ts';
import { isOver, NO_HISTORY, readHistory } from './history.ts';
import type { Holds } from './holds.ts';
import { Leftovers } from './leftovers.ts';
import { restored } from './restored.ts';
import { type Standing, UNBEGUN } from './standing.ts';
import { cutBy, historyBefore, orphans } from './taking-over.ts';
import { type Place, Turn } from './turn.ts';
import { Verifier } from './verification.ts';
import { cellId, chartInput, define, fromCellId, parseSubmission, type Work } from './work.ts';

/** The cells of telecommands, as a lane uses them. */
export interface TelecommandCells {
  start(cell: string, input: TelecommandInput, epoch: number): void;
  restore(cell: string, stored: Stored, epoch: number): void;
  tell(cell: string, event: EntityEvent): void;
  isLive(cell: string): boolean;
  drop(cell: string): void;
}

export interface LaneOptions {
  readonly target: string;
  readonly epoch: number;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly missions: MissionSource;
  readonly values: TargetValues;
  readonly holds: Holds;
  readonly cells: TelecommandCells;
  readonly past?: KnownPast;
  /** What is kept of its telecommands beside their logs; default: nothing. */
  readonly kept?: KeptEnvelopes | undefined;
  /** The lane cannot go on: its owner starts it anew. */
  readonly failed: (error: unknown) => void;
}

type Stands = { readonly submission: number };

/** A telecommand of the lane between take-up and its final state. */
interface Open {
  readonly work: Work;
  readonly input: TelecommandInput;
  /** Whether an event of it is known to be stored. */
  hasEvents: boolean;
  /** Its place among those that leave; another one when it lost it and was resumed. */
  place: Place;
  /** A gateway could not say whether its frame left. */
  isUnsure: boolean;
  /** Made when first asked for. */
  services: LaneServices | undefined;
}

/** Pause before the bus is asked again while it is away; each ask already waits inside the bus. */
const BUS_RETRY_MS = 100;

export class Lane {
  readonly #options: LaneOptions;
  readonly #open = new Map<string, Open>();
  readonly #verifier: Verifier;
  readonly #echoes: LaneEchoes;
  readonly #floor: Floor<Stands>;
  readonly #turn = new Turn();
  readonly #leftovers: Leftovers | undefined;
  /** Places of those that are over and may still be answered (J8). */
  readonly #lingering = new Map<Place, TimerHandle>();
  #follower: Follower | undefined;
  /** The next submission to take. */
  #next = 1;
  /** The last submission handled and the last event stored (F3). */
  #handled: KnownIn | undefined;
  #lastEvent: KnownIn | undefined;
  /** Whether what comes was submitted before this owner came. */
  #takingOver = true;
  #stopped = false;
  #room: (() => void) | undefined;

  constructor(options: LaneOptions) {
    this.#options = options;
    const { bus, clock, log, target, epoch, values, failed, kept } = options;
    this.#leftovers = kept && new Leftovers({ target, kept, clock, log });
    this.#floor = new Floor({
      ...{ bus, clock, log, epoch, name: `lane.${target}`, lost: failed },
      first: { submission: 1 },
      stands: () => this.#stands(),
      known: () => [this.#handled, this.#lastEvent].filter((known) => known !== undefined),
      ...{ about: [streams.telecommands, streams.telecommandEvents], past: options.past },
    });
    this.#echoes = new LaneEchoes({
      target,
      epoch,
      bus,
      clock,
      log,
      tell: (cell, echo) => this.#echoed(cell, echo),
    });
    this.#verifier = new Verifier({
      bus,
      clock,
      log,
      target,
      platformOf: (digest) => this.#platformOf(digest),
      sample: (platform, ordinal) => this.#sample(values, platform, ordinal),
      position: () => values.position?.(target),
    });
  }

  /** Takes over the lane: reads what is open, then follows the submissions. */
  async start(): Promise<void> {
    const { bus, target } = this.#options;
    const floor = await this.#floor.take();
    const { wentBack } = this.#floor;
    this.#next = wentBack === undefined || wentBack.streams.size === 0 ? floor.submission : 1;
    if (this.#stopped) return;
    this.#follower = await bus.follow(
      streams.telecommands,
      subject.tcSubmit(target),
      { from: 'seq', seq: this.#next },
      (message) => this.#take(message),
      { wentBack: () => this.#pastIsGone(streams.telecommands) },
    );
    // Stopped, it never catches up.
    this.#follower.caughtUp.then(
      (head) => this.#caughtUp(head),
      () => undefined,
    );
    if (wentBack === undefined) this.#floor.keep();
  }

  async #caughtUp(head: number): Promise<void> {
    this.#takingOver = false;
    this.#next = Math.max(this.#next, head + 1);
    void this.#leftovers?.sweep((cell) => this.#open.has(cell));
    if (this.#floor.wentBack === undefined || this.#stopped) return;
    try {
      await this.#endOrphans(this.#floor.wentBack);
      this.#floor.keep();
    } catch (error) {
      this.#options.failed(error);
    }
  }

  /** J10 */
  #pastIsGone(stream: StreamDefinition): void {
    this.#options.failed(pastIsGone(stream));
  }

  /** Leaves the lane where it stands: the next owner goes on from the log. */
  async stop(): Promise<void> {
    this.#stopped = true;
    const { clock, cells } = this.#options;
    for (const [cell, open] of this.#open) {
      cells.drop(cell);
      open.place.leave();
    }
    for (const [place, timer] of this.#lingering) {
      clock.clearTimeout(timer);
      place.leave();
    }
    this.#room?.();
    this.#leftovers?.stop();
    await Promise.all([this.#follower?.stop(), this.#verifier.stop(), this.#echoes.stop()]);
    await this.#floor.stop();
  }

  /** An event of one of its telecommands is stored. What is known to be sent has left: the next one may. */
  appended(cell: string, state: TcState | 'ECHO', seq: number): void {
    this.#storedEvent(fromCellId(cell).id, seq);
    const open = this.#open.get(cell);
    if (open === undefined) return;
    open.hasEvents = true;
    if (state === 'SENT') this.#left(open);
  }

  #storedEvent(id: string, seq: number): void {
    const { clock, target } = this.#options;
    if (seq <= (this.#lastEvent?.seq ?? 0)) return;
    const about = subject.tcEvent(target, id);
    this.#lastEvent = { stream: streams.telecommandEvents, seq, subject: about, at: clock.now() };
  }

  inputOf(cell: string): TelecommandInput | undefined {
    return this.#open.get(cell)?.input;
  }

  servicesOf(cell: string): LaneServices | undefined {
    const open = this.#open.get(cell);
    if (open === undefined) return undefined;
    // Each step of a telecommand asks for them, and a closure costs about a microsecond.
    open.services ??= this.#servicesFor(open);
    return open.services;
  }

  #servicesFor(open: Open): LaneServices {
    const { values } = this.#options;
    const { work } = open;
    return {
      work,
      refusal: () => this.#refusal(work),
      hold: holdOf(work),
      unheld: () => this.#options.holds.unheld(sentBy(work)),
      sample: (ordinal) =>
        work.definition === undefined ? undefined : this.#sample(values, work.definition.platform, ordinal),
      gateway: ({ mission, link }) => {
        const gateway = gatewayOf(mission, link, work.submission.environment);
        if (gateway?.echo) this.#echoes.hear(gateway.name);
        return gateway;
      },
      position: () => this.#position(work),
      verify: (effect, signal) => this.#verify(open, effect, signal),
      expiresAt: work.submittedAt + maxAgeMs(work),
      get turn() {
        return open.place.turn;
      },
      release: () => this.#left(open),
      unsure: () => {
        open.isUnsure = true;
      },
    };
  }

  /** J7: where an answer is awaited, the answer ends its turn, or its end does. */
  #left(open: Open): void {
    if (answerOf(open) === undefined) open.place.leave();
  }

  /** J8 */
  #leave(open: Open): void {
    const answer = answerOf(open);
    const { place } = open;
    if (answer === undefined || !open.isUnsure) place.leave();
    else if (!this.#lingering.has(place)) this.#linger(place, answer.withinMs);
  }

  #linger(place: Place, ms: number): void {
    const timer = this.#options.clock.setTimeout(() => {
      this.#lingering.delete(place);
      place.leave();
    }, ms);
    this.#lingering.set(place, timer);
  }

  /** The cell of a telecommand of this lane is gone. */
  async gone(
    cell: string,
    why: 'finished' | 'fenced' | 'quarantined' | 'given-up' | 'reset',
    detail = '',
  ): Promise<void> {
    const open = this.#open.get(cell);
    if (open === undefined || this.#stopped) return;
    if (why === 'reset') return this.#giveUp(cell, open, detail);
    if (why === 'fenced' && !(await this.#wasOver(cell, open))) {
      if (!(await this.#eventsHold())) return this.#pastIsGone(streams.telecommandEvents);
      this.#options.failed(new Error(`another owner writes the telecommands of ${this.#options.target}`));
      return;
    }
    if (why === 'finished') this.#echoes.finished(cell, open.input);
    if (why === 'quarantined') this.#leave(open);
    else this.#close(cell, open);
  }

  /** An operator resumes a quarantined telecommand; resolves when it may go on (J6). */
  async resumed(cell: string): Promise<void> {
    const open = this.#open.get(cell);
    if (open === undefined) return;
    open.place = this.#turn.take();
    await open.place.turn;
  }

  #close(cell: string, open: Open): void {
    this.#open.delete(cell);
    this.#leftovers?.add(cell, open.work.seq);
    this.#leave(open);
    this.#room?.();
  }

  /** Until its final state is stored it stays open: a new owner would find it unfinished and continue it. */
  async #giveUp(cell: string, open: Open, detail: string): Promise<void> {
    try {
      if (!(await this.#record(open.input, { detail }))) return;
      this.#echoes.finished(cell, open.input);
      this.#close(cell, open);
    } catch (error) {
      this.#options.failed(error);
    }
  }

  /** Gives a telecommand a final state; false when the lane is at its end. */
  async #record(input: TelecommandInput, how: Pick<GivenUp, 'detail' | 'isCut'>): Promise<boolean> {
    const { bus, clock, epoch, target, failed } = this.#options;
    const isOwn = (): Promise<boolean> => this.#floor.isOwn();
    const seq = await this.#patiently(() =>
      recordGivenUp(bus, input, { ...how, epoch, isOwn, at: clock.now() }),
    );
    if (this.#stopped) return false;
    if (seq === undefined) failed(new Error(`another owner writes the telecommands of ${target}`));
    else this.#storedEvent(input.id, seq);
    return seq !== undefined;
  }

  async #patiently<Value>(step: () => Promise<Value>): Promise<Value | undefined> {
    while (!this.#stopped) {
      try {
        return await step();
      } catch (error) {
        if (!(error instanceof Outage)) throw error;
        await new Promise<void>((resolve) => void this.#options.clock.setTimeout(resolve, BUS_RETRY_MS));
      }
    }
    return undefined;
  }

  // Taking -----------------------------------------------------------------------------------------------------------

  async #take(message: StreamMessage): Promise<void> {
    if (this.#stopped) return;
    const submission = parseSubmission(message.data);
    const { target, log } = this.#options;
    if (submission === undefined || submission.target !== target)
      log.error({ target, seq: message.seq }, 'message is no submission to this target: passed over');
    else await this.#takeUp(message, submission);
    if (this.#stopped) return;
    this.#next = Math.max(this.#next, message.seq + 1);
    this.#handled = { stream: streams.telecommands, seq: message.seq, at: message.at };
  }

  /** J9 */
  async #takeUp(
    message: StreamMessage,
    submission: NonNullable<ReturnType<typeof parseSubmission>>,
  ): Promise<void> {
    const { target, log } = this.#options;
    const cell = cellId(target, submission.id);
    if (this.#open.has(cell)) return;
    const history = await this.#historyOf(submission.id);
    if (history === 'over') this.#leftovers?.addOver(message.seq);
    if (history === 'over' || this.#stopped) return;
    const work = await this.#workOf(message, submission).catch((error: unknown) => {
      if (error instanceof Outage) throw error;
      log.error({ err: error, cell }, 'telecommand cannot be taken up');
      return undefined;
    });
    const cut = cutBy({ at: message.at, id: submission.id }, history, this.#floor);
    if (cut === undefined && work !== undefined) return this.#takeWork(cell, work, history);
    const detail = cut ?? 'what it was resolved with cannot be read';
    log.error({ cell, seq: message.seq, detail }, 'telecommand is ended');
    const bare = { ...submissionOnly(message, submission), definition: undefined };
    if (await this.#record(this.#inputOf(work ?? bare), { detail, isCut: cut !== undefined }))
      this.#leftovers?.add(cell, message.seq);
  }

  #inputOf(work: Work, refusal?: string): TelecommandInput {
    return chartInput(work, this.#options.clock.now(), refusal);
  }

  #historyOf(id: string): Promise<Standing | 'over'> | Standing {
    const { bus, target } = this.#options;
    return this.#takingOver ? historyBefore(bus, target, id, this.#leftovers) : UNBEGUN;
  }

  /** R3 of `taking-over.ts`. */
  async #endOrphans(wentBack: WentBack): Promise<void> {
    const { bus, log, target } = this.#options;
    const isKnown = (id: string): boolean => this.#open.has(cellId(target, id));
    const lost = await this.#patiently(() => orphans(bus, target, wentBack, isKnown));
    for (const input of lost ?? []) {
      if (this.#stopped || isKnown(input.id)) continue;
      const detail = 'the bus went back in time, and its submission is lost';
      log.error({ target, id: input.id, detail }, 'telecommand is ended');
      await this.#record(input, { detail, isCut: true });
    }
  }

  async #workOf(
    message: StreamMessage,
    submission: NonNullable<ReturnType<typeof parseSubmission>>,
  ): Promise<Work> {
    const { missions } = this.#options;
    const revision = message.headers[header.config];
    const mission = revision === undefined ? missions.current : await missions.at(revision);
    return { ...submissionOnly(message, submission), definition: define(mission, submission) };
  }

  async #takeWork(cell: string, work: Work, history: Standing): Promise<void> {
    await this.#roomForOne();
    if (this.#stopped) return;
    const refusal = history.fold.revision > 0 ? undefined : await this.#refusal(work);
    if (this.#stopped) return;
    await this.#turn.room();
    if (this.#stopped) return;
    this.#begin(cell, work, history, refusal);
  }

  #begin(cell: string, work: Work, history: Standing, refusal: string | undefined): void {
    const { cells, clock, epoch } = this.#options;
    const input = this.#inputOf(work, refusal);
    const place = this.#turn.take();
    const hasEvents = history.fold.revision > 0;
    this.#open.set(cell, { work, input, hasEvents, place, isUnsure: false, services: undefined });
    try {
      if (hasEvents) cells.restore(cell, restored(input, history, clock.now()), epoch);
      else cells.start(cell, input, epoch);
    } catch (error) {
      // The message comes again, and finds what it found now.
      this.#open.delete(cell);
      place.leave();
      throw error;
    }
  }

  async #refusal(work: Work): Promise<string | undefined> {
    const { submission, submittedAt, definition } = work;
    const { clock, holds } = this.#options;
    if (submission.withdrawn !== undefined) return submission.withdrawn;
    const age = clock.now() - submittedAt;
    const allowedMs = maxAgeMs({ definition });
    if (age > allowedMs) {
      return `submitted ${Math.round(age / 1000)} s ago, at most ${allowedMs / 1000} s is allowed`;
    }
    if (definition === undefined) return 'the configuration it was resolved with does not know it';
    return holds.refusal({ ...sentBy(work), changesState: definition.telecommand.changesState });
  }

  #roomForOne(): Promise<void> | undefined {
    if (this.#open.size < LANE_OPEN_TELECOMMANDS) return undefined;
    return new Promise((resolve) => {
      this.#room = resolve;
    });
  }

  /**
   * The append of this cell was refused. Either the identifier was used before the floor (a late duplicate: it is over),
   * or another owner has the lane: then this one is at its end (J5).
   */
  async #wasOver(cell: string, open: Open): Promise<boolean> {
    const { target, id } = fromCellId(cell);
    if (open.hasEvents) return false;
    return isOver((await readHistory(this.#options.bus, target, id).catch(() => NO_HISTORY)).recorded);
  }

  async #eventsHold(): Promise<boolean> {
    if (this.#lastEvent === undefined) return true;
    const { stream, seq, subject: about } = this.#lastEvent;
    const known = { seq, ...(about !== undefined && { subject: about }) };
    return this.#options.bus.stillHolds(stream, known).catch(() => true);
  }

  // Floor ------------------------------------------------------------------------------------------------------------

  /** Where the floor may stand now: nothing that is open is below it. */
  #stands(): Stands {
    let submission = this.#next;
    for (const open of this.#open.values()) submission = Math.min(submission, open.work.seq);
    return { submission: Math.min(submission, this.#leftovers?.first ?? submission) };
  }

  // Services ---------------------------------------------------------------------------------------------------------

  /** Where the bus stands for what verifies a telecommand. */
  async #position({ definition }: Work): Promise<BusPosition | undefined> {
    if (definition?.telecommand.verify === undefined) return undefined;
    const { bus, target } = this.#options;
    return busPosition(bus, target, gatewaysReceiving(definition.mission, definition.target));
  }

  async #verify(
    open: Open,
    effect: Extract<TelecommandEffect, { type: 'effect.verify' }>,
    signal: AbortSignal,
  ): Promise<TelecommandEvent | undefined> {
    const { submission, definition } = open.work;
    const verify = definition?.telecommand.verify;
    if (definition === undefined || verify === undefined) {
      return { type: 'verification.none', at: this.#options.clock.now() };
    }
    return this.#verifier.verify(
      {
        verify,
        platform: definition.platform,
        instance: submission.instance,
        args: submission.args,
        sentAt: effect.sentAt,
        handed: effect.handed,
        reference: effect.reference,
        answered: () => this.#leave(open),
      },
      signal,
    );
  }

  /** Ordinals of a platform no longer current are found by their keys. */
  #sample(values: TargetValues, platform: Platform, ordinal: number): ReturnType<TargetValues['sample']> {
    const current = this.#options.missions.current?.targets.get(this.#options.target)?.platform;
    if (current === undefined || current.digest === platform.digest)
      return values.sample(this.#options.target, ordinal);
    const key = platform.measures[ordinal]?.key;
    const now = key === undefined ? undefined : current.ordinal(key);
    if (now === undefined || !meansTheSame(platform.measures[ordinal], current.measures[now]))
      return undefined;
    return values.sample(this.#options.target, now);
  }

  /** Batches are of the current configuration or, around its change, of one that open telecommands came with. */
  #platformOf(digest: string): Platform | undefined {
    const open = [...this.#open.values()].map(({ work }) => work.definition?.mission);
    const known = new Set(
      [this.#options.missions.current, ...open].filter((mission) => mission !== undefined),
    );
    const platforms = [...known].flatMap((mission: Mission) => [...mission.platforms.values()]);
    return platforms.find((platform) => platform.digest === digest);
  }

  #echoed(cell: string, { at, conforming }: EchoMessage): boolean {
    const { cells } = this.#options;
    if (!cells.isLive(cell)) return false;
    cells.tell(cell, { type: 'gateway.echoed', at, conforming } as TelecommandEvent);
    return true;
  }
}

function submissionOnly(
  { seq, at, headers }: StreamMessage,
  submission: NonNullable<ReturnType<typeof parseSubmission>>,
): Omit<Work, 'definition'> {
  return { submission, seq, submittedAt: at, by: headers[header.user] };
}

function sentBy({ submission: { target, run }, seq }: Work): Parameters<Holds['unheld']>[0] {
  return { target, run, position: seq };
}

function holdOf({ submission: { run }, seq }: Work): NeededHold | undefined {
  return run === undefined ? undefined : { run, position: seq };
}

function answerOf({ work }: Open): AwaitedAnswer | undefined {
  return work.definition?.telecommand.verify?.answer;
}

/** How old a submission may be when it leaves (MC-TC-059). */
function maxAgeMs({ definition }: Pick<Work, 'definition'>): number {
  return definition?.mission.settings.maxSubmissionAgeMs ?? TC_MAX_AGE_MS;
}
