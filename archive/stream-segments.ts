/** The segments of every stream in memory: what covers a position, and what has samples of a target and a time. */

import type { EventPlace, EventQuery } from '../contract/event-query.ts';
import type { Damage, Gap, HistoryQuery, SegmentName } from '../contract/history.ts';
import type { SegmentPlace } from './segment-reader.ts';
import type { OpenedStream, Summary } from './work.ts';

export interface Contents {
  readonly segments: number;
  readonly samples: number;
  readonly bytes: number;
  /** When the bus stored the first message that is there; absent where there is none. */
  readonly begins?: number;
}

export class StreamSegments {
  readonly stream: string;
  readonly damaged: readonly Damage[];
  /** The highest position that was ever taken, in memory or in a segment. */
  taken = 0;
  /** By stream, in order of positions. */
  readonly #lists: Map<string, readonly Summary[]>;

  constructor(stream: string, opened: readonly OpenedStream[]) {
    this.stream = stream;
    this.#lists = new Map(opened.map((each) => [each.stream, each.segments]));
    this.damaged = opened.flatMap(({ damaged }) => damaged);
    this.taken = this.readFrom - 1;
  }

  get all(): Iterable<readonly [stream: string, segments: readonly Summary[]]> {
    return this.#lists;
  }

  /** Whether it knows a stream of that identity. */
  has(stream: string): boolean {
    return stream === this.stream || this.#lists.has(stream);
  }

  get contents(): Contents {
    const all = [...this.#lists.values()].flat();
    const samples = all.reduce((sum, each) => sum + each.samples, 0);
    const bytes = all.reduce((sum, each) => sum + each.bytes, 0);
    const begins = all.reduce<number | undefined>(
      (first, { received }) => Math.min(first ?? received[0], received[0]),
      undefined,
    );
    return Object.assign({ segments: all.length, samples, bytes }, begins === undefined ? {} : { begins });
  }

  get last(): number {
    return this.#own.at(-1)?.last ?? 0;
  }

  /** Behind the first segments that follow each other: where one is missing, its positions are read again. */
  get readFrom(): number {
    const [first, ...others] = this.#own;
    let next = (first?.last ?? 0) + 1;
    for (const segment of others) {
      if (segment.first !== next) break;
      next = segment.last + 1;
    }
    return next;
  }

  covers(position: number): boolean {
    return (this.#own[this.#placeOf(position)]?.last ?? 0) >= position;
  }

  /** Whether a segment begins behind `last` and not behind `position`. */
  hasBetween(last: number, position: number): boolean {
    return (this.#own[this.#placeOf(position)]?.first ?? 0) > last;
  }

  /**
   * The first positions behind those taken that no segment covers, where one begins behind them and not behind
   * `position`.
   */
  missingBefore(position: number): Gap | undefined {
    let first = this.taken + 1;
    const own = this.#own;
    for (let place = Math.max(0, this.#placeOf(first)); place < own.length; place += 1) {
      const segment = own[place]!;
      if (segment.last < first) continue;
      if (segment.first > position) return undefined;
      if (segment.first > first && this.taken > 0) {
        const from = this.before(first)?.received[1] ?? segment.received[0];
        return { first, last: segment.first - 1, from, to: segment.received[0] };
      }
      first = segment.last + 1;
    }
    return undefined;
  }

  /** The segment whose positions are the nearest before. */
  before(position: number): Summary | undefined {
    const place = this.#placeOf(position);
    const segment = this.#own[place];
    return segment !== undefined && segment.last < position ? segment : this.#own[place - 1];
  }

  add(made: Summary): void {
    this.#lists.set(this.stream, inOrder([...this.#own, made]));
  }

  /** `made` stands for `parts` from now on. */
  replace(stream: string, parts: readonly SegmentName[], made: Summary | undefined): void {
    const list = (this.#lists.get(stream) ?? []).filter(
      ({ first, last, level }) =>
        !parts.some((part) => part.first === first && part.last === last && part.level === level),
    );
    this.#lists.set(stream, made === undefined ? list : inOrder([...list, made]));
  }

  /** Segments that have samples of the target in the time, in order of positions, with the first of its times. */
  having({ target }: HistoryQuery, from: number, to: number): (SegmentPlace & { readonly from: number })[] {
    return [...this.#lists].flatMap(([stream, segments]) =>
      segments.flatMap(({ targets, first, last, level }) => {
        const times = targets[target];
        if (times === undefined || times[1] < from || times[0] >= to) return [];
        return [{ stream, first, last, level, from: times[0] }];
      }),
    );
  }

  /**
   * Segments that may have events of the question, the newest first: those of this stream, then those of earlier ones.
   * Those that are newer than the cursor are left out.
   */
  withEvents({ from, to, where }: EventQuery, before: EventPlace | undefined): SegmentPlace[] {
    const streams = [...new Set([this.stream, ...this.#lists.keys()])].sort((one, other) =>
      this.#rank(one, other),
    );
    const first = before === undefined ? 0 : streams.indexOf(before.stream);
    return streams.slice(first).flatMap((stream) =>
      (this.#lists.get(stream) ?? [])
        .filter((segment) => {
          if (stream === before?.stream && segment.first > before.position) return false;
          const times = where.target === undefined ? [segment.times] : timesOf(segment, where.target);
          return times.some(([earliest, latest]) => earliest < to && latest >= from);
        })
        .map(({ first: begins, last, level }) => ({ stream, first: begins, last, level }))
        .reverse(),
    );
  }

  /** The one that is written is the newest; identities of others are in the order of their time. */
  #rank(one: string, other: string): number {
    if (one === this.stream || other === this.stream) return one === this.stream ? -1 : 1;
    return one < other ? 1 : -1;
  }

  /** Gaps of the time in each stream, in order of positions; `waiting` are those of this one that no segment has yet. */
  gaps(from: number, to: number, waiting: readonly Gap[]): Gap[][] {
    const streams = new Map(
      [...this.#lists].map(([stream, segments]) => [stream, segments.flatMap(({ gaps }) => gaps)]),
    );
    streams.set(this.stream, [...(streams.get(this.stream) ?? []), ...waiting]);
    return [...streams.values()].map((gaps) => gaps.filter((gap) => gap.to >= from && gap.from < to));
  }

  /** Of the last segment that begins at the position or before it; -1: none does. Asked for with every message. */
  #placeOf(position: number): number {
    const own = this.#own;
    let [low, high] = [0, own.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (own[middle]!.first <= position) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  get #own(): readonly Summary[] {
    return this.#lists.get(this.stream) ?? [];
  }
}

function timesOf({ targets }: Summary, names: readonly string[]): (readonly [number, number])[] {
  return names.flatMap((name) => (Object.hasOwn(targets, name) ? [targets[name]!] : []));
}

function inOrder(segments: Summary[]): Summary[] {
  return segments.sort((one, other) => one.first - other.first);
}
