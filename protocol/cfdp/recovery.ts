/**
 * When a receiver in acknowledged mode asks for what it lacks: gaps as they are seen, everything behind the end of the
 * file, and again while nothing comes. CCSDS 727.0-B-5, section 4.6.4.
 *
 * Y1. A gap is asked for once it has stood for the time that PDUs may overtake each other, and not twice as long.
 * Y2. Behind EOF everything that is missing is asked for, and again at each NAK timer without a new byte; so many of
 *     them are a fault. Before EOF they are none: nobody knows yet what the sender has left to say.
 */

import { Asking } from './asking.ts';
import { type Nak, nakBytes } from './directive.ts';
import type { ReceivedFile } from './received-file.ts';
import type { RunningTime } from './running-time.ts';
import type { CfdpSettings } from './settings.ts';

export interface RecoveryOptions {
  readonly settings: CfdpSettings;
  readonly large: boolean;
  /** Octets of a directive that fits a PDU. */
  readonly room: number;
  readonly file: ReceivedFile;
  readonly time: RunningTime;
}

export class Recovery {
  readonly #settings: CfdpSettings;
  readonly #file: ReceivedFile;
  readonly #time: RunningTime;
  readonly #asking: Asking;
  readonly #segmentsPerNak: number;
  #hasMetadata = false;
  #size: number | undefined;
  /** Gaps from `from` to `to` are asked for at the deadline, those up to `later` behind it (Y1). */
  #gaps = { from: 0, to: 0, later: 0 };
  #inVain = 0;

  constructor({ settings, large, room, file, time }: RecoveryOptions) {
    this.#settings = settings;
    this.#file = file;
    this.#time = time;
    const { fixed, segment } = nakBytes(large);
    this.#segmentsPerNak = Math.max(1, Math.floor((room - fixed) / segment));
    this.#asking = new Asking({
      longestMs: settings.nakMs,
      overtakingMs: settings.gapMs,
      missing: (start, end) => file.ranges.missing(start, end),
    });
  }

  get #asksAtOnce(): boolean {
    return this.#settings.naks === 'immediate';
  }

  /** Where the scope of a NAK ends. */
  get #known(): number {
    return this.#size ?? this.#file.ranges.end;
  }

  metadataCame(now: number): void {
    this.#hasMetadata = true;
    this.#time.clear('metadata');
    this.#asking.metadataCame();
    this.#progressed(now);
  }

  /** New bytes came; the last one before them was before `before`. */
  bytesCame(start: number, end: number, before: number, now: number): void {
    if (start < before) this.#asking.came(start, end, this.#time.at(now));
    else if (start > before) this.#noteGap(before, start, now);
    this.#progressed(now);
  }

  /** Something of the file came while its metadata is missing. */
  awaitMetadata(now: number): void {
    if (this.#asksAtOnce && !this.#hasMetadata) this.#time.ensure('metadata', now, this.#settings.gapMs);
  }

  #progressed(now: number): void {
    this.#inVain = 0;
    this.#asking.progressed();
    this.#time.set('nak', now, this.#settings.nakMs);
  }

  #noteGap(start: number, end: number, now: number): void {
    if (!this.#asksAtOnce || this.#size !== undefined) return;
    this.#gaps.later = end;
    if (this.#gaps.to > this.#gaps.from) return;
    this.#gaps = { from: start, to: end, later: end };
    this.#time.set('gap', now, this.#settings.gapMs);
  }

  #askForGaps(now: number): void {
    const { from, to, later } = this.#gaps;
    this.#asking.ask(from, to);
    this.#gaps = { from: to, to: later, later };
    if (later > to) this.#time.set('gap', now, this.#settings.gapMs);
  }

  /** The file ends there. */
  endCame(size: number, now: number): void {
    this.#size = size;
    this.#time.clear('gap', 'metadata');
    this.askAll(now);
  }

  askAll(now: number): void {
    this.#asking.askAll(this.#known);
    this.#time.set('nak', now, this.#settings.nakMs);
  }

  /** Time runs again: what was asked for is lost. */
  afterStop(now: number): void {
    if (this.#size !== undefined || this.#asksAtOnce) this.askAll(now);
  }

  /** Waits on after a fault. */
  again(now: number): void {
    this.#inVain = 0;
    this.askAll(now);
  }

  /** The next NAK; one without segments where it is asked for. */
  take(now: number, force: boolean): Nak | undefined {
    return this.#asking.take(this.#time.at(now), this.#segmentsPerNak, this.#known, force);
  }

  get nextDue(): number | undefined {
    const due = this.#time.running ? this.#asking.nextDue : undefined;
    return due && this.#time.wall(due);
  }

  /** Whether what is missing is given up (Y2). */
  isInVain(now: number): boolean {
    if (this.#time.isOver('metadata', now)) this.#asking.askMetadata();
    if (this.#time.isOver('gap', now)) this.#askForGaps(now);
    const due = this.nextDue;
    if (due !== undefined && due <= now) this.#asking.lose();
    if (!this.#time.isOver('nak', now)) return false;
    if (this.#size !== undefined) this.#inVain += 1;
    if (this.#inVain >= this.#settings.nakLimit) return true;
    this.afterStop(now);
    return false;
  }
}
