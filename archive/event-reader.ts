/**
 * Events of segments, the newest first: run in a thread, because it blocks while it reads.
 *
 * R1. Row groups are looked through from the newest on, so many at most; where it ended is said (`next`).
 * R2. A segment that cannot be read is left out and said with its reason; the others answer (`damaged`).
 * R3. Before each segment and each row group it is looked whether anybody still waits for the answer.
 */

import type { ArchivedEvent, EventPageAsked, EventPlace, EventQuery } from '../contract/event-query.ts';
import type { Damage } from '../contract/history.ts';
import { ARCHIVE_EVENT_GROUPS } from '../contract/limits/archive.ts';
import type { Cells } from './cells.ts';
import type { GroupHead } from './chunk-index.ts';
import {
  archivedEvent,
  decidingColumns,
  EVENT_COLUMN,
  EVENT_COLUMNS,
  eventRowsOf,
  isBefore,
  isTaken,
} from './event-rows.ts';
import type { OpenedSegment } from './opened-segment.ts';
import type { ParquetInput } from './parquet-input.ts';
import { NobodyWaits, type SegmentPlace, type Waited } from './segment-reader.ts';

export interface FoundEvents {
  readonly events: ArchivedEvent[];
  /** Older ones may be there. */
  readonly next?: EventPlace;
  readonly damaged: Damage[];
}

interface Reading {
  readonly query: EventQuery;
  readonly page: EventPageAsked;
  readonly events: ArchivedEvent[];
  groups: number;
  next: EventPlace | undefined;
}

/** `segments` are the newest first, those of the stream of the cursor before others. */
export function readEvents(
  open: (place: SegmentPlace) => OpenedSegment,
  query: EventQuery,
  page: EventPageAsked,
  segments: readonly SegmentPlace[],
  waited: Waited,
): FoundEvents {
  const damaged: Damage[] = [];
  const reading: Reading = { query, page, events: [], groups: 0, next: undefined };
  for (const place of segments) {
    if (reading.next !== undefined) break;
    waited();
    try {
      readSegment(reading, place, open(place), waited);
    } catch (error) {
      if (error instanceof NobodyWaits) throw error;
      const { first, last, level } = place;
      damaged.push({ segment: { first, last, level }, reason: (error as Error).message });
    }
  }
  const { events, next } = reading;
  return { events, damaged, ...(next !== undefined && { next }) };
}

function readSegment(reading: Reading, place: SegmentPlace, segment: OpenedSegment, waited: Waited): void {
  const { from, to } = reading.query;
  for (const entry of [...segment.manifest.files].reverse()) {
    if (entry.kind !== 'events' || entry.from >= to || entry.to < from) continue;
    const input = segment.open(entry);
    try {
      for (const group of olderGroups(input, beforeIn(reading, place.stream)).reverse()) {
        if (reading.next !== undefined) return;
        if (group.from >= to || group.to < from) continue;
        waited();
        readGroup(reading, place.stream, input, group);
      }
    } finally {
      input.close();
    }
  }
}

/** Where the page begins in that stream; undefined in earlier ones, of which everything is older. */
function beforeIn({ page: { before } }: Reading, stream: string): EventPlace | undefined {
  return before?.stream === stream ? before : undefined;
}

/**
 * Groups that begin before the place: rows are in the order of the log, so few groups are looked at to find the last of
 * them, and what the pages before have looked through counts for nothing (R1).
 */
function olderGroups(input: ParquetInput, before: EventPlace | undefined): GroupHead[] {
  if (before === undefined) return [...input.groups];
  let [least, most] = [0, input.groups.length];
  while (least < most) {
    const middle = (least + most) >> 1;
    const [positions, indices] = input.read(input.groups[middle]!, [
      EVENT_COLUMN.position,
      EVENT_COLUMN.index,
    ]);
    const place = { position: positions![0] as number, index: indices![0] as number };
    if (isBefore(place, before)) least = middle + 1;
    else most = middle;
  }
  return input.groups.slice(0, least);
}

function readGroup(reading: Reading, stream: string, input: ParquetInput, group: GroupHead): void {
  const { query, page, events } = reading;
  reading.groups += 1;
  const before = beforeIn(reading, stream);
  const columns = decidingColumns(query);
  const cells: Cells[] = [];
  input.read(group, columns).forEach((each, n) => {
    cells[columns[n]!] = each;
  });
  const places: number[] = [];
  const room = page.limit - events.length;
  for (let row = group.rows - 1; row >= 0 && places.length < room; row -= 1)
    if (isTaken(query, before, decidingRow(cells, row))) places.push(row);
  if (places.length > 0) {
    const rest = EVENT_COLUMNS.map((_, n) => n).filter(
      (n) => cells[n] === undefined && (query.data === true || n !== EVENT_COLUMN.data),
    );
    input.read(group, rest).forEach((each, n) => {
      cells[rest[n]!] = each;
    });
    for (const row of eventRowsOf(cells, places)) events.push(archivedEvent(stream, row, query));
  }
  // R1
  if (events.length >= page.limit) reading.next = placeOf(events.at(-1)!);
  else if (reading.groups >= ARCHIVE_EVENT_GROUPS)
    reading.next = {
      stream,
      position: numberIn(cells, EVENT_COLUMN.position, 0),
      index: numberIn(cells, EVENT_COLUMN.index, 0),
    };
}

function decidingRow(cells: readonly Cells[], row: number) {
  const text = (column: number): string | null => (cells[column]?.[row] as string | null | undefined) ?? null;
  return {
    position: numberIn(cells, EVENT_COLUMN.position, row),
    index: numberIn(cells, EVENT_COLUMN.index, row),
    time: numberIn(cells, EVENT_COLUMN.time, row),
    text: text(EVENT_COLUMN.text) ?? '',
    kind: text(EVENT_COLUMN.kind),
    severity: text(EVENT_COLUMN.severity),
    target: text(EVENT_COLUMN.target),
    subject: text(EVENT_COLUMN.subject),
    name: text(EVENT_COLUMN.name),
    state: text(EVENT_COLUMN.state),
    by: text(EVENT_COLUMN.by),
    run: text(EVENT_COLUMN.run),
  };
}

function numberIn(cells: readonly Cells[], column: number, row: number): number {
  return (cells[column] as Float64Array)[row]!;
}

export function placeOf({ stream, position, index }: EventPlace): EventPlace {
  return { stream, position, index };
}
