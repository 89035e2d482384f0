/**
 * Followers: every message of a filter from a position on, each exactly once and in order (ports/bus.P2).
 *
 * F1. The position moves when a message is handed over, so a new consumer begins after it.
 * F2. Positions mean nothing in another stream of the same name: a follower that finds its stream recreated reads it
 *     from its beginning; one whose stream lost its tail goes on at the end; and where the end has passed its position
 *     again since, which the message there shows, behind the last one it took by time. All say so in the log and to who
 *     asked for it. Only what the server says at that moment counts: a position moved back by stale knowledge would
 *     deliver messages twice.
 * F3. In a cluster a new leader may not know yet what the old one delivered: that is waited for, not taken for a loss,
 *     and what a lagging copy delivers again is skipped.
 */

import type { StreamDefinition } from '../contract/bus/streams.ts';
import { BUS_ATTEMPT_MS } from '../contract/limits.ts';
import { Outage } from '../contract/outage.ts';
import type { Follower, FollowFrom, StreamMessage } from '../ports/bus.ts';
import type { Log } from '../ports/log.ts';
import type { Assets, Standing } from './assets.ts';
import type { Start } from './cursor.ts';
import type { Cursors } from './cursors.ts';
import type { JetStream } from './jetstream.ts';
import { DeliveredMessage } from './message.ts';
import type { Past } from './past.ts';
import { CATCH_UP_MS } from './past.ts';

export interface FollowTools {
  readonly jetstream: JetStream;
  readonly assets: Assets;
  readonly cursors: Cursors;
  readonly past: Past;
  readonly log: Log;
}

export interface FollowRequest {
  readonly stream: StreamDefinition;
  readonly filter: string;
  readonly from: FollowFrom;
  readonly handle: (message: StreamMessage) => void | Promise<void>;
  readonly wentBack?: (() => void) | undefined;
}

/** Fixes the position and begins to follow; rejects with an outage when the stream cannot be reached in time. */
export async function follow(tools: FollowTools, request: FollowRequest): Promise<Follower> {
  const { assets, cursors, jetstream } = tools;
  const { stream, handle } = request;
  const asset = assets.stream(stream);
  const stands = await jetstream.retrying(undefined, (left) => asset.look(left()));
  const place = new Place({ ...tools, request, stands });
  const caught = caughtUpAt(stands.lastSeq);
  const cursor = cursors.open({
    stream: stream.name,
    filter: request.filter,
    asset,
    start: (current) => place.resume(current),
    wanted: ({ seq }) => seq > place.taken,
    deliver: (message, position) => {
      place.take(position);
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

interface PositionOptions {
  readonly past: Past;
  readonly log: Log;
  readonly request: FollowRequest;
  readonly stands: Standing;
}

/** Where a follower is: behind the last message it took or, before the first one, where it was to begin. */
class Place {
  readonly #options: PositionOptions;
  #from: FollowFrom;
  #created: string;
  #taken: number;
  /** When the last message it took was stored; undefined before the first. */
  #takenAt: number | undefined;
  /** Whether the stream is known to have held the position. */
  #begun: boolean;
  #aheadSince: number | undefined;

  constructor(options: PositionOptions) {
    const { request, stands } = options;
    this.#options = options;
    this.#from = request.from;
    this.#begun = request.from.from === 'now' || request.from.from === 'seq';
    this.#created = stands.created;
    this.#taken = takenBefore(request.from, stands.lastSeq);
  }

  /** Position of the last message handed over. */
  get taken(): number {
    return this.#taken;
  }

  take({ seq, at }: { readonly seq: number; readonly at: number }): void {
    this.#taken = seq;
    this.#takenAt = at;
    this.#begun = true;
  }

  /** Where to go on in the stream as it stands; rejects while a copy of it may still be catching up. */
  async resume(stands: Standing): Promise<Start> {
    const { created, lastSeq } = stands;
    if (created !== this.#created) this.#madeAnew(stands);
    else if (this.#begun && lastSeq < this.#taken) this.#waitOrGiveUp(stands);
    else if (!(await this.#isSame(stands))) this.#wasFilledAgain(stands);
    this.#aheadSince = undefined;
    if (this.#from.from === 'time' && !this.#begun)
      return { deliver_policy: 'by_start_time', opt_start_time: new Date(this.#from.at).toISOString() };
    return { deliver_policy: 'by_start_sequence', opt_start_seq: this.#taken + 1 };
  }

  async #isSame({ stream }: Standing): Promise<boolean> {
    if (this.#takenAt === undefined) return true;
    const known = { seq: this.#taken, at: this.#takenAt };
    return this.#options.past.holdsAt(stream, known, BUS_ATTEMPT_MS);
  }

  #madeAnew({ stream, created }: Standing): void {
    this.#say({ stream, created, taken: this.#taken }, 'stream was recreated: reading from its beginning');
    this.#created = created;
    this.#goOn(0);
  }

  #waitOrGiveUp({ stream, lastSeq, replicas }: Standing): void {
    const now = performance.now();
    this.#aheadSince ??= now;
    if (replicas > 1 && now - this.#aheadSince < CATCH_UP_MS)
      throw new Outage('bus.unavailable', `${stream} has not caught up with what it had delivered`);
    this.#say({ stream, lastSeq, taken: this.#taken }, 'stream lost its newest messages');
    this.#goOn(lastSeq);
  }

  #wasFilledAgain({ stream, lastSeq }: Standing): void {
    const at = this.#takenAt ?? 0;
    this.#say({ stream, lastSeq, taken: this.#taken }, 'stream lost its newest messages and has new ones');
    this.#from = { from: 'time', at: at + 1 };
    this.#goOn(0);
    this.#begun = false;
  }

  #goOn(taken: number): void {
    this.#taken = taken;
    this.#takenAt = undefined;
  }

  #say(fields: object, what: string): void {
    const { log, past, request } = this.#options;
    past.lost(this.#takenAt);
    log.error({ ...fields, filter: request.filter }, what);
    request.wentBack?.();
  }
}

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
