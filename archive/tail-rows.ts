/** What messages in memory have of a question, piece by piece (tail.T2). */

import type { ValueBlock } from '../contract/batch.ts';
import type { HistoryQuery } from '../contract/history.ts';
import { HISTORY_SLICE } from '../contract/limits/archive.ts';
import { AskedColumns } from './asked-columns.ts';
import type { ValueMessage } from './gathering.ts';
import type { Held } from './held.ts';
import { type LongRow, type Rest, rowsOfFile, sampleRow } from './long-rows.ts';
import type { Piece } from './pieces.ts';
import type { PlatformColumns } from './platform-columns.ts';
import { sampleTimes } from './target-rows.ts';

/** The first and the last time of the rows of a block. */
export type BlockTimes = readonly [first: number, last: number];

export interface KeptMessage {
  readonly message: ValueMessage;
  readonly platform: PlatformColumns;
  readonly held: Held;
  /** By block (T2). */
  readonly times: readonly BlockTimes[];
}

export function timesOf({ onboard, ground }: ValueBlock, storedMs: number): BlockTimes {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let row = 0; row < ground.length; row += 1) {
    const { time } = sampleTimes(onboard[row]!, ground[row]!, storedMs);
    if (time < first) first = time;
    if (time > last) last = time;
  }
  return [first, last];
}

export function* piecesOf(messages: readonly KeptMessage[], query: HistoryQuery): Generator<Piece<LongRow>> {
  const asked = new AskedColumns(query.measures);
  for (const kept of messages) {
    for (const [n, block] of kept.message.batch.blocks.entries())
      yield* blockPieces(kept, block, kept.times[n]!, query, asked);
    yield filePiece(kept, query, asked);
  }
}

function isDelivered(deferred: boolean, { delivery }: HistoryQuery): boolean {
  return delivery === 'all' || deferred === (delivery === 'deferred');
}

const NOTHING: Piece<LongRow> = { rows: [], looked: 1 };

function* blockPieces(
  { message, platform }: KeptMessage,
  block: ValueBlock,
  [first, last]: BlockTimes,
  query: HistoryQuery,
  columns: AskedColumns,
): Generator<Piece<LongRow>> {
  const { target, position, storedMs, batch } = message;
  const deferred = batch.deferred || block.deferred === true;
  const isOfTime = first < query.to && last >= query.from;
  const asked = isOfTime && isDelivered(deferred, query) ? columns.of(platform, block.ordinals) : [];
  if (asked.length === 0) return yield NOTHING;
  const wide = new Map(block.wide);
  const superseded = new Set(block.superseded);
  const gathered = { block, position, storedMs, link: batch.link };
  let rows: LongRow[] = [];
  let looked = 1;
  for (let row = 0; row < block.ground.length; row += 1) {
    looked += 1;
    const { time } = sampleTimes(block.onboard[row]!, block.ground[row]!, storedMs);
    if (time >= query.from && time < query.to)
      for (const { column, measure } of asked) {
        const index = row * block.ordinals.length + column;
        const rest: Rest = {
          target,
          platform: platform.digest,
          deferred,
          superseded: superseded.has(index),
          wide: wide.has(index) ? String(wide.get(index)) : null,
        };
        rows.push(sampleRow(measure, gathered, index, rest));
      }
    if (looked + rows.length < HISTORY_SLICE) continue;
    yield { rows, looked: looked + rows.length };
    [rows, looked] = [[], 0];
  }
  yield { rows, looked: looked + rows.length };
}

function filePiece(
  { message, platform }: KeptMessage,
  query: HistoryQuery,
  asked: AskedColumns,
): Piece<LongRow> {
  const { target, position, storedMs, batch } = message;
  const { link, deferred, files = [] } = batch;
  if (files.length === 0 || !isDelivered(deferred, query)) return NOTHING;
  const rows = files.flatMap((sample) => {
    const { time } = sampleTimes(sample.onboard, sample.ground, storedMs);
    if (time < query.from || time >= query.to) return [];
    const all = rowsOfFile({ sample, target, position, storedMs, link, deferred, platform });
    return all.filter(({ measure }) => asked.has(measure));
  });
  return { rows, looked: 1 + files.length };
}
