/**
 * Followers: every message of a filter from a position on, each exactly once and in order (P2 of `ports/bus.ts`).
 *
 * F1. The position moves when a message is handed over, so a new consumer begins after it.
 * F2. Positions mean nothing in another stream of the same name: a follower that finds its stream made anew reads it
 *     from its beginning, and one whose stream lost its tail goes on at the end; both say so in the log. Only what the
 *     server says at that moment counts: a position moved back by stale knowledge would deliver messages twice.
 * F3. In a cluster a new leader may not know yet what the old one delivered: that is waited for, not taken for a loss,
 *     and what a lagging copy delivers again is passed over.
 */

import { Outage } from '../contract/outage.ts';
import type { StreamDefinition } from '../contract/subject.ts';
import type { Follower, FollowFrom, StreamMessage } from '../ports/bus.ts';
import type { Log } from '../ports/log.ts';
import type { Assets, Standing } from './assets.ts';
import type { Start } from './cursor.ts';
import type { Cursors } from './cursors.ts';
import type { JetStream } from './jetstream.ts';
import { DeliveredMessage } from './message.ts';

export interface FollowTools {
  readonly jetstream: JetStream;
  readonly assets: Assets;
  readonly cursors: Cursors;
  readonly log: Log;
}

export interface FollowRequest {
  readonly stream: StreamDefinition;
  readonly filter: string;
  readonly from: FollowFrom;
  readonly handle: (message: StreamMessage) => void | Promise<void>;
}

/** Fixes the position and begins to follow; rejects with an outage when the stream cannot be reached in time. */
export async function follow(tools: FollowTools, request: FollowRequest): Promise<Follower> {
  const { assets, cursors, jetstream } = tools;
  const { stream, handle } = request;
  const asset = assets.stream(stream);
  const stands = await jetstream.retrying(undefined, (left) => asset.look(left()));
  const place = new Place(request.from, stands, tools.log);
  const caught = caughtUpAt(stands.lastSeq);
  const cursor = cursors.open({
    stream: stream.name,
    filter: request.filter,
    asset,
    start: (current) => place.resume(current),
    wanted: ({ seq }) => seq > place.taken,
    deliver: (message, position) => {
      place.take(position.seq);
      return handle(new DeliveredMessage(message, position));
    },
    atHead: caught.resolve,
  });
  const stop = () => {
    caught.reject(new Outage('bus.unavailable', `the follower of ${request.filter} was stopped`));
    return cursor.stop();
  };
  return { caughtUp: caught.promise, stop };
}

/** Where a follower is: behind the last message it took or, before the first one, where it was told to begin. */
class Place {
  readonly #from: FollowFrom;
  readonly #log: Log;
  #created: string;
  #taken: number;
  /** Whether the stream is known to have held the position. */
  #begun: boolean;
  #aheadSince: number | undefined;

  constructor(from: FollowFrom, stands: Standing, log: Log) {
    this.#from = from;
    this.#begun = from.from === 'now';
    this.#created = stands.created;
    this.#taken = takenBefore(from, stands.lastSeq);
    this.#log = log;
  }

  /** Position of the last message handed over. */
  get taken(): number {
    return this.#taken;
  }

  take(seq: number): void {
    this.#taken = seq;
    this.#begun = true;
  }

  /** Where to go on in the stream as it stands; throws while a copy of it may still be catching up. */
  resume(stands: Standing): Start {
    const { stream, created, lastSeq } = stands;
    if (created !== this.#created) {
      this.#log.error(
        { stream, created, taken: this.#taken },
        'stream was made anew: read from its beginning',
      );
      this.#created = created;
      this.#taken = 0;
    } else if (this.#begun && lastSeq < this.#taken) this.#waitOrGiveUp(stands);
    this.#aheadSince = undefined;
    if (this.#from.from === 'time' && !this.#begun)
      return { deliver_policy: 'by_start_time', opt_start_time: new Date(this.#from.at).toISOString() };
    return { deliver_policy: 'by_start_sequence', opt_start_seq: this.#taken + 1 };
  }

  #waitOrGiveUp({ stream, lastSeq, replicas }: Standing): void {
    const now = performance.now();
    this.#aheadSince ??= now;
    if (replicas > 1 && now - this.#aheadSince < CATCH_UP_MS)
      throw new Outage('bus.unavailable', `${stream} has not caught up with what it delivered`);
    this.#log.error({ stream, lastSeq, taken: this.#taken }, 'stream lost its newest messages');
    this.#taken = lastSeq;
  }
}

/** An election and the catching up after it take some seconds; a loss may wait as long. */
const CATCH_UP_MS = 15_000;

function takenBefore(from: FollowFrom, lastSeq: number): number {
  switch (from.from) {
    case 'start':
    case 'time':
      return 0;
    case 'now':
      return lastSeq;
    case 'seq':
      return Math.max(0, from.seq - 1);
  }
}

interface Caught {
  readonly promise: Promise<number>;
  readonly resolve: () => void;
  readonly reject: (reason: Outage) => void;
}

function caughtUpAt(lastSeq: number): Caught {
  let resolve = () => {};
  let reject: (reason: Outage) => void = () => {};
  const promise = new Promise<number>((fulfil, refuse) => {
    resolve = () => fulfil(lastSeq);
    reject = refuse;
  });
  promise.catch(() => {});
  return { promise, resolve, reject };
}
