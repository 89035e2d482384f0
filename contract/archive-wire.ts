/**
 * Questions about the past on the bus (ours, internal to an installation): asked as JSON at the owner of an archive,
 * answered as MessagePack, because columns are doubles with NaN and samples may be integers of 64 bits.
 *
 * A1. Both sides read without trust: what is no question is refused, what is malformed is left out. Neither throws.
 * A2. An answer has at most `HISTORY_ANSWER_BYTES`: a page of samples is cut shorter and says where the next one
 *     begins; of buckets only so many points are asked for at once (`HISTORY_ANSWER_POINTS`).
 * A3. A question has a name, with which whoever asked can end it.
 */

import { Packr } from 'msgpackr';
import type { ArchivedEvents, EventPlace, EventQuery } from './event-query.ts';
import type { Buckets, Cursor, HistoryQuery, SamplePage } from './history.ts';
import { parseJsonBytes } from './json-bytes.ts';
import { HISTORY_ANSWER_BYTES, HISTORY_CALL_BYTES } from './limits/archive.ts';
import { EVENT_FILTER_VALUES } from './limits/event.ts';
import { asObject, type Foreign, oneOf, textIn } from './reply.ts';
import { accepted, type Result, refusedAll } from './result.ts';
import { isToken } from './token.ts';

/** What an archive reads of the streams, as a connector. */
export const ARCHIVE_READERS = { values: 'archive-values', events: 'archive-events' } as const;
const SHOWN_CHARACTERS = 6;

/** The name of an archive among the connectors: there may be several. */
export function archiveConnector(archive: string): string {
  return `archive-${archive.slice(-SHOWN_CHARACTERS).toLowerCase()}`;
}

/** How far one stream is archived. */
export interface ArchivedStreamState {
  /** The identity of the stream that it reads. */
  readonly stream: string;
  /** When the bus stored the first message that it has; absent while it has none. */
  readonly begins?: number;
  /** The last position that is durable, and the last one that it has read, with when the bus stored that. */
  readonly position: number;
  readonly read: number;
  readonly readAt?: number;
  /** Messages of the stream that it has not read. */
  readonly pending: number;
  readonly segments: number;
  /** Samples, or events. */
  readonly samples: number;
  /** Of the files of its segments. */
  readonly bytes: number;
  /** Samples, or events, in memory that are no segment yet. */
  readonly waiting: number;
}

/** What the owner of an archive says of it: how it stands with the stream of values, and with others. */
export interface ArchiveState extends ArchivedStreamState {
  /** The identity of its folder. */
  readonly archive: string;
  /** The process that owns it, and since which term. */
  readonly instance: string;
  readonly epoch: number;
  /** The log of events; absent while that is not open. */
  readonly events?: ArchivedStreamState;
  /** Why nothing is written now; absent where it is. */
  readonly trouble?: string;
}

export type HistoryCall =
  | {
      readonly ask: 'samples';
      readonly id: string;
      readonly query: HistoryQuery;
      readonly cursor?: Cursor;
      readonly limit: number;
    }
  | {
      readonly ask: 'events';
      readonly id: string;
      readonly query: EventQuery;
      readonly before?: EventPlace;
      readonly limit: number;
    }
  | { readonly ask: 'buckets'; readonly id: string; readonly query: HistoryQuery; readonly points: number };

/** Why an archive gives no answer. */
export const ARCHIVE_REFUSALS = ['archive::invalid', 'archive::busy', 'archive::failed'] as const;

export type HistoryCode =
  | (typeof ARCHIVE_REFUSALS)[number]
  /** No archive is there, as far as is known. */
  | 'archive::none'
  /** Each of those that are there was asked, and none answered. */
  | 'archive::unanswered';

export interface HistoryFault<Code extends string = HistoryCode> {
  readonly code: Code;
  readonly message: string;
}

/** What questions are answered with. */
export type Retrievable = SamplePage | Buckets | ArchivedEvents;

export type ArchiveAnswer<Value extends Retrievable> = Result<
  Value,
  HistoryFault<(typeof ARCHIVE_REFUSALS)[number]>
>;

const packr = new Packr({ useRecords: false, moreTypes: true });

export function packAnswer(answer: ArchiveAnswer<Retrievable>): Uint8Array {
  return packr.pack(answer);
}

/** A page of samples, or a refusal; undefined where it is neither (A1). */
export function readSamples(bytes: Uint8Array): ArchiveAnswer<SamplePage> | undefined {
  return readAnswer(bytes, ({ samples }) => isEvery(samples, isSample));
}

/** A page of events, or a refusal; undefined where it is neither (A1). */
export function readEvents(bytes: Uint8Array): ArchiveAnswer<ArchivedEvents> | undefined {
  return readAnswer(bytes, ({ events, next }) => {
    const place = next === undefined ? undefined : asObject(next);
    return isEvery(events, isEvent) && (next === undefined || (place !== undefined && isPlace(place)));
  });
}

/** So many measures in buckets, or a refusal; undefined where it is neither (A1). */
export function readBuckets(bytes: Uint8Array, measures: number): ArchiveAnswer<Buckets> | undefined {
  return readAnswer(
    bytes,
    (value) =>
      isNumber(value.start) &&
      isNumber(value.width) &&
      isEvery(value.measures, isColumn) &&
      value.measures.length === measures,
  );
}

/** The question; undefined where it is none (A1). Whether it may be asked is the archive's matter. */
export function readCall(bytes: Uint8Array): HistoryCall | undefined {
  const call = readJson(bytes);
  const query = call && asObject(call.query);
  if (call === undefined || query === undefined || !isToken(textIn(call, 'id') ?? '')) return undefined;
  if (call.ask === 'events') return isEventCall(call, query) ? (call as unknown as HistoryCall) : undefined;
  if (!isQuery(query)) return undefined;
  if (call.ask === 'buckets' && isNumber(call.points)) return call as unknown as HistoryCall;
  if (call.ask !== 'samples' || !isNumber(call.limit)) return undefined;
  const cursor = call.cursor === undefined ? undefined : asObject(call.cursor);
  if (call.cursor !== undefined && (cursor === undefined || !isCursor(cursor))) return undefined;
  return call as unknown as HistoryCall;
}

/** What an archive says of itself; undefined where it is something else. */
export function readArchiveState(data: Uint8Array): ArchiveState | undefined {
  const state = readJson(data);
  if (state === undefined) return undefined;
  const isNumbered = [
    state.epoch,
    state.position,
    state.read,
    state.pending,
    state.segments,
    state.samples,
    state.bytes,
    state.waiting,
  ].every(isNumber);
  const isWhole =
    isToken(textIn(state, 'archive') ?? '') &&
    textIn(state, 'instance') !== undefined &&
    textIn(state, 'stream') !== undefined &&
    [state.begins, state.readAt].every((each) => each === undefined || isNumber(each)) &&
    (state.trouble === undefined || typeof state.trouble === 'string');
  return isWhole && isNumbered ? (state as unknown as ArchiveState) : undefined;
}

/** The name of the question that nobody waits for any more. */
export function readCancel(bytes: Uint8Array): string | undefined {
  const cancel = readJson(bytes);
  return cancel && textIn(cancel, 'id');
}

function readJson(bytes: Uint8Array): Foreign | undefined {
  if (bytes.length > HISTORY_CALL_BYTES) return undefined;
  try {
    return asObject(parseJsonBytes(bytes));
  } catch {
    return undefined;
  }
}

function readAnswer<Value extends Retrievable>(
  bytes: Uint8Array,
  isValue: (value: Foreign) => boolean,
): ArchiveAnswer<Value> | undefined {
  if (bytes.length > HISTORY_ANSWER_BYTES) return undefined;
  try {
    const answer = asObject(packr.unpack(bytes));
    if (answer?.ok === true) {
      const value = asObject(answer.value);
      const isWhole = value !== undefined && (hasReservations(value) || 'events' in value);
      return isWhole && hasLosses(value) && isValue(value) ? accepted(value as unknown as Value) : undefined;
    }
    const faults = answer?.ok === false ? answer.faults : undefined;
    if (!isEvery(faults, isFault) || faults.length === 0) return undefined;
    return refusedAll(faults as unknown as HistoryFault<(typeof ARCHIVE_REFUSALS)[number]>[]);
  } catch {
    return undefined;
  }
}

function isFault(fault: Foreign): boolean {
  return oneOf(fault, 'code', ARCHIVE_REFUSALS) !== undefined && textIn(fault, 'message') !== undefined;
}

function hasReservations({ thinned }: Foreign): boolean {
  return typeof thinned === 'boolean';
}

function hasLosses({ gaps, damaged }: Foreign): boolean {
  const isGap = ({ first, last, from, to }: Foreign): boolean => [first, last, from, to].every(isNumber);
  const isDamage = ({ segment, reason }: Foreign): boolean =>
    asObject(segment) !== undefined && typeof reason === 'string';
  return isEvery(gaps, isGap) && isEvery(damaged, isDamage);
}

function isSample({ measure, value, time, ground, position, link, deferred }: Foreign): boolean {
  const isTimed = [measure, time, ground, position].every(isNumber);
  return isTimed && isScalar(value) && typeof link === 'string' && typeof deferred === 'boolean';
}

function isColumn({ n, min, max, mean, first, last, value }: Foreign): boolean {
  if (!(n instanceof Float64Array) || !Array.isArray(value) || value.length !== n.length) return false;
  return [min, max, mean, first, last].every(
    (each) => each instanceof Float64Array && each.length === n.length,
  );
}

function isEvent(event: Foreign): boolean {
  const isText = ['kind', 'severity', 'subject', 'text'].every((name) => textIn(event, name) !== undefined);
  return isPlace(event) && isNumber(event.time) && isText;
}

function isPlace({ stream, position, index }: Foreign): boolean {
  return typeof stream === 'string' && isNumber(position) && isNumber(index);
}

function isEventCall(call: Foreign, { from, to, where, text, data }: Foreign): boolean {
  const filters = asObject(where);
  const isFilter = (values: unknown): boolean =>
    Array.isArray(values) &&
    values.length <= EVENT_FILTER_VALUES &&
    values.every((each) => typeof each === 'string');
  const before = call.before === undefined ? undefined : asObject(call.before);
  return (
    isNumber(call.limit) &&
    isNumber(from) &&
    isNumber(to) &&
    filters !== undefined &&
    Object.values(filters).every(isFilter) &&
    (text === undefined || typeof text === 'string') &&
    (data === undefined || typeof data === 'boolean') &&
    (call.before === undefined || (before !== undefined && isPlace(before)))
  );
}

function isQuery(query: Foreign): boolean {
  const { measures, from, to } = query;
  const isNamed =
    textIn(query, 'target') !== undefined &&
    Array.isArray(measures) &&
    measures.every((each) => typeof each === 'string');
  return (
    isNamed &&
    isNumber(from) &&
    isNumber(to) &&
    oneOf(query, 'delivery', ['realtime', 'deferred', 'all']) !== undefined
  );
}

function isCursor({ time, position, given }: Foreign): boolean {
  return [time, position, given].every(isNumber);
}

function isScalar(value: unknown): boolean {
  return value === null || ['number', 'bigint', 'string', 'boolean'].includes(typeof value);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

function isEvery(list: unknown, is: (entry: Foreign) => boolean): list is readonly Foreign[] {
  return (
    Array.isArray(list) &&
    list.every((each) => {
      const entry = asObject(each);
      return entry !== undefined && is(entry);
    })
  );
}
