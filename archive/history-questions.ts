/**
 * Questions to segments and memory, answered as one (archive/archive.V5).
 *
 * Q1. Which segments there are and what is in memory is taken in one step, before anything is waited for.
 * Q2. So many questions wait at most; one more is refused.
 * Q3. What is in memory is looked at in slices of some milliseconds, whether it is of the question or not: it may be
 *     millions of samples.
 */

import type { ArchivedEvent, ArchivedEvents, EventPageAsked, EventQuery } from '../contract/event-query.ts';
import type {
  Buckets,
  Cursor,
  Damage,
  Gap,
  HistoryQuery,
  Reservations,
  SamplePage,
} from '../contract/history.ts';
import { HISTORY_GAPS, HISTORY_WAITING } from '../contract/limits/archive.ts';
import { bucketColumn, type ColumnSums, emptySums, mergeSums } from './bucket-sums.ts';
import { joinedEvents } from './event-pages.ts';
import type { EventTail } from './event-tail.ts';
import { boundedGaps } from './gaps.ts';
import { checkedQuery, gridOf, pageFault, pointsFault } from './history-query.ts';
import { collectLong, sumLong } from './long-samples.ts';
import { eachRow } from './pieces.ts';
import { SampleCollector } from './sample-collector.ts';
import type { SegmentPlace } from './segment-reader.ts';
import type { StreamSegments } from './stream-segments.ts';
import type { Tail } from './tail.ts';
import type { Workshop } from './workshop.ts';

/** A question that is refused because too many wait (Q2). */
export class TooManyQuestions extends Error {
  override readonly name = 'TooManyQuestions';
}

export class Questions {
  readonly #work: Workshop;
  readonly #streams: StreamSegments;
  readonly #tail: Tail;
  readonly #events: EventTail;
  readonly #waitingGaps: () => readonly Gap[];
  readonly #asked = new Set<Promise<unknown>>();

  /** `waitingGaps` are those that no segment has yet. */
  constructor(
    work: Workshop,
    streams: StreamSegments,
    tails: { readonly samples: Tail; readonly events: EventTail },
    waitingGaps: () => readonly Gap[],
  ) {
    this.#work = work;
    this.#streams = streams;
    this.#tail = tails.samples;
    this.#events = tails.events;
    this.#waitingGaps = waitingGaps;
  }

  async samples(
    query: HistoryQuery,
    { cursor, limit }: { readonly cursor?: Cursor; readonly limit: number },
    signal: AbortSignal | undefined,
  ): Promise<SamplePage> {
    refuse(query, pageFault(limit));
    const from = Math.max(query.from, cursor?.time ?? query.from);
    const segments = this.#streams.having(query, from, query.to);
    const collector = new SampleCollector(cursor, limit);
    const newest = this.#tail.pieces({ ...query, from });
    const found = await this.#waitFor(() => {
      const places = [...segments].sort((one, other) => one.from - other.from);
      return this.#work.ask('samples', signal, query, { cursor, limit }, places);
    }, segments);
    for (const sample of found?.samples ?? []) collector.add(sample);
    await eachRow(newest, signal, (row) => collectLong(collector, query, row));
    const reservations = this.#reservations(query.from, query.to, segments, found?.damaged);
    return Object.assign(reservations, collector.page());
  }

  async buckets(query: HistoryQuery, points: number, signal: AbortSignal | undefined): Promise<Buckets> {
    refuse(query, pointsFault(query, points));
    const grid = gridOf(query, points);
    const { start, width, count } = grid;
    const [from, to] = [start, start + count * width];
    const segments = this.#streams.having(query, from, to);
    const pieces = this.#tail.pieces({ ...query, from, to });
    const found = await this.#waitFor(
      () => this.#work.ask('buckets', signal, query, grid, segments),
      segments,
    );
    const newest = query.measures.map(() => emptySums(grid));
    await eachRow(pieces, signal, (row) => sumLong(newest, grid, query, row));
    const merged = (sums: ColumnSums, measure: number): ColumnSums =>
      found === undefined ? sums : mergeSums(found.sums[measure]!, sums);
    const measures = newest.map((sums, measure) => bucketColumn(merged(sums, measure)));
    return Object.assign(this.#reservations(from, to, segments, found?.damaged), { start, width, measures });
  }

  /** A page of the log, the newest first. */
  async events(
    query: EventQuery,
    page: EventPageAsked,
    signal: AbortSignal | undefined,
  ): Promise<ArchivedEvents> {
    const { from, to, text } = query;
    const asked: EventQuery = text === undefined ? query : { ...query, text: text.toLowerCase() };
    if (page.before !== undefined && !this.#streams.has(page.before.stream))
      throw new RangeError('the cursor is of another archive, or of what is not kept any more');
    const segments = this.#streams.withEvents(asked, page.before);
    const pieces = this.#events.pieces(this.#streams.stream, asked, page);
    const found = await this.#waitFor(
      () => this.#work.ask('events', signal, asked, page, segments),
      segments,
    );
    const newest: ArchivedEvent[] = [];
    await eachRow(pieces, signal, (event) => newest.push(event));
    const { gaps, damaged } = this.#reservations(from, to, segments, found?.damaged);
    return Object.assign({ gaps, damaged }, joinedEvents(newest, found, page.limit));
  }

  /** Resolves when every question asked so far has its answer. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#asked]);
  }

  async #waitFor<Answer>(
    ask: () => Promise<Answer>,
    segments: readonly SegmentPlace[],
  ): Promise<Answer | undefined> {
    if (segments.length === 0) return undefined;
    if (this.#asked.size >= HISTORY_WAITING)
      throw new TooManyQuestions(`${HISTORY_WAITING} questions about the past wait already; ask again later`);
    const answer = ask();
    this.#asked.add(answer);
    try {
      return await answer;
    } finally {
      this.#asked.delete(answer);
    }
  }

  #reservations(
    from: number,
    to: number,
    segments: readonly SegmentPlace[],
    damaged: readonly Damage[] = [],
  ): Reservations {
    const gaps = boundedGaps(this.#streams.gaps(from, to, this.#waitingGaps()), HISTORY_GAPS);
    const thinned = segments.some(({ level }) => level === 'minutes');
    return { gaps, damaged: [...this.#streams.damaged, ...damaged], thinned };
  }
}

/** Whoever asks does not choose the cost: the answer of a route says it first (contract/history.H3). */
function refuse(query: HistoryQuery, fault: string | undefined): void {
  const checked = checkedQuery(query);
  const faults = [...(checked.ok ? [] : checked.faults), ...(fault === undefined ? [] : [fault])];
  if (faults.length > 0) throw new RangeError(faults.join('; '));
}
