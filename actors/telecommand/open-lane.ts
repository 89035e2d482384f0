/**
 * What the parts of a lane share: the telecommands that are open in it, the order in which they leave, what it knows of
 * its streams, and whether it is still this owner's. Part of a lane (`lane.ts`).
 */

import { setMaxListeners } from 'node:events';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { LANE_OPEN_TELECOMMANDS } from '../../contract/limits/telecommand.ts';
import { drawnAt } from '../../contract/telecommand-id.ts';
import type { TelecommandEvent, TelecommandInput } from '../../machines/telecommand/telecommand.ts';
import type { KeptEnvelopes } from '../../messaging/kept-envelopes.ts';
import type { KnownIn, KnownPast } from '../../messaging/known-past.ts';
import { lostEvents } from '../../messaging/lost-events.ts';
import { LowWaterMark } from '../../messaging/low-water-mark.ts';
import { everyOutage, retryWhileBusIsAway } from '../../messaging/while-bus-is-away.ts';
import type { CurrentPasses } from '../../mission/pass/serving-gateway.ts';
import type { Bus, StreamMessage } from '../../ports/bus.ts';
import type { Cells } from '../../ports/cells.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { MissionSource } from '../../ports/mission-source.ts';
import type { TargetValues } from '../../ports/target-values.ts';
import type { KnownPlatforms } from '../../telemetry/reading/known-platforms.ts';
import type { FinishedBefore } from './finished-before.ts';
import { type GivenUp, recordGivenUp } from './given-up.ts';
import { isOver, NO_HISTORY, readHistory } from './history.ts';
import type { Holds } from './holds.ts';
import { Leftovers } from './leftovers.ts';
import type { LaneServices } from './services.ts';
import { type Place, Turn } from './turn.ts';
import { fromCellId, type Work } from './work.ts';

export interface LaneOptions {
  readonly target: string;
  readonly epoch: number;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly missions: MissionSource;
  readonly platforms: KnownPlatforms;
  readonly values: Pick<TargetValues, 'sample' | 'position' | 'upToDate'>;
  readonly passes: CurrentPasses;
  readonly holds: Holds;
  readonly cells: Cells<TelecommandInput, TelecommandEvent>;
  readonly past?: KnownPast;
  /** What is over of all that was submitted, read for all lanes of this process; default: each asks for its own. */
  readonly finished?: FinishedBefore;
  /** What is kept of its telecommands beside their logs; default: nothing. */
  readonly kept?: KeptEnvelopes | undefined;
  /** Whether the lane is still this process's, now. */
  readonly isOwner: () => boolean;
  /** The lane cannot continue: its owner starts it again. */
  readonly failed: (error: unknown) => void;
}

/** A telecommand of the lane between take-up and its final state. */
export interface Open {
  readonly work: Work;
  readonly input: TelecommandInput;
  /** The last event of it that is known to be stored. */
  lastEvent: { readonly seq: number; readonly at: number } | undefined;
  /** Its place among those that leave; another one when it lost it and was resumed. */
  place: Place;
  /** A gateway could not say whether its frame left. */
  isUnsure: boolean;
  /** Made when first asked for. */
  services: LaneServices | undefined;
}

type Stands = { readonly submission: number };

export class OpenLane {
  readonly options: LaneOptions;
  readonly open = new Map<string, Open>();
  readonly turn = new Turn();
  readonly mark: LowWaterMark<Stands>;
  readonly leftovers: Leftovers | undefined;
  readonly stopping = new AbortController();
  #next = 1;
  /** The last submission handled and the last event stored (low-water-mark.F3). */
  #handled: KnownIn | undefined;
  #lastEvent: KnownIn | undefined;
  #room: (() => void) | undefined;

  constructor(options: LaneOptions) {
    this.options = options;
    const { bus, clock, log, target, epoch, failed, kept, past } = options;
    // Every telecommand of it may wait for the bus at the same time.
    setMaxListeners(0, this.stopping.signal);
    const moved = (): void => this.mark.moved();
    this.leftovers = kept && new Leftovers({ target, kept, clock, log, moved });
    this.mark = new LowWaterMark({
      bus,
      clock,
      log,
      epoch,
      name: `lane.${target}`,
      lost: failed,
      past,
      first: { submission: 1 },
      stands: () => this.#stands(),
      known: () => [this.#handled, this.#lastEvent].filter((known) => known !== undefined),
      about: [streams.telecommands, streams.telecommandEvents],
      reportsMoves: true,
    });
  }

  /** Why its telecommands get an end; undefined while the mission has the target, or none is known. */
  get hasLeft(): string | undefined {
    const { missions, target } = this.options;
    if (missions.current === undefined || missions.current.targets.has(target)) return undefined;
    return `${target} is not in the topology any more`;
  }

  get isStopped(): boolean {
    return this.stopping.signal.aborted;
  }

  /** Undefined once the lane is stopped. */
  async whileBusIsAway<Value>(step: () => Promise<Value>): Promise<Value | undefined> {
    const waiting = { clock: this.options.clock, signal: this.stopping.signal, waitsFor: everyOutage };
    return (await retryWhileBusIsAway(waiting, step))?.value;
  }

  /** Resolves when one more may be open here. */
  roomForOne(): Promise<void> | undefined {
    if (this.open.size < LANE_OPEN_TELECOMMANDS) return undefined;
    return new Promise((resolve) => {
      this.#room = resolve;
    });
  }

  /** Lets go whoever waits for room. */
  makeRoom(): void {
    this.#room?.();
  }

  /** Gives a telecommand a final state; false when the lane is at its end. */
  async record(input: TelecommandInput, how: Pick<GivenUp, 'detail' | 'isCut'>): Promise<boolean> {
    const { bus, clock, epoch, target, failed } = this.options;
    const isOwn = (): Promise<boolean> => this.mark.isOwn();
    const seq = await this.whileBusIsAway(() =>
      recordGivenUp(bus, input, { ...how, epoch, isOwn, at: clock.now() }),
    );
    if (this.isStopped) return false;
    if (seq === undefined) failed(new Error(`another owner writes the telecommands of ${target}`));
    else this.storedEvent(input.id, seq);
    return seq !== undefined;
  }

  /** Where it begins. */
  beginAt(submission: number): void {
    this.#next = submission;
  }

  /** The next submission to take. */
  get next(): number {
    return this.#next;
  }

  /** Everything up to this position of the submissions is taken. */
  takenUpTo(seq: number): void {
    this.#next = Math.max(this.#next, seq + 1);
    this.mark.moved();
  }

  /** A submission was handled; the last one that was stored. */
  handled({ seq, at }: Pick<StreamMessage, 'seq' | 'at'>): void {
    this.#handled = { stream: streams.telecommands, seq, at };
    this.takenUpTo(seq);
  }

  /** One that was open here is over, or another owner's. */
  close(cell: string, { work }: Open): void {
    this.open.delete(cell);
    this.leftovers?.add(cell, work.seq);
    this.mark.moved();
  }

  /** An event of a telecommand of this lane is stored. */
  storedEvent(id: string, seq: number): void {
    const { clock, target } = this.options;
    if (seq <= (this.#lastEvent?.seq ?? 0)) return;
    const about = subject.tcEvent(target, id);
    this.#lastEvent = { stream: streams.telecommandEvents, seq, subject: about, at: clock.now() };
    this.mark.moved();
  }

  /**
   * The append of this cell was refused. Either the identifier was used before the low-water mark (a late duplicate: it
   * is over), or another owner has the lane: then this one is at its end (lane.J5).
   */
  async wasOver(cell: string, open: Open): Promise<boolean> {
    const { target, id } = fromCellId(cell);
    if (open.lastEvent !== undefined) return false;
    return isOver((await readHistory(this.options.bus, target, id).catch(() => NO_HISTORY)).recorded);
  }

  /**
   * Until when something of this lane may be lost, where the stream does not hold the last event of one that is open;
   * undefined: it holds all of them. What else was taken up by then may be lost as well. Rejects with `Outage`.
   */
  async eventsLost(): Promise<number | undefined> {
    const { bus, clock, target } = this.options;
    const known = [...this.open.entries()].flatMap(([cell, { lastEvent }]) => {
      const { id } = fromCellId(cell);
      return lastEvent === undefined ? [] : [{ ...lastEvent, id, subject: subject.tcEvent(target, id) }];
    });
    const lost = await lostEvents(bus, streams.telecommandEvents, known, clock.now());
    if (lost.length === 0) return undefined;
    // Identifiers are drawn on other clocks.
    const drawn = lost.map(({ id }) => drawnAt(id));
    return Math.max(...drawn, this.#handled?.at ?? 0, this.#lastEvent?.at ?? 0);
  }

  /** Where the low-water mark may stand now: nothing that is open is below it. */
  #stands(): Stands {
    let submission = this.#next;
    for (const open of this.open.values()) submission = Math.min(submission, open.work.seq);
    return { submission: Math.min(submission, this.leftovers?.first ?? submission) };
  }
}
