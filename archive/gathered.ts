/**
 * What of the stream is in memory and in no segment: kept here, and given to the thread that will write it.
 *
 * M1. A thread that has died, or has gathered something else, is given everything again before it writes.
 */

import { ARCHIVE_SET_ASIDE } from '../contract/limits/archive.ts';
import type { EventMessage } from './event-rows.ts';
import { EventTail } from './event-tail.ts';
import type { ValueMessage } from './gathering.ts';
import { type Held, heldBy, plus } from './held.ts';
import type { PartMessage } from './open-part.ts';
import type { PlatformColumns } from './platform-columns.ts';
import { failingAlone } from './set-aside.ts';
import { Tail } from './tail.ts';
import type { Workshop } from './workshop.ts';

export interface UnwritableMessage extends Pick<ValueMessage, 'position' | 'storedMs' | 'target'> {
  readonly reason: string;
}

/** One that was left out, with what it held. */
export type LeftOut = UnwritableMessage & { readonly held: Held };

export class Gathered {
  readonly tail = new Tail();
  readonly events = new EventTail();
  readonly #work: Workshop;
  /** The platforms that the thread knows, by digest. */
  readonly #described = new Map<string, PlatformColumns>();
  /** Whether the thread has gathered what is in memory (M1). */
  #given = true;

  constructor(work: Workshop) {
    this.#work = work;
  }

  get held(): Held {
    return plus(this.tail.held, this.events.held);
  }

  get isGiven(): boolean {
    return this.#given;
  }

  /** Answers how much it holds. */
  add(message: ValueMessage, platform: PlatformColumns): Held {
    const held = this.tail.add(message, platform);
    this.#give(message, platform);
    return held;
  }

  addEvents(message: EventMessage): Held {
    const held = this.events.add(message);
    this.#giveEvents(message);
    return held;
  }

  forget(first: number, last: number): void {
    this.tail.forget(first, last);
    this.events.forget(first, last);
  }

  /** The thread has not what is here (M1). */
  lost(): void {
    this.#given = false;
  }

  #give(message: ValueMessage, platform: PlatformColumns): void {
    if (!this.#given) return;
    const { digest } = platform;
    const isKnown = this.#described.get(digest) === platform;
    const added = isKnown ? { message, digest } : { message, digest, platform };
    this.#described.set(digest, platform);
    // What became of it is seen when the segment is made: the thread says how many messages it has.
    this.#work.do('add', added).catch(() => undefined);
  }

  #giveEvents(message: EventMessage): void {
    if (this.#given) this.#work.do('addEvents', message).catch(() => undefined);
  }

  /** Gives a thread that has nothing everything that is in memory, or what is up to a position. */
  giveAgain(until = Number.POSITIVE_INFINITY): void {
    if (this.#given) return;
    this.#given = true;
    this.#described.clear();
    this.#work.do('begin').catch(() => undefined);
    for (const { message, platform } of this.tail.messages)
      if (message.position <= until) this.#give(message, platform);
    for (const message of this.events.messages) if (message.position <= until) this.#giveEvents(message);
  }

  /** The messages of a part, in order of their positions. */
  within(first: number, last: number): PartMessage[] {
    const samples = this.tail
      .within(first, last)
      .map(({ message: { position, storedMs }, held }): PartMessage => ({ position, storedMs, held }));
    const events = this.events.within(first, last).map(
      ({ position, storedMs, batch, bytes }): PartMessage => ({
        position,
        storedMs,
        held: heldBy(batch.events.length, bytes),
      }),
    );
    return [...samples, ...events].sort((one, other) => one.position - other.position);
  }

  /** Takes out the messages that nobody can write (archive/archive.V7); the rest is given again without them. */
  async leaveOut(first: number, last: number): Promise<readonly LeftOut[]> {
    const samples = await this.#failing(
      this.tail.within(first, last),
      (some) => {
        const added = some.map(({ message, platform }) => ({ message, digest: platform.digest, platform }));
        return this.#work.do('probe', added);
      },
      ({ message, held }) => ({ ...message, held }),
    );
    const events = await this.#failing(
      this.events.within(first, last),
      (some) => this.#work.do('probeEvents', some),
      ({ position, storedMs, batch, bytes }) => ({
        position,
        storedMs,
        target: 'events',
        held: heldBy(batch.events.length, bytes),
      }),
    );
    return [...samples, ...events];
  }

  async #failing<Each>(
    kept: readonly Each[],
    tried: (some: readonly Each[]) => Promise<{ readonly reason?: string }>,
    about: (each: Each) => Omit<LeftOut, 'reason'>,
  ): Promise<readonly LeftOut[]> {
    const reasons = new Map<Each, string>();
    const fails = async (some: readonly Each[]): Promise<boolean> => {
      const { reason } = await tried(some);
      if (reason !== undefined && some.length === 1) reasons.set(some[0]!, reason);
      return reason !== undefined;
    };
    // A thread that dies of it is no reason to leave anything out.
    const failing = await failingAlone(kept, fails, ARCHIVE_SET_ASIDE).catch(() => []);
    return failing.map((each) => {
      const { position, storedMs, target, held } = about(each);
      this.forget(position, position);
      this.#given = false;
      return { position, storedMs, target, held, reason: reasons.get(each)! };
    });
  }
}
