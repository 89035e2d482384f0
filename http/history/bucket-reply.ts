/**
 * Buckets of the past as an answer: JSON, CSV or Parquet.
 *
 * B2. They are written a measure at a time, and between two of them the loop serves others.
 */

import { setImmediate } from 'node:timers/promises';
import type { Buckets } from '../../contract/history.ts';
import { HISTORY_MEDIA, type HistoryMedia } from '../../contract/history-view.ts';
import type { Retrieved } from '../../messaging/history-asker.ts';
import type { BucketRows, HistoryTable } from '../../ports/history-tables.ts';
import type { RoutePorts } from '../ports.ts';
import type { Handled, Reply } from '../reply.ts';
import { BUCKET_HEADING, bucketsCsv, bucketsJson, listedBuckets } from './bucket-text.ts';
import type { Question } from './question.ts';
import { refusedHistory } from './refused.ts';
import { archiveOf, askedOf, measureOf, saidInHeaders, saidInTable, saidOf } from './said-beside.ts';
import { cut } from './sample-reply.ts';

export interface BucketQuestion extends Question {
  readonly points: number;
}

export async function bucketsReply(
  question: BucketQuestion,
  wanted: HistoryMedia,
  { history }: Pick<RoutePorts, 'history'>,
  gone: AbortSignal,
): Promise<Handled<Reply>> {
  const { query, points } = question;
  const asked = await history.source.buckets(query, points, gone);
  if (!asked.ok) return refusedHistory(asked.faults[0]);
  // Buckets of a measure belong together: lines of JSON would take them apart.
  const media = wanted === 'ndjson' ? 'json' : wanted;
  const { value } = asked.value;
  const headers: Record<string, string> = { vary: 'accept', 'cache-control': 'no-store' };
  if (media !== 'json') {
    headers['content-disposition'] = `attachment; filename="${query.target}-history.${media}"`;
    Object.assign(headers, saidInHeaders(value));
  }
  const contentType =
    media === 'csv' ? `${HISTORY_MEDIA.csv}; charset=utf-8; header=present` : HISTORY_MEDIA[media];
  const pieces = (): AsyncIterable<Uint8Array> => {
    if (media === 'json') return documentPieces(question, asked.value);
    if (media === 'csv') return linePieces(question, value);
    return tablePieces(history.tables!.buckets(query.target, saidInTable(question, value)), question, value);
  };
  const stream = { bytes: undefined, pieces: () => history.streams.counted(pieces) };
  return { ok: true, value: { status: 200, contentType, headers, stream } };
}

async function* documentPieces(
  question: BucketQuestion,
  { value, archive }: Retrieved<Buckets>,
): AsyncIterable<Uint8Array> {
  const opening = JSON.stringify({ ...askedOf(question), width_ms: value.width });
  yield Buffer.from(`${opening.slice(0, -1)},"measures":[`);
  let isFirst = true;
  for (const listed of listedBuckets(question, value)) {
    if (!isFirst) await setImmediate();
    const about = JSON.stringify(measureOf(question.measures[listed.at]!)).slice(0, -1);
    yield Buffer.from(`${isFirst ? '' : ','}${about},"buckets":${bucketsJson(listed)}}`);
    isFirst = false;
  }
  const beside = { archive: archiveOf(archive), ...saidOf(value) };
  yield Buffer.from(`],${JSON.stringify(beside).slice(1)}`);
}

async function* linePieces(question: BucketQuestion, buckets: Buckets): AsyncIterable<Uint8Array> {
  yield Buffer.from(BUCKET_HEADING);
  for (const listed of listedBuckets(question, buckets)) {
    await setImmediate();
    const lines = bucketsCsv(question.query.target, listed);
    if (lines !== '') yield Buffer.from(lines);
  }
}

async function* tablePieces(
  table: HistoryTable<readonly BucketRows[]>,
  question: BucketQuestion,
  buckets: Buckets,
): AsyncIterable<Uint8Array> {
  try {
    const listed = listedBuckets(question, buckets);
    if (listed.some(({ places }) => places.length > 0)) yield* cut(await table.add(listed));
    yield* cut(await table.end());
  } finally {
    table.abandon();
  }
}
