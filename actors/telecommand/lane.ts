/**
 * The lane of a target: takes its submissions in their order, one leaving after the other, while the verification of
 * those that left goes on. Mission Control Service, section 4.1 rule 4 and section 3.1.
 *
 * J1. Telecommands of one target are sent in the order of their submission: from its requirements on, each waits for its
 *     turn. Only that it was taken up is recorded before.
 * J2. The lane reads TC_COMMANDS by position, from its floor on: submissions below it are over, events of open telecommands
 *     stand at or above it (`actors/floor.ts`).
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
 */

import { LANE_OPEN_TELECOMMANDS, TC_MAX_AGE_MS } from '../../contract/limits.ts';
import type { BusPosition, EchoMessage } from '../../contract/link.ts';
import { Outage } from '../../contract/outage.ts';
import { header, streams, subject } from '../../contract/subject.ts';
import type { TcState } from '../../contract/telecommand.ts';
import type { TelecommandEffect, TelecommandEvent, TelecommandInput } from '../../machines/telecommand.ts';
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
import { Floor } from '../floor.ts';
import type { LaneServices } from './binding.ts';
import { LaneEchoes } from './echoes.ts';
import { recordGivenUp } from './given-up.ts';
import { isOver, type Recorded, readHistory, readRecorded, restored } from './history.ts';
import type { Holds } from './holds.ts';
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
  /** The lane cannot go on: its owner starts it anew. */
  readonly failed: (error: unknown) => void;
}

type Stands = { readonly submission: number; readonly event: number };

/** A telecommand of the lane between take-up and its final state. */
interface Open {
  readonly work: Work;
  readonly input: TelecommandInput;
  /** Whether an event of it is known to be stored. */
  hasEvents: boolean;
  /** Its events stand at or above this position of TC_EVENTS, also those stored and not yet known here. */
  readonly eventsFrom: number;
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
  /** Places of those that are over and may still be answered (J8). */
  readonly #lingering = new Map<Place, TimerHandle>();
  #histories = new Map<string, Recorded[]>();
  #follower: Follower | undefined;
  /** The next submission to take. */
  #next = 1;
  #lastEvent = 1;
  #stopped = false;
  #room: (() => void) | undefined;

  constructor(options: LaneOptions) {
    this.#options = options;
    const { bus, clock, log, target, epoch, values, failed } = options;
    this.#floor = new Floor({
      ...{ bus, clock, log, epoch, name: `lane.${target}`, lost: failed },
      first: { submission: 1, event: 1 },
      stands: () => this.#stands(),
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
    this.#next = floor.submission;
    this.#lastEvent = floor.event;
    await this.#readHistories(floor.event);
    if (this.#stopped) return;
    this.#follower = await bus.follow(
      streams.telecommands,
      subject.tcSubmit(target),
      { from: 'seq', seq: floor.submission },
      (message) => this.#take(message),
    );
    this.#floor.keep();
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
    await Promise.all([this.#follower?.stop(), this.#verifier.stop(), this.#echoes.stop()]);
    await this.#floor.stop();
  }

  /** An event of one of its telecommands is stored. What is known to be sent has left: the next one may. */
  appended(cell: string, state: TcState | 'ECHO', seq: number): void {
    this.#lastEvent = Math.max(this.#lastEvent, seq);
    const open = this.#open.get(cell);
    if (open === undefined) return;
    open.hasEvents = true;
    if (state === 'SENT') this.#left(open);
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
      taken: () => this.#options.holds.taken(sentBy(work)),
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
    this.#leave(open);
    this.#room?.();
  }

  /** Until its final state is stored it stays open: a new owner would find it unfinished and continue it. */
  async #giveUp(cell: string, open: Open, detail: string): Promise<void> {
    const { bus, clock, epoch, target, failed } = this.#options;
    try {
      const seq = await this.#patiently(() =>
        recordGivenUp(bus, open.input, { epoch, at: clock.now(), detail }),
      );
      if (this.#stopped) return;
      if (seq === undefined) return failed(new Error(`another owner writes the telecommands of ${target}`));
      this.#lastEvent = Math.max(this.#lastEvent, seq);
      this.#echoes.finished(cell, open.input);
      this.#close(cell, open);
    } catch (error) {
      failed(error);
    }
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
    const submission = parseSubmission(message.data);
    const { target, log } = this.#options;
    if (submission === undefined || submission.target !== target) {
      log.error({ target, seq: message.seq }, 'submission that is none: passed over');
    } else if (!this.#stopped) {
      await this.#takeWork(cellId(target, submission.id), await this.#workOf(message, submission));
    }
    if (!this.#stopped) this.#next = message.seq + 1;
  }

  async #workOf(
    message: StreamMessage,
    submission: NonNullable<ReturnType<typeof parseSubmission>>,
  ): Promise<Work> {
    const { missions } = this.#options;
    const revision = message.headers[header.config];
    const mission = revision === undefined ? missions.current : await missions.at(revision);
    return {
      submission,
      seq: message.seq,
      submittedAt: message.at,
      by: message.headers[header.user],
      definition: define(mission, submission),
    };
  }

  async #takeWork(cell: string, work: Work): Promise<void> {
    const history = this.#histories.get(cell) ?? [];
    if (this.#open.has(cell) || isOver(history)) return void this.#histories.delete(cell);
    await this.#roomForOne();
    if (this.#stopped) return;
    const refusal = history.length > 0 ? undefined : await this.#refusal(work);
    if (this.#stopped) return;
    await this.#turn.room();
    if (this.#stopped) return;
    this.#begin(cell, work, history, refusal);
  }

  #begin(cell: string, work: Work, history: readonly Recorded[], refusal: string | undefined): void {
    const { cells, clock, epoch } = this.#options;
    const input = chartInput(work, clock.now(), refusal);
    const place = this.#turn.take();
    this.#open.set(cell, {
      work,
      input,
      hasEvents: history.length > 0,
      eventsFrom: history[0]?.seq ?? this.#lastEvent,
      place,
      isUnsure: false,
      services: undefined,
    });
    try {
      if (history.length > 0) cells.restore(cell, restored(input, history, clock.now()), epoch);
      else cells.start(cell, input, epoch);
    } catch (error) {
      // The message comes again, and finds what it found now.
      this.#open.delete(cell);
      place.leave();
      throw error;
    }
    this.#histories.delete(cell);
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
    return isOver(await readHistory(this.#options.bus, target, id).catch(() => []));
  }

  // Floor ------------------------------------------------------------------------------------------------------------

  /** Where the floor may stand now: nothing that is open is below it. */
  #stands(): Stands {
    let submission = this.#next;
    let event = this.#lastEvent;
    for (const open of this.#open.values()) {
      submission = Math.min(submission, open.work.seq);
      event = Math.min(event, open.eventsFrom);
    }
    return { submission, event };
  }

  async #readHistories(from: number): Promise<void> {
    const { bus, target } = this.#options;
    const histories = new Map<string, Recorded[]>();
    const follower = await bus.follow(
      streams.telecommandEvents,
      subject.tcEvents(target),
      { from: 'seq', seq: from },
      (message) => {
        const recorded = readRecorded(message);
        const cell = cellId(target, recorded.event.tc);
        const history = histories.get(cell);
        if (history === undefined) histories.set(cell, [recorded]);
        else history.push(recorded);
      },
    );
    await follower.caughtUp;
    await follower.stop();
    this.#histories = histories;
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

function sentBy({ submission: { target, run }, seq }: Work): Parameters<Holds['taken']>[0] {
  return { target, run, position: seq };
}

function answerOf({ work }: Open): AwaitedAnswer | undefined {
  return work.definition?.telecommand.verify?.answer;
}

/** How old a submission may be when it leaves (MC-TC-059). */
function maxAgeMs({ definition }: Pick<Work, 'definition'>): number {
  return definition?.mission.settings.maxSubmissionAgeMs ?? TC_MAX_AGE_MS;
}
