/**
 * What comes from the stream, on its way to a segment: which positions are new, which are missing, and when a segment is
 * made of what is in memory. Knows no questions; the promises are those of the archive.
 */

import { ARCHIVE_AGAIN_MS, ARCHIVE_OPEN_MESSAGES } from '../contract/limits/archive.ts';
import type { Clock, TimerHandle } from '../ports/clock.ts';
import { codeOf } from './error-code.ts';
import type { EventMessage } from './event-rows.ts';
import { Gathered, type UnwritableMessage } from './gathered.ts';
import type { ValueMessage } from './gathering.ts';
import { joinedPart, newPart, type OpenPart } from './open-part.ts';
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
  readonly openSamples: number;
  readonly openMs: number;
  readonly tailSamples: number;
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
  /** The one that is being written: its gaps are in no segment yet (archive/archive.V3). */
  #written: OpenPart | undefined;
  #sealing: Promise<boolean> = Promise.resolve(true);
  #timer: TimerHandle | undefined;
  #writesAt: number | undefined;
  #trouble: string | undefined;
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

  async #taken(samples: number): Promise<void> {
    const open = this.#open!;
    open.messages += 1;
    open.samples += samples;
    if (open.samples >= this.#options.openSamples || open.messages >= ARCHIVE_OPEN_MESSAGES)
      void this.flush();
    while (this.gathered.samples >= this.#options.tailSamples && !this.#closed) {
      void this.flush();
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** Leaves out a position whose message nobody can read: it is covered, and a gap. */
  async skip(position: number, storedMs: number): Promise<void> {
    await this.#coverMissing(position);
    if (this.#cover(position, storedMs))
      this.#open!.gaps.push({ first: position, last: position, from: storedMs, to: storedMs });
  }

  /** Makes a segment of what is in memory; false where the disk does not take it (archive/archive.V4). */
  flush(): Promise<boolean> {
    this.#sealing = this.#sealing.then(() => this.#seal());
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
      this.#open.gaps.push({ first, last: position - 1, from: before.received[1], to: storedMs });
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
      this.#open.gaps.push(missing);
      this.#extend(missing.last, missing.to);
    }
  }

  /** A part does not reach over what a segment covers: it is written first. */
  async #writeBefore(position: number): Promise<void> {
    const streams = this.#streams;
    while (this.#newest !== undefined && !streams.covers(this.#newest.last) && !this.#closed) {
      if (!streams.hasBetween(this.#newest.last, position)) return;
      if (!(await this.flush())) await new Promise<void>((resolve) => this.#waiting.add(resolve));
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
    const part = this.#open;
    if (part === undefined) return true;
    this.#clearTimer();
    this.gathered.giveAgain();
    const { work, writing, owner } = this.#options;
    const { first, last, received, gaps } = part;
    this.#open = undefined;
    this.#written = part;
    try {
      const { messages } = this.gathered;
      const { stream } = this.#streams;
      const given = { writing, stream, first, last, received, gaps, messages };
      const summary = await work.do('seal', given);
      this.#streams.add(summary);
      this.#written = undefined;
      this.gathered.forget(first, last);
      this.#trouble = undefined;
      this.#wake();
      return true;
    } catch (error) {
      this.#written = undefined;
      this.#open = joinedPart(part, this.#open);
      this.#newest = this.#open;
      if (error instanceof ThreadEnded || codeOf(error) === GATHERED_OTHERWISE) this.gathered.lost();
      this.#say(error as Error);
      if (owner.isShutOutBy(error)) return false;
      if (this.gathered.isGiven && codeOf(error) === undefined) await this.#setAside(part);
      this.#sealIn(this.gathered.isGiven ? ARCHIVE_AGAIN_MS : 0);
      return false;
    }
  }

  /** archive/archive.V7 */
  async #setAside({ first, last }: OpenPart): Promise<void> {
    const leftOut = await this.gathered.leaveOut(first, last);
    const open = this.#open!;
    for (const { samples, ...message } of leftOut) {
      const { position, storedMs } = message;
      open.gaps.push({ first: position, last: position, from: storedMs, to: storedMs });
      open.messages -= 1;
      open.samples -= samples;
      this.#options.setAside(message);
    }
  }

  #say({ message }: Error): void {
    if (this.#trouble !== message) this.#options.log(`archive: nothing is written: ${message}`);
    this.#trouble = message;
    this.#wake();
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
