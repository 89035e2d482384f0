/**
 * What comes from the stream, on its way to a segment: which positions are new, which are missing, and when a segment is
 * made of what is in memory. Knows no questions; the promises are those of the archive.
 *
 * I1. What could not be written is left alone until its time to be tried again, however full memory is, and whoever
 *     waits for room is let in by a segment alone. Who asks for a segment (`flush`) has it tried at once.
 * I2. Where messages fail together and each of them can be written (set-aside.A2), the first half of them becomes a
 *     segment, or a half of that, and then the rest.
 */

import { ARCHIVE_AGAIN_MS } from '../contract/limits/archive.ts';
import type { Clock, TimerHandle } from '../ports/clock.ts';
import { codeOf } from './error-code.ts';
import type { EventMessage } from './event-rows.ts';
import { addGap } from './gaps.ts';
import { Gathered, type UnwritableMessage } from './gathered.ts';
import type { ValueMessage } from './gathering.ts';
import { type Held, minus, plus, reaches } from './held.ts';
import { joinedPart, newPart, type OpenPart, splitPart } from './open-part.ts';
import type { Owner } from './owner.ts';
import type { PlatformColumns } from './platform-columns.ts';
import type { StreamSegments } from './stream-segments.ts';
import { GATHERED_OTHERWISE } from './work.ts';
import { ThreadEnded, type Workshop } from './workshop.ts';

export interface IntakeOptions {
  readonly work: Workshop;
  readonly streams: StreamSegments;
  readonly writing: string;
  readonly clock: Clock;
  /** Of a stream that stands in the place of another one: until when that was archived (archive/archive.V3). */
  readonly after: number | undefined;
  /** With how much a segment is made of what is in memory, and after how long. */
  readonly open: Held;
  readonly openMs: number;
  /** With how much nothing more is taken (archive/archive.V4). */
  readonly tail: Held;
  readonly log: (message: string) => void;
  readonly setAside: (message: UnwritableMessage) => void;
  readonly owner: Owner;
}

export class Intake {
  readonly gathered: Gathered;
  readonly #options: IntakeOptions;
  readonly #streams: StreamSegments;
  #open: OpenPart | undefined;
  /** That one, or the last one that was given to be written. */
  #newest: OpenPart | undefined;
  /** Up to where the next segment reaches, where all of it failed (I2). */
  #until: number | undefined;
  /** The one that is being written: its gaps are in no segment yet (archive/archive.V3). */
  #written: OpenPart | undefined;
  #sealing: Promise<boolean> = Promise.resolve(true);
  #timer: TimerHandle | undefined;
  #writesAt: number | undefined;
  #trouble: string | undefined;
  /** The last attempt failed, and the timer is that of the next one (I1). */
  #refused = false;
  readonly #waiting = new Set<() => void>();
  #closed = false;

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#streams = options.streams;
    this.gathered = new Gathered(options.work);
  }

  /** Why nothing is written at the moment; undefined where it is (archive/archive.V4). */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** When what is in memory is to be written, ms since 1970; undefined where nothing waits. */
  get writesAt(): number | undefined {
    return this.#writesAt;
  }

  /** Gaps that are in no segment yet. */
  get gaps(): OpenPart['gaps'] {
    return [this.#written, this.#open].flatMap((part) => part?.gaps ?? []);
  }

  /**
   * Takes a message; resolves when the next one may be given. One is given after the other, in order of positions from
   * `readFrom` on; what is archived already is left out (archive/archive.V2).
   */
  async append(message: ValueMessage, platform: PlatformColumns): Promise<void> {
    await this.#coverMissing(message.position);
    if (!this.#cover(message.position, message.storedMs)) return;
    // Nothing is waited for between: a part that covers a position has its message.
    await this.#taken(this.gathered.add(message, platform));
  }

  /** The same with a message of the log of events. */
  async record(message: EventMessage): Promise<void> {
    await this.#coverMissing(message.position);
    if (!this.#cover(message.position, message.storedMs)) return;
    await this.#taken(this.gathered.addEvents(message));
  }

  async #taken(held: Held): Promise<void> {
    const open = this.#open!;
    open.held = plus(open.held, held);
    if (reaches(open.held, this.#options.open)) void this.#flushUnlessRefused();
    while (reaches(this.gathered.held, this.#options.tail) && !this.#closed) {
      void this.#flushUnlessRefused();
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** Leaves out a position whose message nobody can read: it is covered, and a gap. */
  async skip(position: number, storedMs: number): Promise<void> {
    await this.#coverMissing(position);
    if (this.#cover(position, storedMs))
      addGap(this.#open!.gaps, { first: position, last: position, from: storedMs, to: storedMs });
  }

  /** Makes a segment of what is in memory; false where the disk does not take it (archive/archive.V4). */
  flush(): Promise<boolean> {
    this.#sealing = this.#sealing.then(() => this.#seal());
    return this.#sealing;
  }

  /** I1 */
  #flushUnlessRefused(): Promise<boolean> {
    const rests = (): boolean => this.#options.owner.isOut || (this.#refused && this.#timer !== undefined);
    this.#sealing = this.#sealing.then(() => (rests() ? false : this.#seal()));
    return this.#sealing;
  }

  /** Nothing is waited for any more. */
  wakeToClose(): void {
    this.#closed = true;
    this.#wake();
  }

  /** Writes what is in memory, if it can be. */
  async close(): Promise<void> {
    // A thread that has died since has to be given everything again first.
    if (!(await this.flush()) && !this.gathered.isGiven) await this.flush();
    this.#clearTimer();
  }

  /** Whether the position is new; then it is covered by what is in memory. */
  #cover(position: number, storedMs: number): boolean {
    const streams = this.#streams;
    if (position <= streams.taken || streams.covers(position)) return false;
    const before = laterOf(this.#open ?? this.#newest, streams.before(position));
    const first = before === undefined ? position : before.last + 1;
    this.#open ??= newPart(first, storedMs);
    if (before !== undefined && first < position)
      addGap(this.#open.gaps, { first, last: position - 1, from: before.received[1], to: storedMs });
    if (before === undefined && streams.taken === 0) this.#coverBeginning(position, storedMs);
    this.#extend(position, storedMs);
    return true;
  }

  /** What was there before the first message that was ever taken of the stream (archive/archive.V3). */
  #coverBeginning(position: number, storedMs: number): void {
    const { gaps } = this.#open!;
    const { after } = this.#options;
    if (after !== undefined) gaps.push({ first: 0, last: position - 1, from: after, to: storedMs });
    else if (position > 1) gaps.push({ first: 1, last: position - 1, from: 0, to: storedMs });
  }

  /** Positions between segments that the stream has no more: it gave one behind them (archive/archive.V3). */
  async #coverMissing(position: number): Promise<void> {
    while (position > this.#streams.taken) {
      await this.#writeBefore(position);
      const missing = this.#streams.missingBefore(position);
      if (missing === undefined) return;
      this.#open ??= newPart(missing.first, missing.from);
      addGap(this.#open.gaps, missing);
      this.#extend(missing.last, missing.to);
    }
  }

  /** A part does not reach over what a segment covers: it is written first. */
  async #writeBefore(position: number): Promise<void> {
    const streams = this.#streams;
    while (this.#newest !== undefined && !streams.covers(this.#newest.last) && !this.#closed) {
      if (!streams.hasBetween(this.#newest.last, position)) return;
      if (!(await this.#flushUnlessRefused()))
        await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  #extend(last: number, storedMs: number): void {
    const open = this.#open!;
    open.last = last;
    open.received[1] = storedMs;
    this.#newest = open;
    this.#streams.taken = last;
    if (this.#timer === undefined) this.#sealIn(this.#options.openMs);
  }

  async #seal(): Promise<boolean> {
    const part = this.#next();
    if (part === undefined) return true;
    this.#clearTimer();
    const { work, writing, owner } = this.#options;
    const { first, last, received, gaps } = part;
    this.#written = part;
    try {
      const { messages } = this.#until === undefined ? this.gathered.held : part.held;
      const { stream } = this.#streams;
      const given = { writing, stream, first, last, received, gaps, messages };
      const summary = await work.do('seal', given);
      this.#streams.add(summary);
      this.#written = undefined;
      this.gathered.forget(first, last);
      this.#trouble = undefined;
      this.#refused = false;
      this.#wake();
      if (this.#until === undefined) return true;
    } catch (error) {
      this.#refused = true;
      this.#written = undefined;
      this.#open = joinedPart(part, this.#open);
      this.#newest = this.#open;
      if (error instanceof ThreadEnded || codeOf(error) === GATHERED_OTHERWISE) this.gathered.lost();
      this.#say(error as Error);
      if (owner.isShutOutBy(error)) return false;
      if (this.gathered.isGiven && codeOf(error) === undefined) await this.#withoutFault(part);
      this.#sealIn(this.gathered.isGiven ? ARCHIVE_AGAIN_MS : 0);
      return false;
    }
    // I2: the rest has been given to no thread.
    this.#until = undefined;
    this.gathered.lost();
    return this.#seal();
  }

  /** Takes what is to be written next out of what is open, and gives the thread what it has not (I2). */
  #next(): OpenPart | undefined {
    const open = this.#open;
    if (open === undefined) return undefined;
    this.#open = undefined;
    if (this.#until === undefined) {
      this.gathered.giveAgain();
      return open;
    }
    const [head, rest] = splitPart(open, this.#until, this.gathered.within(open.first, open.last));
    this.#open = rest;
    this.#newest = rest;
    this.gathered.lost();
    this.gathered.giveAgain(this.#until);
    return head;
  }

  /** What is to be written without those that are at fault; where nobody is, fewer at once (I2). */
  async #withoutFault(part: OpenPart): Promise<void> {
    if (await this.#setAside(part)) return;
    const messages = this.gathered.within(part.first, part.last);
    if (messages.length < 2) return;
    this.#until = messages[(messages.length >> 1) - 1]!.position;
    this.gathered.lost();
  }

  /** Whether some were left out (archive/archive.V7). */
  async #setAside({ first, last }: OpenPart): Promise<boolean> {
    const leftOut = await this.gathered.leaveOut(first, last);
    const open = this.#open!;
    for (const { held, ...message } of leftOut) {
      const { position, storedMs } = message;
      addGap(open.gaps, { first: position, last: position, from: storedMs, to: storedMs });
      open.held = minus(open.held, held);
      this.#options.setAside(message);
    }
    return leftOut.length > 0;
  }

  #say({ message }: Error): void {
    if (this.#trouble !== message) this.#options.log(`archive: nothing is written: ${message}`);
    this.#trouble = message;
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  #sealIn(ms: number): void {
    this.#clearTimer();
    if (this.#closed || this.#options.owner.isOut) return;
    const { clock } = this.#options;
    this.#writesAt = clock.now() + ms;
    this.#timer = clock.setTimeout(() => {
      this.#timer = undefined;
      void this.flush();
    }, ms);
  }

  #clearTimer(): void {
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writesAt = undefined;
  }
}

interface Before {
  readonly last: number;
  readonly received: readonly [number, number];
}

/** What comes right before a position: the one that ends later. */
function laterOf(one: Before | undefined, other: Before | undefined): Before | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one.last > other.last ? one : other;
}
