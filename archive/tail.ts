/**
 * What is not in a segment yet: messages in memory, answered from like segments.
 *
 * T1. A message is here until the segment that has it is in the list of segments, and both change in one step: a
 *     question sees it here or there, never twice and never in neither.
 */

import type { HistoryQuery } from '../contract/history.ts';
import type { ValueMessage } from './gathering.ts';
import { type LongRow, type Rest, rowsOfFile, sampleRow } from './long-rows.ts';
import { columnOf, type PlatformColumns } from './platform-columns.ts';
import { sampleTimes } from './target-rows.ts';

export interface KeptMessage {
  readonly message: ValueMessage;
  readonly platform: PlatformColumns;
  readonly samples: number;
}

export class Tail {
  #kept: KeptMessage[] = [];
  /** The same by target: a question looks at those of one. */
  readonly #targets = new Map<string, KeptMessage[]>();
  #samples = 0;

  get samples(): number {
    return this.#samples;
  }

  get messages(): readonly KeptMessage[] {
    return this.#kept;
  }

  add(message: ValueMessage, platform: PlatformColumns): void {
    const samples = message.batch.blocks.reduce((sum, { value }) => sum + value.length, 0);
    const kept = { message, platform, samples };
    this.#kept.push(kept);
    this.#samples += samples;
    const own = this.#targets.get(message.target);
    if (own === undefined) this.#targets.set(message.target, [kept]);
    else own.push(kept);
  }

  /** Forgets what a segment has (T1). */
  forget(first: number, last: number): void {
    const stays = ({ message: { position } }: KeptMessage): boolean => position < first || position > last;
    this.#kept = this.#kept.filter(stays);
    this.#samples = this.#kept.reduce((sum, { samples }) => sum + samples, 0);
    for (const [target, own] of this.#targets) {
      const left = own.filter(stays);
      if (left.length === 0) this.#targets.delete(target);
      else this.#targets.set(target, left);
    }
  }

  /** Those of a part, in order of their positions. */
  within(first: number, last: number): KeptMessage[] {
    return this.#kept.filter(({ message: { position } }) => first <= position && position <= last);
  }

  /** What it has of a question at this moment, row by row; what comes and goes meanwhile changes nothing. */
  rows(query: HistoryQuery): Iterable<LongRow> {
    return rowsOf([...(this.#targets.get(query.target) ?? [])], query);
  }
}

function* rowsOf(messages: readonly KeptMessage[], query: HistoryQuery): Generator<LongRow> {
  for (const kept of messages) {
    yield* blockRows(kept, query);
    yield* fileRows(kept, query);
  }
}

function isDelivered(deferred: boolean, { delivery }: HistoryQuery): boolean {
  return delivery === 'all' || deferred === (delivery === 'deferred');
}

function* blockRows({ message, platform }: KeptMessage, query: HistoryQuery): Generator<LongRow> {
  const { target, position, storedMs, batch } = message;
  for (const block of batch.blocks) {
    const deferred = batch.deferred || block.deferred === true;
    if (!isDelivered(deferred, query)) continue;
    const asked = [...block.ordinals.keys()].filter((column) =>
      query.measures.includes(columnOf(platform, block.ordinals[column]!).key),
    );
    if (asked.length === 0) continue;
    const wide = new Map(block.wide);
    const superseded = new Set(block.superseded);
    const gathered = { block, position, storedMs, link: batch.link };
    for (let row = 0; row < block.ground.length; row += 1) {
      const { time } = sampleTimes(block.onboard[row]!, block.ground[row]!, storedMs);
      if (time < query.from || time >= query.to) continue;
      for (const column of asked) {
        const index = row * block.ordinals.length + column;
        const rest: Rest = {
          target,
          platform: platform.digest,
          deferred,
          superseded: superseded.has(index),
          wide: wide.has(index) ? String(wide.get(index)) : null,
        };
        yield sampleRow(columnOf(platform, block.ordinals[column]!), gathered, index, rest);
      }
    }
  }
}

function* fileRows({ message, platform }: KeptMessage, query: HistoryQuery): Generator<LongRow> {
  const { target, position, storedMs, batch } = message;
  const { link, deferred } = batch;
  if (!isDelivered(deferred, query)) return;
  for (const sample of batch.files ?? [])
    for (const row of rowsOfFile({ sample, target, position, storedMs, link, deferred, platform }))
      if (row.time >= query.from && row.time < query.to && query.measures.includes(row.measure)) yield row;
}
