/**
 * One reader of a stream for many followers, each of one subject of it: what two thousand lanes wait for comes by one
 * consumer, and what comes is handed to whom it is for. A follower joins and leaves as `stream-follower.ts` says.
 *
 * Y1. Whoever is added is offered every message of its subject behind `position`, in order; of what is before it, none.
 * Y2. Nobody is waited for: a follower that cannot take what it is offered keeps it, or reads by itself again.
 * Y3. Where the stream went back, the tail is over, and each of its followers finds for itself what that means to it.
 * Y4. A message behind which the tail has more says so, whoever that is for; once nothing is left, whoever got such a
 *     message is informed.
 */

import type { Msg } from 'nats';
import type { StreamDefinition } from '../contract/bus/streams.ts';
import type { Stoppable } from '../ports/bus.ts';
import type { Log } from '../ports/log.ts';
import type { Assets } from './assets.ts';
import type { Cursors } from './cursors.ts';
import type { JetStream } from './jetstream.ts';
import type { Position } from './message.ts';
import type { Past } from './past.ts';
import { Place } from './place.ts';
import { readAt } from './stored-last.ts';

export interface TailTools {
  readonly jetstream: JetStream;
  readonly assets: Assets;
  readonly cursors: Cursors;
  readonly past: Past;
  readonly log: Log;
}

export interface TailMember {
  readonly filter: string;
  offer(message: Msg, position: Position): void;
  /** Nothing of the tail is left to come. */
  reachedHead(): void;
  /** Y3 */
  tailIsOver(): void;
}

export class Tail {
  readonly #place: Place;
  readonly #cursor: Stoppable;
  readonly #members = new Map<string, Set<TailMember>>();
  /** Who was offered a message behind which there were more. */
  readonly #behind = new Set<TailMember>();
  #isOver = false;

  private constructor(place: (over: () => void) => Place, read: (tail: Tail) => Stoppable) {
    this.#place = place(() => this.end());
    this.#cursor = read(this);
  }

  /** Begins at the end of the stream. Rejects with an outage. */
  static async open(tools: TailTools, stream: StreamDefinition): Promise<Tail> {
    const { assets, cursors, jetstream, past, log } = tools;
    const filter = stream.subjects[0]!;
    const asset = assets.stream(stream);
    const { stands, last } = await jetstream.retrying(undefined, async (left) => {
      const now = await asset.look(left());
      const at = { seq: now.lastSeq };
      return { stands: now, last: now.lastSeq > 0 && (await readAt(jetstream, now.stream, at, left())) };
    });
    const from = { from: 'seq', seq: stands.lastSeq + 1 } as const;
    const placeOf = (wentBack: () => void): Place => {
      const place = new Place({ past, log, filter, from, stands, wentBack });
      // By its time it is known whether the stream is still the same there (bus/follow.F2).
      if (last) place.take(last);
      return place;
    };
    return new Tail(placeOf, (tail) =>
      cursors.open({
        stream: stream.name,
        filter,
        asset,
        start: (current) => tail.#place.resume(current),
        wanted: ({ seq }) => seq > tail.#place.taken,
        deliver: (message, position) => tail.#deliver(message, position),
        atHead: () => tail.#reachHead(),
      }),
    );
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The last message that was handed over, or that stood there when it began. */
  get position(): { readonly identity: string; readonly seq: number } {
    return { identity: this.#place.identity, seq: this.#place.taken };
  }

  add(member: TailMember): void {
    const others = this.#members.get(member.filter);
    if (others === undefined) this.#members.set(member.filter, new Set([member]));
    else others.add(member);
  }

  remove(member: TailMember): void {
    this.#behind.delete(member);
    const others = this.#members.get(member.filter);
    others?.delete(member);
    if (others?.size === 0) this.#members.delete(member.filter);
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    // It may be over before its cursor is there to be stopped.
    queueMicrotask(() => void this.#cursor.stop());
    const members = [...this.#members.values()].flatMap((some) => [...some]);
    this.#members.clear();
    this.#behind.clear();
    for (const member of members) member.tailIsOver();
  }

  #deliver(message: Msg, position: Position): void {
    this.#place.take(position);
    for (const member of this.#members.get(message.subject) ?? []) {
      if (position.pending > 0) this.#behind.add(member);
      member.offer(message, position);
    }
    if (position.pending === 0) this.#reachHead();
  }

  #reachHead(): void {
    const behind = [...this.#behind];
    this.#behind.clear();
    for (const member of behind) member.reachedHead();
  }
}

/** Tails of one connection, each for as long as anybody follows what it reads. */
export class Tails {
  readonly #tools: TailTools;
  readonly #from: number;
  readonly #open = new Map<string, { followers: number; tail: Promise<Tail> | undefined }>();

  /** One reader from so many followers on. */
  constructor(tools: TailTools, from: number) {
    this.#tools = tools;
    this.#from = from;
  }

  /** Somebody follows a subject of it; what this returns ends it. Throws where its messages have several forms. */
  enter({ name, subjects }: StreamDefinition): () => void {
    if (subjects.length !== 1) throw new TypeError(`${name} is not of one subject with wildcards`);
    const shared = this.#open.get(name) ?? { followers: 0, tail: undefined };
    shared.followers += 1;
    this.#open.set(name, shared);
    return () => {
      shared.followers -= 1;
      if (shared.followers > 0) return;
      this.#open.delete(name);
      shared.tail?.then((tail) => tail.end()).catch(() => undefined);
    };
  }

  /** The reader they share; undefined where they are few. Rejects with an outage. */
  async of(stream: StreamDefinition): Promise<Tail | undefined> {
    const shared = this.#open.get(stream.name);
    if (shared === undefined || shared.followers < this.#from) return undefined;
    shared.tail ??= Tail.open(this.#tools, stream);
    const { tail } = shared;
    const forget = (): void => {
      if (shared.tail === tail) shared.tail = undefined;
    };
    const opened = await tail.catch((error: unknown) => {
      forget();
      throw error;
    });
    if (!opened.isOver) return opened;
    forget();
    return this.of(stream);
  }
}
