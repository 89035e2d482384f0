/**
 * A stream, its servers and its consumers in memory, under followers and tails as they are: who comes first is drawn
 * from a seed. A server that leads may lag behind what consumers have delivered, as in a cluster after an election.
 */

import { setImmediate as turn } from 'node:timers/promises';
import type { Msg } from 'nats';
import { vi } from 'vitest';
import type { Standing } from '../../bus/asset.ts';
import type { Assets } from '../../bus/assets.ts';
import type { Reading } from '../../bus/cursor.ts';
import type { Cursors } from '../../bus/cursors.ts';
import { ApiError, apiError } from '../../bus/fault.ts';
import { follow } from '../../bus/follow.ts';
import type { FollowRequest, FollowTools } from '../../bus/follow-request.ts';
import type { JetStream } from '../../bus/jetstream.ts';
import type { Position } from '../../bus/message.ts';
import { Past } from '../../bus/past.ts';
import { Tails } from '../../bus/stream-tail.ts';
import { streams } from '../../contract/bus/streams.ts';
import type { Stoppable } from '../../ports/bus.ts';
import { seededRandom } from '../../ports/seeded-random.ts';
import { keptLog } from '../support/silent-log.ts';

interface Stored {
  readonly seq: number;
  readonly subject: string;
  readonly at: number;
}

const STREAM = streams.telecommands;
/** So large that few of them are more than a follower keeps. */
const DATA = new Uint8Array(300_000);

export class FollowingWorld {
  readonly tools: FollowTools;
  readonly log = keptLog();
  /** Messages handed over by a consumer of one subject, and by one of many. */
  readonly delivered = { alone: 0, together: 0 };
  readonly #chance: () => number;
  readonly #replicas: number;
  #stored: Stored[] = [];
  #lastSeq = 0;
  #identity = 'first';
  /** The server that leads, and how far it knows the stream. */
  #leader = 'n1';
  #knows = Number.POSITIVE_INFINITY;
  #waiting: (() => void)[] = [];
  readonly #cursors = new Set<FakeCursor>();

  constructor(seed: number, replicas: number) {
    const random = seededRandom(seed);
    this.#chance = () => random.next();
    this.#replicas = replicas;
    const asset = { name: STREAM.name, look: () => this.#answer(() => this.#standing()) };
    const jetstream = {
      ask: (verb: string, which: object) => this.#answer(() => this.#message(verb, which)),
      retrying: (_: undefined, attempt: (left: () => number) => Promise<unknown>) => attempt(() => 1_000),
    } as unknown as JetStream;
    const base = {
      jetstream,
      assets: { stream: () => asset } as unknown as Assets,
      cursors: { open: (reading: Reading) => this.#open(reading) } as unknown as Cursors,
      past: new Past(jetstream),
      log: this.log,
    };
    this.tools = { ...base, tails: new Tails(base, 2) };
  }

  chance(of: number): boolean {
    return this.#chance() < of;
  }

  upTo(most: number): number {
    return Math.floor(this.#chance() * most);
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Resolves at a moment that is drawn. */
  later(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  store(subject: string): void {
    this.#lastSeq += 1;
    this.#stored.push({ seq: this.#lastSeq, subject, at: this.#lastSeq * 10 });
    for (const cursor of this.#cursors) cursor.wake();
  }

  /** Another server leads, which knows less for some time. */
  elect(): void {
    this.#leader = this.#leader === 'n1' ? 'n2' : 'n1';
    this.#knows = this.#lastSeq - this.upTo(5);
  }

  catchUp(): void {
    this.#knows = Number.POSITIVE_INFINITY;
  }

  /** The stream is another one of that name, and empty. */
  makeAnew(): void {
    this.#stored = [];
    this.#lastSeq = 0;
    this.#identity = 'second';
    for (const cursor of this.#cursors) cursor.restart();
  }

  /** Consumers of a server are gone. */
  loseConsumers(): void {
    for (const cursor of this.#cursors) if (this.chance(0.5)) cursor.restart();
  }

  positionsOf(subject: string, from = 1): number[] {
    return this.#stored.filter((one) => one.subject === subject && one.seq >= from).map(({ seq }) => seq);
  }

  follow(request: Omit<FollowRequest, 'stream'>) {
    return follow(this.tools, { stream: STREAM, ...request });
  }

  /** One of those that wait goes on. */
  async step(): Promise<void> {
    const [next] = this.#waiting.splice(this.upTo(this.#waiting.length), 1);
    next?.();
    if (this.chance(0.05)) vi.advanceTimersByTime(400);
    await turn();
  }

  /** Until nothing waits any more, also not behind the longest pause. */
  async settle(): Promise<void> {
    let steps = 0;
    for (let calm = 0; calm < 4; calm += 1) {
      while (this.#waiting.length > 0) {
        steps += 1;
        if (steps > 100_000) throw new Error('it never comes to rest');
        await this.step();
      }
      vi.advanceTimersByTime(31_000);
      await turn();
      if (this.#waiting.length > 0) calm = 0;
    }
  }

  async #answer<Value>(make: () => Value): Promise<Value> {
    await this.later();
    const value = make();
    await this.later();
    return value;
  }

  #standing(): Standing {
    const leader = this.#replicas > 1 ? this.#leader : undefined;
    return {
      stream: STREAM.name,
      identity: this.#identity,
      lastSeq: Math.min(this.#lastSeq, this.#knows),
      messages: Math.min(this.#lastSeq, this.#knows),
      firstSeq: 1,
      firstAt: undefined,
      lastAt: undefined,
      madeAt: undefined,
      replicas: this.#replicas,
      leader,
      meanBytes: 1,
    };
  }

  #message(verb: string, which: object): object {
    if (!verb.startsWith('STREAM.MSG.GET')) throw new Error(`not asked here: ${verb}`);
    const { seq, next_by_subj, last_by_subj } = which as {
      seq?: number;
      next_by_subj?: string;
      last_by_subj?: string;
    };
    const known = this.#stored.filter((one) => one.seq <= this.#knows);
    const found =
      last_by_subj !== undefined
        ? known.filter((one) => one.subject === last_by_subj).at(-1)
        : next_by_subj !== undefined
          ? known.find((one) => one.subject === next_by_subj && one.seq >= (seq ?? 0))
          : known.find((one) => one.seq === seq);
    if (found === undefined) throw new ApiError(404, apiError.noMessage, 'no message found');
    return { message: { subject: found.subject, seq: found.seq, time: new Date(found.at).toISOString() } };
  }

  #open(reading: Reading): Stoppable {
    const isTogether = reading.filter === STREAM.subjects[0];
    const cursor: FakeCursor = new FakeCursor(reading, {
      later: () => this.later(),
      standing: () => this.#standing(),
      // What was committed is read from any server.
      next: (seq) =>
        this.#stored.find((one) => one.seq >= seq && (isTogether || one.subject === reading.filter)),
      rest: (seq) =>
        this.#stored.filter((one) => one.seq > seq && (isTogether || one.subject === reading.filter)).length,
      delivered: () => {
        this.delivered[isTogether ? 'together' : 'alone'] += 1;
      },
    });
    this.#cursors.add(cursor);
    cursor.restart();
    return {
      stop: async () => {
        this.#cursors.delete(cursor);
        cursor.stop();
      },
    };
  }
}

interface Consumers {
  readonly later: () => Promise<void>;
  readonly standing: () => Standing;
  readonly next: (seq: number) => Stored | undefined;
  readonly rest: (seq: number) => number;
  readonly delivered: () => void;
}

/** Does what `Cursor` promises: in order, none twice, none left out, the same again where its handler fails. */
class FakeCursor {
  readonly #reading: Reading;
  readonly #consumers: Consumers;
  #life = 0;
  #isStopped = false;
  #idle: (() => void) | undefined;
  /** A handler that was begun ends before the next one is called, also over a new start. */
  #handling: Promise<void> = Promise.resolve();

  constructor(reading: Reading, consumers: Consumers) {
    this.#reading = reading;
    this.#consumers = consumers;
  }

  restart(): void {
    this.#life += 1;
    this.wake();
    void this.#live(this.#life);
  }

  stop(): void {
    this.#isStopped = true;
    this.#life += 1;
    this.wake();
  }

  wake(): void {
    this.#idle?.();
    this.#idle = undefined;
  }

  async #live(life: number): Promise<void> {
    const { later, next, rest, delivered } = this.#consumers;
    const isOver = (): boolean => life !== this.#life;
    await this.#handling;
    const from = await this.#begun(isOver);
    let [seq, atHead] = [from, false];
    while (!isOver()) {
      const message = next(seq);
      if (message === undefined) {
        if (!atHead) this.#reading.atHead();
        atHead = true;
        await new Promise<void>((resolve) => {
          this.#idle = resolve;
        });
        continue;
      }
      const position = { seq: message.seq, at: message.at, delivery: 1, pending: rest(message.seq) };
      await later();
      if (isOver()) return;
      seq = message.seq + 1;
      if (!this.#reading.wanted(position)) continue;
      delivered();
      this.#handling = this.#hand(message, position);
      await this.#handling;
    }
  }

  async #begun(isOver: () => boolean): Promise<number> {
    for (;;) {
      await this.#consumers.later();
      if (isOver()) return 0;
      try {
        const start = await this.#reading.start(this.#consumers.standing());
        if (start.deliver_policy === 'by_start_sequence') return start.opt_start_seq;
        if (start.deliver_policy === 'by_start_time') return Math.ceil(Date.parse(start.opt_start_time) / 10);
        return 1;
      } catch {
        // A server that lags: asked again.
      }
    }
  }

  async #hand(message: Stored, position: Position): Promise<void> {
    const delivery = { subject: message.subject, data: DATA, reply: '' } as unknown as Msg;
    for (;;) {
      try {
        await this.#reading.deliver(delivery, position);
        return;
      } catch {
        await this.#consumers.later();
        if (this.#isStopped) return;
      }
    }
  }
}
