/**
 * What a receiver asks for again: gaps, the metadata, and what did not come although it was asked for.
 *
 * A1. A NAK fits a PDU: what is more goes into the next ones, whose scopes follow each other without a gap.
 * A2. What was asked for is asked for again when what was asked for later has come, or when nothing has come for some
 *     round trips; the wait grows while nothing comes. What never comes is not asked for faster than the NAK timer of
 *     the standard would.
 * A3. What was asked for in a NAK and came, or came anyway, is not asked for.
 */

import { type ByteRange, ByteRanges } from '../../contract/byte-ranges.ts';
import { CFDP_NAKS_OPEN } from '../../contract/limits/cfdp.ts';
import type { Nak } from './directive.ts';

/** No answer comes faster: what seems to was not the answer. */
const SHORTEST_WAIT_MS = 500;
/** A wait that doubles so often is beyond every NAK timer. */
const MOST_DOUBLINGS = 16;
/** The metadata as a segment. */
const METADATA: ByteRange = [0, 0];

interface Round {
  readonly at: number;
  /** Asked for in it and not there. */
  readonly ranges: ByteRanges;
  readonly metadata: boolean;
  /** Whether any of it was asked for before: then its answer says nothing of the round trip. */
  readonly isRepeat: boolean;
}

export interface AskingOptions {
  /** The NAK timer. */
  readonly longestMs: number;
  /** How far PDUs may overtake each other. */
  readonly overtakingMs: number;
  /** What is missing of the file. */
  readonly missing: (start: number, end: number) => ByteRange[];
}

export class Asking {
  readonly #options: AskingOptions;
  /** To be asked for in the next NAKs. */
  readonly #due = new ByteRanges();
  #metadataDue = false;
  #hasMetadata = false;
  #repeatDue = false;
  /** Asked for and not all there, the oldest first. */
  readonly #rounds: Round[] = [];
  /** Where the scope of the last NAK ended. */
  #scopeEnd = 0;
  #roundTripMs: number | undefined;
  #lastCameAt = Number.NEGATIVE_INFINITY;
  #waitsInVain = 0;

  constructor(options: AskingOptions) {
    this.#options = options;
  }

  get isDue(): boolean {
    return this.#metadataDue || this.#due.count > 0;
  }

  /** Asks for what is missing of a stretch. */
  ask(start: number, end: number): void {
    for (const [low, high] of this.#options.missing(start, end)) this.#due.add(low, high);
  }

  askMetadata(): void {
    this.#metadataDue = !this.#hasMetadata;
  }

  /** Asks for everything that is missing up to `end`, whatever was asked for before. */
  askAll(end: number): void {
    this.#repeatDue ||= this.#rounds.length > 0;
    this.#rounds.length = 0;
    this.#scopeEnd = 0;
    this.askMetadata();
    this.ask(0, end);
  }

  /** The next NAK of at most `most` segments, in a sequence up to `end`; `force` gives one without segments too. */
  take(now: number, most: number, end: number, force = false): Nak | undefined {
    if (!this.isDue && !force) return undefined;
    const metadata = this.#metadataDue;
    const ranges = this.#takeDue(metadata ? most - 1 : most);
    this.#metadataDue = false;
    if (metadata || ranges.length > 0) this.#remember(now, ranges, metadata);
    const highest = ranges.at(-1)?.[1] ?? 0;
    const to = this.isDue ? highest : Math.max(end, highest);
    const from = metadata ? 0 : Math.min(this.#scopeEnd, ranges[0]?.[0] ?? this.#scopeEnd, to);
    this.#scopeEnd = to;
    return { kind: 'nak', scope: [from, to], segments: metadata ? [METADATA, ...ranges] : ranges };
  }

  #takeDue(most: number): ByteRange[] {
    const ranges: ByteRange[] = [];
    for (let next = this.#due.first; next !== undefined && ranges.length < most; next = this.#due.first) {
      ranges.push(next);
      this.#due.remove(...next);
    }
    return ranges;
  }

  #remember(now: number, ranges: readonly ByteRange[], metadata: boolean): void {
    const isRepeat = this.#repeatDue;
    if (!this.isDue) this.#repeatDue = false;
    const last = this.#rounds.at(-1);
    if (this.#rounds.length < CFDP_NAKS_OPEN || last === undefined) {
      this.#rounds.push({ at: now, ranges: ByteRanges.from(ranges)!, metadata, isRepeat });
      return;
    }
    for (const [start, end] of ranges) last.ranges.add(start, end);
  }

  /** Notes bytes that came, were new and lie before others: the answer to what was asked for, or overtaken ones. */
  came(start: number, end: number, now: number): void {
    this.#due.remove(start, end);
    const index = this.#rounds.findIndex(({ ranges }) => ranges.overlaps(start, end));
    const round = this.#rounds[index];
    if (round === undefined) return;
    const tripMs = now - round.at;
    if (!round.isRepeat) this.#roundTripMs = Math.min(tripMs, this.#roundTripMs ?? tripMs);
    this.#lastCameAt = now;
    round.ranges.remove(start, end);
    if (round.ranges.count === 0) this.#rounds.splice(index, 1);
    const before = round.at - this.#options.overtakingMs;
    const passed = this.#rounds.findIndex(({ at }) => at >= before);
    this.#askAgain(passed === -1 ? this.#rounds.length : passed);
  }

  /** Something new came: waiting is not in vain. */
  progressed(): void {
    this.#waitsInVain = 0;
  }

  metadataCame(): void {
    this.#hasMetadata = true;
    this.#metadataDue = false;
  }

  /** How long nothing may come before what was asked for counts as lost (A2). */
  get #waitMs(): number {
    const { longestMs } = this.#options;
    const shortest = Math.max(SHORTEST_WAIT_MS, 2 * (this.#roundTripMs ?? longestMs));
    return Math.min(longestMs, shortest * 2 ** this.#waitsInVain);
  }

  /** When `lose` is due; undefined while nothing is awaited. */
  get nextDue(): number | undefined {
    const [oldest] = this.#rounds;
    return oldest && Math.max(oldest.at, this.#lastCameAt) + this.#waitMs;
  }

  /** What was asked for by when the wait for the oldest began did not come in time: it is asked for again. */
  lose(): void {
    const [oldest] = this.#rounds;
    if (oldest === undefined) return;
    const until = Math.max(oldest.at, this.#lastCameAt);
    const fresh = this.#rounds.findIndex(({ at }) => at > until);
    this.#askAgain(fresh === -1 ? this.#rounds.length : fresh);
    if (this.isDue) this.#waitsInVain = Math.min(this.#waitsInVain + 1, MOST_DOUBLINGS);
  }

  /** What is left of the oldest rounds is lost. */
  #askAgain(rounds: number): void {
    for (const { ranges, metadata } of this.#rounds.splice(0, rounds)) {
      for (const [start, end] of ranges.list()) this.ask(start, end);
      if (metadata) this.askMetadata();
      this.#repeatDue = true;
    }
  }
}
