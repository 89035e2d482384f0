/** One batch as one transaction: rows, gaps and what cannot be read, with the positions behind them (session.S2). */

import { CopyBytes } from './copy-bytes.ts';
import type { Dictionary } from './dictionary.ts';
import type { Received } from './inbox.ts';
import type { Partitions } from './partitions.ts';
import { nameIn, timesOf, type ValueMessage, writeSamples } from './sample-rows.ts';
import type { TableName } from './schema.ts';
import type { Session, StoredPosition } from './session.ts';
import type { EventTable } from './source.ts';
import { SchemaAltered } from './trouble.ts';

/** What one session writes with. */
export interface Writing {
  readonly session: Session;
  readonly dictionary: Dictionary;
  readonly partitions: Partitions;
  /** By stream, as they are stored. */
  readonly positions: Map<string, StoredPosition>;
}

/** Bytes that are given to the connection at once. */
const PIECE_BYTES = 64 * 1024;

/** Stores the batch; rejects where it is not known to be stored, and then the session is to be left. */
export async function store(writing: Writing, batch: readonly Received[]): Promise<number> {
  const { session, dictionary, partitions, positions } = writing;
  const values = batch.flatMap(({ content }) => (content.kind === 'values' ? [content.message] : []));
  for (const message of values) await nameIn(dictionary, message);
  await dictionary.learn();
  await partitions.ensure(everyTime(values));

  const reached = new Map(batch.map(({ stream, position }) => [stream, position]));
  await session.rows('begin');
  for (const [stream, position] of reached) await session.move(stream, positions.get(stream)!, position);
  let rows = await copied(session, 'sample_rows', samplePieces(dictionary, values));
  for (const [table, events] of eventsOf(batch)) rows += await copied(session, table, eventPieces(events));
  for (const received of batch) await storeAside(session, received);
  await session.rows('commit');

  for (const [stream, position] of reached) positions.set(stream, position);
  return rows;
}

function* everyTime(values: readonly ValueMessage[]): Generator<number> {
  for (const message of values) yield* timesOf(message);
}

function eventsOf(batch: readonly Received[]): ReadonlyMap<EventTable, readonly Uint8Array[]> {
  const events = new Map<EventTable, Uint8Array[]>();
  for (const { content } of batch) {
    if (content.kind !== 'event') continue;
    const rows = events.get(content.table);
    if (rows === undefined) events.set(content.table, [content.row]);
    else rows.push(content.row);
  }
  return events;
}

/** Pieces with the number of rows that were put into them. */
interface Pieces {
  readonly bytes: Iterable<Uint8Array>;
  readonly rows: () => number;
}

/** A trigger or rule that leaves rows out would leave them out for good. */
async function copied(session: Session, table: TableName, { bytes, rows }: Pieces): Promise<number> {
  const taken = await session.copy(table, bytes);
  if (taken !== rows())
    throw new SchemaAltered(
      `of ${rows()} rows the table ${table} took ${taken}: has it a trigger or a rule?`,
    );
  return taken;
}

function samplePieces(dictionary: Dictionary, values: readonly ValueMessage[]): Pieces {
  const bytes = new CopyBytes();
  function* pieces(): Generator<Uint8Array> {
    for (const message of values)
      for (const _ of writeSamples(bytes, dictionary, message))
        if (bytes.length >= PIECE_BYTES) yield bytes.take();
    yield bytes.end();
  }
  return { bytes: pieces(), rows: () => bytes.count };
}

function eventPieces(events: readonly Uint8Array[]): Pieces {
  const bytes = new CopyBytes();
  function* pieces(): Generator<Uint8Array> {
    for (const event of events) {
      bytes.rows(event);
      if (bytes.length >= PIECE_BYTES) yield bytes.take();
    }
    yield bytes.end();
  }
  return { bytes: pieces(), rows: () => events.length };
}

/** Gaps and messages that cannot be read: few, and each a statement. */
async function storeAside(session: Session, { stream, position, gap, content }: Received): Promise<void> {
  if (gap !== undefined)
    await session.rows(
      'insert into gaps (stream, identity, kind, first, last, after, before, detail) values ($1, $2, $3, $4, $5, $6, $7, $8)',
      [
        stream,
        position.identity,
        gap.kind,
        gap.first,
        gap.last,
        dateOf(gap.after),
        dateOf(gap.before),
        gap.detail,
      ],
    );
  if (content.kind !== 'unreadable') return;
  const { message, reason } = content;
  await session.rows(
    'insert into unreadable (stream, identity, position, subject, stored_at, reason, data) values ($1, $2, $3, $4, $5, $6, $7)',
    [
      stream,
      position.identity,
      position.position,
      message.subject,
      dateOf(message.at),
      reason.replaceAll('\0', '␀'),
      Buffer.from(message.data),
    ],
  );
}

function dateOf(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
