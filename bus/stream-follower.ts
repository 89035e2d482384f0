/**
 * A follower while it lives: by a consumer of its own, or by the tail that it shares with others of its stream.
 *
 * G1. Exactly once and in order whichever way a message comes (ports/bus.P2): what was taken is known by its position.
 * G2. It joins the tail where it has taken all that is before the tail. It is added first and keeps what it is offered;
 *     then the bus is asked for what it has not taken. Nothing, or something behind the tail: the rest comes by the
 *     tail. Something before it: it goes on by itself and asks again later.
 * G3. In a cluster a new leader may not know yet what the one before had delivered: its answer counts where the same
 *     one led before and behind it and reaches as far as the tail.
 * G4. What it cannot take at once is kept, so much of it; with more, and where its handler fails, it reads by itself
 *     again from what it has taken, and what the tail had for it comes from there.
 */

import type { Msg } from 'nats';
import { TAIL_KEPT_BYTES, TAIL_KEPT_MESSAGES } from '../contract/limits/archive.ts';
import { BUS_ATTEMPT_MS } from '../contract/limits/bus.ts';
import type { Stoppable } from '../ports/bus.ts';
import type { AssetHandle, Standing } from './asset.ts';
import type { FollowRequest, FollowTools } from './follow-request.ts';
import { DeliveredMessage, type Position } from './message.ts';
import type { Place } from './place.ts';
import { readAt, readLast } from './stored-last.ts';
import type { Tail, TailMember } from './stream-tail.ts';

interface Offered {
  readonly message: Msg;
  readonly position: Position;
}

const JOIN_FIRST_MS = 500;
const JOIN_LONGEST_MS = 30_000;

export class StreamFollower implements TailMember {
  readonly filter: string;
  readonly #tools: FollowTools;
  readonly #request: FollowRequest;
  readonly #asset: AssetHandle;
  readonly #place: Place;
  readonly #caughtUp: () => void;
  readonly #leaveTails: (() => void) | undefined;
  #own: Stoppable | undefined;
  /** The tail it is a member of, or is about to be. */
  #tail: Tail | undefined;
  #isJoining = false;
  #isJoined = false;
  #kept: Offered[] = [];
  #keptBytes = 0;
  /** Its handler has a message. */
  #busy = false;
  /** The last message handed over said that more is to come. */
  #saidMore = false;
  #isTailAtHead = false;
  #joinDelay = JOIN_FIRST_MS;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(tools: FollowTools, request: FollowRequest, place: Place, caughtUp: () => void) {
    const { stream, filter, together } = request;
    this.filter = filter;
    this.#tools = tools;
    this.#request = request;
    this.#place = place;
    this.#caughtUp = caughtUp;
    this.#asset = tools.assets.stream(stream);
    this.#leaveTails = together ? tools.tails.enter(stream) : undefined;
  }

  async begin(): Promise<void> {
    if (await this.#join('first')) this.#caughtUp();
    else this.#readAlone();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#leave();
    void this.#own?.stop();
    this.#leaveTails?.();
  }

  // By itself ---------------------------------------------------------------------------------------------------------

  #readAlone(): void {
    if (this.#stopped || this.#own !== undefined) return;
    const { cursors } = this.#tools;
    const place = this.#place;
    this.#own = cursors.open({
      stream: this.#asset.name,
      filter: this.filter,
      asset: this.#asset,
      start: (current) => place.resume(current),
      wanted: ({ seq }) => seq > place.taken,
      deliver: (message, position) => {
        place.take(position);
        return this.#handle(message, position);
      },
      atHead: () => {
        this.#caughtUp();
        this.#sayAtHead();
        this.#joinLater(0);
      },
    });
  }

  /** What fails is handed over again: until that is done its handler has it. */
  #handle(message: Msg, position: Position): void | Promise<void> {
    this.#saidMore = position.pending > 0;
    // Only who may join has to know.
    if (!this.#request.together) return this.#request.handle(new DeliveredMessage(message, position));
    this.#busy = true;
    const taking = this.#request.handle(new DeliveredMessage(message, position));
    if (taking !== undefined) return taking.then(() => this.#idle());
    this.#idle();
  }

  #idle(): void {
    this.#busy = false;
  }

  #sayAtHead(): void {
    if (!this.#saidMore) return;
    this.#saidMore = false;
    this.#request.atHead?.();
  }

  // Joining -----------------------------------------------------------------------------------------------------------

  #joinLater(ms: number): void {
    if (!this.#request.together || this.#stopped || this.#isJoined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      void this.#join('again').then((joined) => {
        if (joined) {
          this.#joinDelay = JOIN_FIRST_MS;
          return;
        }
        this.#joinDelay = Math.min(2 * this.#joinDelay, JOIN_LONGEST_MS);
        this.#joinLater(this.#joinDelay * (0.5 + Math.random() / 2));
      });
    }, ms);
    this.#timer.unref();
  }

  /** G2; whether it has joined. */
  async #join(when: 'first' | 'again'): Promise<boolean> {
    if (!this.#request.together || this.#isJoining || this.#isJoined) return false;
    this.#isJoining = true;
    try {
      return await this.#tryToJoin(when);
    } finally {
      this.#isJoining = false;
    }
  }

  async #tryToJoin(when: 'first' | 'again'): Promise<boolean> {
    const { stream } = this.#request;
    const tail = await this.#tools.tails.of(stream).catch(() => undefined);
    if (tail === undefined || this.#stopped || tail.isOver) return false;
    const { position } = tail;
    this.#tail = tail;
    tail.add(this);
    const may = await this.#hasTakenAllBefore(position, when).catch(() => false);
    // It may have been left meanwhile: the tail is over, or had more than can be kept.
    const isMember = this.#tail === tail;
    if (!may || !isMember || this.#stopped || this.#busy) {
      if (isMember) this.#leave();
      return false;
    }
    void this.#own?.stop();
    this.#own = undefined;
    this.#isJoined = true;
    this.#takeKept();
    return true;
  }

  /** G3 */
  async #hasTakenAllBefore({ identity, seq }: Tail['position'], when: 'first' | 'again'): Promise<boolean> {
    const before = await this.#asset.look(BUS_ATTEMPT_MS);
    if (before.identity !== identity || this.#place.identity !== identity || before.lastSeq < seq)
      return false;
    const next = await this.#nextSeq();
    // Who has just begun has not caught up before what stands there is handled.
    if (next !== undefined && (when === 'first' || next <= seq)) return false;
    return before.replicas === 1 || isSame(before, await this.#asset.look(BUS_ATTEMPT_MS));
  }

  /** Position of a message that is not taken; undefined where there is none. */
  async #nextSeq(): Promise<number | undefined> {
    const { jetstream } = this.#tools;
    const { since, taken } = this.#place;
    const stream = this.#asset.name;
    if (since === undefined) {
      const which = { seq: taken + 1, next_by_subj: this.filter };
      return (await readAt(jetstream, stream, which, BUS_ATTEMPT_MS))?.seq;
    }
    const last = await readLast(jetstream, { stream, subject: this.filter, timeoutMs: () => BUS_ATTEMPT_MS });
    return last !== undefined && last.at >= since ? 0 : undefined;
  }

  // By the tail -------------------------------------------------------------------------------------------------------

  offer(message: Msg, position: Position): void {
    if (position.pending > 0) this.#isTailAtHead = false;
    if (this.#isJoined && !this.#busy && this.#kept.length === 0) return this.#take(message, position);
    this.#kept.push({ message, position });
    this.#keptBytes += message.data.length;
    if (this.#kept.length > TAIL_KEPT_MESSAGES || this.#keptBytes > TAIL_KEPT_BYTES) this.#goAlone();
  }

  reachedHead(): void {
    this.#isTailAtHead = true;
    this.#whenIdle();
  }

  tailIsOver(): void {
    this.#goAlone();
  }

  #takeKept(): void {
    while (this.#isJoined && !this.#busy) {
      const next = this.#kept.shift();
      if (next === undefined) break;
      this.#keptBytes -= next.message.data.length;
      const pending = Math.max(next.position.pending, this.#kept.length);
      this.#take(next.message, { ...next.position, pending });
    }
    this.#whenIdle();
  }

  #take(message: Msg, position: Position): void {
    const place = this.#place;
    // While it was joining it may have come the other way; and it may begin later than now by the clock of the server.
    if (position.seq <= place.taken || position.at < (place.since ?? 0)) return;
    const back = place.mark();
    place.take(position);
    try {
      this.#handle(message, position)?.then(
        () => this.#handled(),
        (error: unknown) => this.#failed(error, back),
      );
    } catch (error) {
      this.#failed(error, back);
    }
  }

  #handled(): void {
    if (this.#stopped) return;
    if (this.#isJoined) this.#takeKept();
    else this.#readAlone();
  }

  /** G4: the cursor of its own hands the same message over again, later each time. */
  #failed(error: unknown, back: () => void): void {
    this.#tools.log.error({ err: error, filter: this.filter }, 'handler of a message failed');
    back();
    this.#idle();
    this.#goAlone();
    this.#readAlone();
  }

  #whenIdle(): void {
    if (!this.#isJoined || this.#busy || this.#kept.length > 0 || !this.#isTailAtHead) return;
    this.#sayAtHead();
  }

  /** Reads by itself again, once its handler has nothing. */
  #goAlone(): void {
    const wasJoined = this.#isJoined;
    this.#leave();
    if (wasJoined && !this.#busy) this.#readAlone();
  }

  #leave(): void {
    this.#tail?.remove(this);
    this.#tail = undefined;
    this.#isJoined = false;
    this.#isTailAtHead = false;
    this.#kept = [];
    this.#keptBytes = 0;
  }
}

function isSame(one: Standing, other: Standing): boolean {
  return one.leader !== undefined && one.leader === other.leader && one.identity === other.identity;
}
