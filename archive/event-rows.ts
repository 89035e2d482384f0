/**
 * Events as rows of a file: in the order of the log, by position of the message and place in it.
 *
 * E1. Of an archived segment everything of an event is one row; columns that are absent are null.
 * E2. Which rows a question takes is decided from few columns, and the others are read where it takes one.
 */

import type { EventBatch } from '../contract/event.ts';
import type { EventKind, EventSeverity } from '../contract/event-kinds.ts';
import {
  type ArchivedEvent,
  EVENT_FILTERS,
  type EventPlace,
  type EventQuery,
} from '../contract/event-query.ts';
import type { Cells, Column } from './cells.ts';

/** A message of the log, as it is given to the archive. */
export interface EventMessage {
  readonly position: number;
  /** When the bus stored it, ms since 1970. */
  readonly storedMs: number;
  readonly batch: EventBatch;
  /** That it had on the bus (held.H1). */
  readonly bytes?: number;
}

export interface EventRow extends Omit<ArchivedEvent, 'stream'> {
  /** When the log had it, ms since 1970. */
  readonly recorded: number;
  readonly source: string;
}

const TEXTS = [
  'kind',
  'severity',
  'target',
  'subject',
  'name',
  'state',
  'by',
  'run',
  'text',
  'link',
  'source',
  'data',
] as const;
const NUMBERS = [
  { name: 'position', kind: 'count', nullable: false },
  { name: 'index', kind: 'i32', nullable: false },
  { name: 'time', kind: 'us', nullable: false },
  { name: 'recorded', kind: 'us', nullable: false },
] as const satisfies readonly Column[];
const ALWAYS: ReadonlySet<string> = new Set(['kind', 'severity', 'subject', 'text', 'source']);

export const EVENT_COLUMNS: readonly Column[] = [
  ...NUMBERS,
  ...TEXTS.map((name): Column => ({ name, kind: 'text', nullable: !ALWAYS.has(name) })),
];

/** Where each column stands. */
export const EVENT_COLUMN = Object.fromEntries(EVENT_COLUMNS.map(({ name }, n) => [name, n])) as Readonly<
  Record<(typeof TEXTS)[number] | (typeof NUMBERS)[number]['name'], number>
>;

export function rowsOfMessage({ position, storedMs, batch }: EventMessage): EventRow[] {
  return batch.events.map(({ time, ...event }, index) =>
    Object.assign({ position, index, time: Date.parse(time), recorded: storedMs }, event),
  );
}

export function eventCells(rows: readonly EventRow[]): Cells[] {
  const numbers = NUMBERS.map(({ name }) => Float64Array.from(rows, (row) => row[name]));
  return [...numbers, ...TEXTS.map((name) => rows.map((row) => row[name] ?? null))];
}

/** The rows at these places of all columns of a row group. */
export function eventRowsOf(cells: readonly Cells[], places: readonly number[]): EventRow[] {
  return places.map((place) => {
    const row: Record<string, unknown> = {};
    EVENT_COLUMNS.forEach(({ name }, column) => {
      const cell = cells[column]?.[place];
      if (cell !== null && cell !== undefined) row[name] = cell;
    });
    return row as unknown as EventRow;
  });
}

/** What decides whether a row is taken (E2). */
export function decidingColumns({ where, text }: EventQuery): number[] {
  const filters = EVENT_FILTERS.filter((name) => where[name] !== undefined).map((name) => EVENT_COLUMN[name]);
  const always = [EVENT_COLUMN.position, EVENT_COLUMN.index, EVENT_COLUMN.time];
  return [...always, ...filters, ...(text === undefined ? [] : [EVENT_COLUMN.text])];
}

type Deciding = Pick<EventRow, 'position' | 'index' | 'time' | 'text'> & {
  readonly [Name in (typeof EVENT_FILTERS)[number]]?: string | null | undefined;
};

/** Whether the question takes an event at its place; `text` of the question is in lower case. */
export function isTaken(
  { from, to, where, text }: EventQuery,
  before: Omit<EventPlace, 'stream'> | undefined,
  row: Deciding,
): boolean {
  if (row.time < from || row.time >= to || (before !== undefined && !isBefore(row, before))) return false;
  for (const name of EVENT_FILTERS) {
    const values = where[name];
    if (values !== undefined && !values.includes(row[name] ?? '')) return false;
  }
  return text === undefined || row.text.toLowerCase().includes(text);
}

export function isBefore(one: Omit<EventPlace, 'stream'>, other: Omit<EventPlace, 'stream'>): boolean {
  return one.position < other.position || (one.position === other.position && one.index < other.index);
}

/** As an answer has it. */
export function archivedEvent(stream: string, row: EventRow, { data }: EventQuery): ArchivedEvent {
  const { recorded: _recorded, source: _source, data: document, ...event } = row;
  return Object.assign({ stream }, event, {
    kind: event.kind as EventKind,
    severity: event.severity as EventSeverity,
    ...(data === true && document !== undefined && { data: document }),
  });
}
