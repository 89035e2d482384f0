/**
 * Where a follower of a stream is, and where it goes on when its consumer is made again (bus/follow.F1, bus/follow.F2,
 * bus/follow.F3).
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

/** Where a follower is: behind the last message it took or, before the first one, where it was to begin. */
export class Place {
  readonly #options: PlaceOptions;
  #from: FollowFrom;
  #identity: string;
  #taken: number;
  /** When the last message it took was stored; undefined before the first. */
  #takenAt: number | undefined;
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

  take({ seq, at }: { readonly seq: number; readonly at: number }): void {
    this.#taken = seq;
    this.#takenAt = at;
    this.#begun = true;
  }

  /** Takes the next messages, and what this returns puts it back to where it is now. */
  mark(): () => void {
    const [from, taken, at, begun] = [this.#from, this.#taken, this.#takenAt, this.#begun];
    return () => {
      this.#from = from;
      this.#taken = taken;
      this.#takenAt = at;
      this.#begun = begun;
    };
  }

  /** Where to go on in the stream as it stands; rejects while a copy of it may still be catching up. */
  async resume(stands: Standing): Promise<Start> {
    const { identity, lastSeq } = stands;
    if (identity !== this.#identity) this.#madeAnew(stands);
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

  #madeAnew({ stream, identity }: Standing): void {
    this.#say({ stream, identity, taken: this.#taken }, 'stream was recreated: reading from its beginning');
    this.#identity = identity;
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
