/**
 * Samples of the past as an answer: a page as JSON, rows as CSV, JSON lines or Parquet, a page or all of them.
 *
 * S1. What is in memory is one page: the next one is asked for when the client has taken the rows before it. Between
 *     slices of rows the loop serves others.
 * S2. Whoever has gone is asked for nothing more: the question that is under way is given up.
 * S3. All rows of a time are sent as an answer whose length nobody knows; where the rest cannot be read it is cut, and
 *     seen to be. So it is where a segment turns out to be damaged on the way: what was sent before said nothing of it.
 *     Whoever asks for pages sees it in the headers of each.
 */

import { setImmediate } from 'node:timers/promises';
import type { Cursor, HistorySample, SamplePage } from '../../contract/history.ts';
import { HISTORY_HEADERS, HISTORY_MEDIA, type HistoryMedia } from '../../contract/history-view.ts';
import { HISTORY_PAGE, HISTORY_PIECE_BYTES, HISTORY_ROWS_SLICE } from '../../contract/limits/archive.ts';
import type { Retrieved } from '../../messaging/history-asker.ts';
import type { HistoryTable } from '../../ports/history-tables.ts';
import type { RoutePorts } from '../ports.ts';
import type { Handled, Reply } from '../reply.ts';
import { cursorText } from './cursor-text.ts';
import { mentioned, type Question } from './question.ts';
import { refusedHistory } from './refused.ts';
import { archiveOf, askedOf, measureOf, saidInHeaders, saidInTable, saidOf } from './said-beside.ts';
import { SAMPLE_HEADING, type SampleWriter, sampleCsv, sampleJson } from './sample-text.ts';

type Page = Retrieved<SamplePage>;

export interface SampleQuestion extends Question {
  readonly cursor: Cursor | undefined;
  /** Absent: all that there are, which only rows can be. */
  readonly limit: number | undefined;
}

/** The answer in a form that is made of rows or is a page; refuses where no archive gives the first page. */
export async function samplesReply(
  question: SampleQuestion,
  media: HistoryMedia,
  { history }: Pick<RoutePorts, 'history'>,
  gone: AbortSignal,
): Promise<Handled<Reply>> {
  const { query, cursor, limit = HISTORY_PAGE } = question;
  const first = await history.source.samples(query, { cursor, limit }, gone);
  if (!first.ok) return refusedHistory(first.faults[0]);
  const pages = (): AsyncIterable<Page> => pagesFrom(first.value, question, history.source, gone);
  const headers = headersOf(question, first.value, media);
  const contentType =
    media === 'csv' ? `${HISTORY_MEDIA.csv}; charset=utf-8; header=present` : HISTORY_MEDIA[media];
  const pieces = (): AsyncIterable<Uint8Array> => piecesOf(question, media, first.value, pages());
  const stream = { bytes: undefined, pieces: () => history.streams.counted(pieces) };
  return { ok: true, value: { status: 200, contentType, headers, stream } };

  function piecesOf(
    asked: SampleQuestion,
    as: HistoryMedia,
    page: Page,
    all: AsyncIterable<Page>,
  ): AsyncIterable<Uint8Array> {
    if (as === 'json') return documentPieces(asked, page);
    if (as === 'csv') return linePieces(all, sampleCsv(asked), SAMPLE_HEADING);
    if (as === 'ndjson') {
      const write = sampleJson(asked);
      return linePieces(all, (sample) => `${write(sample)}\n`, '');
    }
    const about = saidInTable(asked, page.value);
    const names = asked.measures.map(({ name }) => name);
    return tablePieces(history.tables!.samples(query.target, names, about), all);
  }
}

function headersOf(
  { limit, query }: SampleQuestion,
  { value }: Page,
  media: HistoryMedia,
): Record<string, string> {
  const headers: Record<string, string> = { vary: 'accept', 'cache-control': 'no-store' };
  if (media === 'json') return headers;
  if (media !== 'ndjson')
    headers['content-disposition'] = `attachment; filename="${query.target}-history.${media}"`;
  if (limit !== undefined) headers[HISTORY_HEADERS.samples] = String(value.samples.length);
  if (limit !== undefined && value.next !== undefined) headers[HISTORY_HEADERS.next] = cursorText(value.next);
  return Object.assign(headers, saidInHeaders(value));
}

/** S1, S3 */
async function* pagesFrom(
  first: Page,
  { query, limit }: SampleQuestion,
  source: RoutePorts['history']['source'],
  gone: AbortSignal,
): AsyncIterable<Page> {
  yield first;
  const known = first.value.damaged.length;
  for (let { next } = first.value; next !== undefined && limit === undefined; ) {
    const asked = await source.samples(query, { cursor: next, limit: HISTORY_PAGE }, gone);
    if (!asked.ok) throw new Error(asked.faults[0].message);
    const { damaged } = asked.value.value;
    if (damaged.length > known) throw new Error(`a segment cannot be read: ${damaged.at(-1)!.reason}`);
    yield asked.value;
    next = asked.value.value.next;
  }
}

async function* linePieces(
  pages: AsyncIterable<Page>,
  write: SampleWriter,
  heading: string,
): AsyncIterable<Uint8Array> {
  if (heading !== '') yield Buffer.from(heading);
  for await (const { value } of pages) yield* slices(value.samples, (samples) => samples.map(write).join(''));
}

/** Rows as text, some of them at a time (S1). */
async function* slices(
  samples: readonly HistorySample[],
  write: (samples: readonly HistorySample[]) => string,
): AsyncIterable<Uint8Array> {
  for (let at = 0; at < samples.length; at += HISTORY_ROWS_SLICE) {
    if (at > 0) await setImmediate();
    yield Buffer.from(write(samples.slice(at, at + HISTORY_ROWS_SLICE)));
  }
}

async function* documentPieces(
  question: SampleQuestion,
  { value, archive }: Page,
): AsyncIterable<Uint8Array> {
  const { samples, next } = value;
  const found = new Set(samples.map(({ measure }) => measure));
  const places = mentioned(question, (place) => found.has(place));
  const measures = places.map((place) => measureOf(question.measures[place]!));
  const opening = JSON.stringify({ ...askedOf(question), measures });
  yield Buffer.from(`${opening.slice(0, -1)},"samples":[`);
  const write = sampleJson(question);
  let isFirst = true;
  yield* slices(samples, (slice) => {
    const text = `${isFirst ? '' : ','}${slice.map(write).join()}`;
    isFirst = false;
    return text;
  });
  const beside = {
    ...(next !== undefined && { next: cursorText(next) }),
    archive: archiveOf(archive),
    ...saidOf(value),
  };
  yield Buffer.from(`],${JSON.stringify(beside).slice(1)}`);
}

async function* tablePieces(
  table: HistoryTable<readonly HistorySample[]>,
  pages: AsyncIterable<Page>,
): AsyncIterable<Uint8Array> {
  try {
    for await (const { value } of pages)
      if (value.samples.length > 0) yield* cut(await table.add(value.samples));
    yield* cut(await table.end());
  } finally {
    table.abandon();
  }
}

/** Bytes in pieces that a socket takes. */
export function* cut(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += HISTORY_PIECE_BYTES)
    yield bytes.subarray(at, at + HISTORY_PIECE_BYTES);
}
