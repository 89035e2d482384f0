/**
 * What is not in a segment yet: messages in memory, answered from like segments.
 *
 * T1. A message is here until the segment that has it is in the list of segments, and both change in one step: a
 *     question sees it here or there, never twice and never in neither.
 * T2. A question looks into blocks of its time, for columns that are looked up once for each packet (asked-columns.ts).
 */

import type { HistoryQuery } from '../contract/history.ts';
import type { ValueMessage } from './gathering.ts';
import { type Held, heldBy, NOTHING_HELD, plus } from './held.ts';
import { type LongRow, rowsInFile } from './long-rows.ts';
import type { Piece } from './pieces.ts';
import type { PlatformColumns } from './platform-columns.ts';
import { type KeptMessage, piecesOf, timesOf } from './tail-rows.ts';

export class Tail {
  #kept: KeptMessage[] = [];
  /** The same by target: a question looks at those of one. */
  readonly #targets = new Map<string, KeptMessage[]>();
  #held = NOTHING_HELD;

  get held(): Held {
    return this.#held;
  }

  get messages(): readonly KeptMessage[] {
    return this.#kept;
  }

  /** Answers how much it holds. */
  add(message: ValueMessage, platform: PlatformColumns): Held {
    const { blocks, files = [] } = message.batch;
    const columns = blocks.reduce((sum, { value }) => sum + value.length, 0);
    const samples = files.reduce((sum, sample) => sum + rowsInFile(sample), columns);
    const times = blocks.map((block) => timesOf(block, message.storedMs));
    const kept = { message, platform, held: heldBy(samples, message.bytes), times };
    this.#kept.push(kept);
    this.#held = plus(this.#held, kept.held);
    const own = this.#targets.get(message.target);
    if (own === undefined) this.#targets.set(message.target, [kept]);
    else own.push(kept);
    return kept.held;
  }

  /** Forgets what a segment has (T1). */
  forget(first: number, last: number): void {
    const stays = ({ message: { position } }: KeptMessage): boolean => position < first || position > last;
    this.#kept = this.#kept.filter(stays);
    this.#held = this.#kept.reduce((sum, { held }) => plus(sum, held), NOTHING_HELD);
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

  /** What it has of a question at this moment, piece by piece; what comes and goes meanwhile changes nothing. */
  pieces(query: HistoryQuery): Iterable<Piece<LongRow>> {
    return piecesOf([...(this.#targets.get(query.target) ?? [])], query);
  }
}
