/**
 * Where a follower of a stream is, and where it goes on when its consumer is made again (bus/follow.F1 to F4).
 */

import { BUS_ATTEMPT_MS } from '../contract/limits/bus.ts';
import { Outage } from '../contract/outage.ts';
import type { FollowFrom } from '../ports/bus.ts';
import type { Log } from '../ports/log.ts';
import type { Standing } from './asset.ts';
import type { Start } from './cursor.ts';
import type { Past } from './past.ts';
import { CATCH_UP_MS } from './past.ts';

interface PlaceOptions {
  readonly past: Past;
  readonly log: Log;
  readonly filter: string;
  readonly from: FollowFrom;
  readonly stands: Standing;
  /** The stream does not hold any more what was taken of it. */
  readonly wentBack?: (() => void) | undefined;
}

/** How many of the messages taken last are known by their time (bus/follow.F4). */
const KNOWN_MESSAGES = 16;

interface TakenMessage {
  readonly seq: number;
  /** When it was stored. */
  readonly at: number;
}

/** Where a follower is: behind the last message it took or, before the first one, where it was to begin. */
export class Place {
  readonly #options: PlaceOptions;
  #from: FollowFrom;
  #identity: string;
  #taken: number;
  /** When the last message it took was stored; undefined before the first. */
  #takenAt: number | undefined;
  /** The messages taken last, the newest at the end. */
  #recent: TakenMessage[] = [];
  /** Whether the stream is known to have held the position. */
  #begun: boolean;
  #aheadSince: number | undefined;

  constructor(options: PlaceOptions) {
    const { from, stands } = options;
    this.#options = options;
    this.#from = from;
    this.#begun = from.from === 'now' || from.from === 'seq';
    this.#identity = stands.identity;
    this.#taken = takenBefore(from, stands.lastSeq);
  }

  /** Position of the last message handed over. */
  get taken(): number {
    return this.#taken;
  }

  /** Which stream of that name it is about. */
  get identity(): string {
    return this.#identity;
  }

  /** Before the first message is taken, the time from which on all are wanted; undefined where a position says so. */
  get since(): number | undefined {
    return this.#from.from === 'time' && !this.#begun ? this.#from.at : undefined;
  }

  take({ seq, at }: TakenMessage): void {
    this.#taken = seq;
    this.#takenAt = at;
    this.#begun = true;
    if (this.#recent.push({ seq, at }) > KNOWN_MESSAGES) this.#recent.shift();
  }

  /** Takes the next messages, and what this returns puts it back to where it is now. */
  mark(): () => void {
    const [from, taken, at, begun] = [this.#from, this.#taken, this.#takenAt, this.#begun];
    return () => {
      this.#from = from;
      this.#taken = taken;
      this.#takenAt = at;
      this.#begun = begun;
      this.#recent = this.#recent.filter(({ seq }) => seq <= taken);
    };
  }

  /** Where to go on in the stream as it stands; rejects while a copy of it may still be catching up. */
  async resume(stands: Standing): Promise<Start> {
    const { identity, lastSeq } = stands;
    if (identity !== this.#identity) this.#madeAnew(stands);
    else if (this.#begun && lastSeq < this.#taken) await this.#waitOrGiveUp(stands);
    else if (!(await this.#isSame(stands))) await this.#wasFilledAgain(stands);
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

  #madeAnew({ stream, identity }: Standing): void {
    this.#say({ stream, identity, taken: this.#taken }, 'stream was recreated: reading from its beginning');
    this.#identity = identity;
    this.#goOn(0);
  }

  async #waitOrGiveUp(stands: Standing): Promise<void> {
    const { stream, lastSeq, replicas } = stands;
    const now = performance.now();
    this.#aheadSince ??= now;
    if (replicas > 1 && now - this.#aheadSince < CATCH_UP_MS)
      throw new Outage('bus.unavailable', `${stream} has not caught up with what it had delivered`);
    const last = await this.#lastInBoth(stands);
    this.#say({ stream, lastSeq, taken: this.#taken, last: last?.seq }, 'stream lost its newest messages');
    if (last === undefined) this.#goOn(lastSeq);
    else this.#goOnBehind(last);
  }

  async #wasFilledAgain(stands: Standing): Promise<void> {
    const { stream, lastSeq } = stands;
    const last = await this.#lastInBoth(stands);
    const fields = { stream, lastSeq, taken: this.#taken, last: last?.seq };
    this.#say(fields, 'stream lost its newest messages and has new ones');
    if (last !== undefined) return this.#goOnBehind(last);
    this.#from = { from: 'time', at: (this.#takenAt ?? 0) + 1 };
    this.#goOn(0);
    this.#begun = false;
  }

  /** The newest message that was taken and stands there still (bus/follow.F4); undefined: not among those. */
  async #lastInBoth({ stream, lastSeq }: Standing): Promise<TakenMessage | undefined> {
    const { past } = this.#options;
    for (const { seq, at } of this.#recent.toReversed()) {
      // A position that holds nothing proves nothing.
      const known = { seq, at, isYoung: true } as const;
      if (seq <= lastSeq && (await past.holdsAt(stream, known, BUS_ATTEMPT_MS))) return { seq, at };
    }
    return undefined;
  }

  #goOnBehind({ seq, at }: TakenMessage): void {
    this.#taken = seq;
    this.#takenAt = at;
    this.#recent = this.#recent.filter((each) => each.seq <= seq);
  }

  #goOn(taken: number): void {
    this.#taken = taken;
    this.#takenAt = undefined;
    this.#recent = [];
  }

  #say(fields: object, what: string): void {
    const { log, past, filter, wentBack } = this.#options;
    past.lost(this.#takenAt);
    log.error({ ...fields, filter }, what);
    wentBack?.();
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
