/**
 * Which telecommands are over, read from TC_EVENTS once for all lanes of a process that find many submissions behind
 * their low-water marks. One question for each would keep a bus that holds a million telecommands busy for minutes.
 *
 * N1. It reports only that the last event of a telecommand is a final one. About every other telecommand its lane asks
 *     the stream.
 * N2. The log is read only where that is less work than the questions: while there are few events to read for each
 *     submission that the lanes have to look at.
 * N3. The number of identifiers kept is bounded. At the bound the reading waits for the lanes, and no lane waits for
 *     the reading.
 * N4. A lane waits until the events stored within `usuallyOverMs` of a submission have been read. It does not wait
 *     before the reading has begun, nor after it has ended.
 * N5. What is known is forgotten when the lane leaves, when the stream turns out to have lost something, and when the
 *     connection is lost or returns: the stream may be another one then.
 */

import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { CLOCK_SKEW_MS } from '../../contract/limits/membership.ts';
import { FINISHED_BEFORE } from '../../contract/limits/telecommand.ts';
import { readTcEvent } from '../../contract/telecommand.ts';
import { isFinalTcState } from '../../contract/telecommand-state.ts';
import type { Bus, Follower, StreamMessage } from '../../ports/bus.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';

const { gatherMs, usuallyOverMs, eventsForEach, kept } = FINISHED_BEFORE;

interface FinishedBeforeOptions {
  readonly bus: Pick<Bus, 'follow' | 'onConnection'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Identifiers kept at once (N3). */
  readonly kept?: number;
}

/** A submission as its lane reads it. */
export type Submitted = Pick<StreamMessage, 'at' | 'pending'>;

interface Waiting {
  readonly id: string;
  readonly until: number;
  readonly resolve: (isOver: boolean) => void;
}

/** What a lane asks. */
export interface FinishedOfLane {
  /** Whether that telecommand is known to be over; the submissions of a lane come in their order. */
  isOver(id: string, submitted: Submitted): boolean | Promise<boolean>;
  /** It looks at no more of them. */
  leave(): void;
}

class LaneOf implements FinishedOfLane {
  readonly prefix: string;
  readonly #all: FinishedBefore;
  /** When the last event of each was stored, in that order. */
  readonly #finished = new Map<string, number>();
  /** The submission it looks at. */
  at = Number.POSITIVE_INFINITY;
  pending = 0;
  waiting: Waiting | undefined;

  constructor(all: FinishedBefore, prefix: string) {
    this.#all = all;
    this.prefix = prefix;
  }

  isOver(id: string, { at, pending }: Submitted): boolean | Promise<boolean> {
    this.at = at;
    this.pending = pending;
    const before = this.#finished.size;
    // Nothing is submitted behind its end.
    for (const [other, endedAt] of this.#finished) {
      if (endedAt >= at - CLOCK_SKEW_MS) break;
      this.#finished.delete(other);
    }
    const isKnown = this.#finished.delete(id);
    this.#all.dropped(before - this.#finished.size);
    const until = at + usuallyOverMs;
    if (isKnown || !this.#all.isReading(until)) return isKnown;
    return new Promise((resolve) => {
      this.waiting = { id, until, resolve };
      this.#all.waits(until);
    });
  }

  /** Whether it is kept. */
  finished(id: string, at: number): boolean {
    if (this.waiting?.id === id) {
      this.settle(true);
      return false;
    }
    if (at < this.at - CLOCK_SKEW_MS || this.#finished.has(id)) return false;
    this.#finished.set(id, at);
    return true;
  }

  settle(isOver: boolean): void {
    const { waiting } = this;
    this.waiting = undefined;
    waiting?.resolve(isOver);
  }

  forget(): void {
    this.#all.dropped(this.#finished.size);
    this.#finished.clear();
    this.settle(false);
  }

  leave(): void {
    this.forget();
    this.#all.left(this);
  }
}

interface Reading {
  follower: Follower | undefined;
  /** When the last event that was read had been stored. */
  at: number;
  ended: boolean;
  isWorthIt: boolean;
  /** The reading waits for the lanes (N3). */
  goOn: (() => void) | undefined;
}

export class FinishedBefore {
  readonly #options: FinishedBeforeOptions;
  readonly #kept: number;
  readonly #lanes = new Map<string, LaneOf>();
  #gathering: TimerHandle | undefined;
  #reading: Reading | undefined;
  readonly #unlisten: () => void;
  #count = 0;
  /** No lane waits for what was stored before. */
  #waitedFor = Number.POSITIVE_INFINITY;

  constructor(options: FinishedBeforeOptions) {
    this.#options = options;
    this.#kept = options.kept ?? kept;
    this.#unlisten = options.bus.onConnection(() => this.#forget());
  }

  /** Once its lanes have left. */
  stop(): void {
    this.#unlisten();
  }

  /** Identifiers that are kept now. */
  get count(): number {
    return this.#count;
  }

  /** A lane that finds much behind its low-water mark. */
  join(target: string): FinishedOfLane {
    const prefix = subject.tcEvents(target).slice(0, -1);
    this.#lanes.get(prefix)?.leave();
    const lane = new LaneOf(this, prefix);
    this.#lanes.set(prefix, lane);
    if (this.#reading === undefined && this.#gathering === undefined)
      this.#gathering = this.#options.clock.setTimeout(() => void this.#begin(), gatherMs);
    return lane;
  }

  left(lane: LaneOf): void {
    if (this.#lanes.get(lane.prefix) !== lane) return;
    this.#lanes.delete(lane.prefix);
    if (this.#lanes.size > 0) return;
    if (this.#gathering !== undefined) this.#options.clock.clearTimeout(this.#gathering);
    this.#gathering = undefined;
    if (this.#reading !== undefined) this.#end(this.#reading);
  }

  /** Whether events up to then may still be read, and nobody has to make room for them. */
  isReading(until: number): boolean {
    const reading = this.#reading;
    return reading !== undefined && reading.goOn === undefined && reading.at <= until;
  }

  waits(until: number): void {
    this.#waitedFor = Math.min(this.#waitedFor, until);
  }

  /** So many identifiers are not kept any more. */
  dropped(count: number): void {
    this.#count -= count;
    const reading = this.#reading;
    if (reading?.goOn === undefined || this.#count > this.#kept / 2) return;
    reading.goOn();
    reading.goOn = undefined;
  }

  async #begin(): Promise<void> {
    this.#gathering = undefined;
    const { bus, log } = this.#options;
    const first = Math.min(...[...this.#lanes.values()].map(({ at }) => at));
    if (!Number.isFinite(first)) return;
    const reading: Reading = { follower: undefined, at: 0, ended: false, isWorthIt: false, goOn: undefined };
    this.#reading = reading;
    try {
      const follower = await bus.follow(
        streams.telecommandEvents,
        streams.telecommandEvents.subjects[0]!,
        // The servers of two streams may be two.
        { from: 'time', at: Math.max(0, first - CLOCK_SKEW_MS) },
        (message) => this.#take(reading, message),
        { wentBack: () => this.#end(reading, true) },
      );
      reading.follower = follower;
      if (reading.ended) await follower.stop();
      else await follower.caughtUp;
    } catch (error) {
      log.debug({ err: error }, 'what is over is asked for one by one');
    }
    this.#end(reading);
  }

  #take(reading: Reading, message: StreamMessage): void | Promise<void> {
    if (reading.ended) return;
    if (!reading.isWorthIt && !this.#isWorth(message.pending)) return this.#end(reading);
    reading.isWorthIt = true;
    reading.at = message.at;
    this.#look(message);
    if (message.at > this.#waitedFor) this.#expire(message.at);
    if (this.#count < this.#kept) return;
    for (const lane of this.#lanes.values()) lane.settle(false);
    return new Promise((resolve) => {
      reading.goOn = resolve;
    });
  }

  /** N2 */
  #isWorth(events: number): boolean {
    const submissions = [...this.#lanes.values()].reduce((sum, { pending }) => sum + pending, 0);
    return events <= submissions * eventsForEach;
  }

  #look({ subject: about, data, at }: StreamMessage): void {
    const dot = about.lastIndexOf('.') + 1;
    const lane = this.#lanes.get(about.slice(0, dot));
    if (lane === undefined) return;
    if (!isFinalTcState(readTcEvent(data)?.state ?? '')) return;
    if (lane.finished(about.slice(dot), at)) this.#count += 1;
  }

  /** N4 */
  #expire(at: number): void {
    this.#waitedFor = Number.POSITIVE_INFINITY;
    for (const lane of this.#lanes.values()) {
      if (lane.waiting === undefined) continue;
      if (lane.waiting.until < at) lane.settle(false);
      else this.waits(lane.waiting.until);
    }
  }

  #forget(): void {
    for (const lane of this.#lanes.values()) lane.forget();
  }

  /** Lanes that wait ask the stream instead. What is known stays so, unless the stream went back. */
  #end(reading: Reading, isLost = false): void {
    if (isLost) this.#forget();
    if (reading.ended) return;
    reading.ended = true;
    if (this.#reading === reading) this.#reading = undefined;
    void reading.follower?.stop();
    reading.goOn?.();
    for (const lane of this.#lanes.values()) lane.settle(false);
  }
}
