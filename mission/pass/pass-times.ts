/**
 * Which passes of a target are in progress, asked for every telecommand: kept for as long as the answer stays the same.
 * Mission Control Service, section 4.5.
 *
 * N1. An answer holds until a pass of the target changes or the next one begins or ends: between two of these it costs
 *     the same however many passes there are.
 */

import type { StoredPass } from '../../contract/pass.ts';
import { windowOf } from './pass.ts';
import { byPrecedence } from './serving-gateway.ts';

/** Passes that are in progress from then on and until then. */
interface Answer {
  readonly from: number;
  readonly until: number;
  readonly passes: readonly StoredPass[];
}

const NONE: readonly StoredPass[] = [];

export class PassTimes {
  readonly #marginMs: number;
  readonly #answers = new Map<string, Answer>();

  /** Each pass counts that much longer at both ends. */
  constructor(marginMs: number) {
    this.#marginMs = marginMs;
  }

  /** A pass of the target is another one. */
  changed(target: string): void {
    this.#answers.delete(target);
  }

  /** Those of `passes`, which are all of the target, that are in progress, in the order in which they count. */
  inProgress(
    target: string,
    passes: () => Iterable<StoredPass> | undefined,
    at: number,
  ): readonly StoredPass[] {
    const known = this.#answers.get(target);
    if (known !== undefined && known.from <= at && at < known.until) return known.passes;
    const all = passes();
    if (all === undefined) return NONE;
    const answer = answerAt(all, at, this.#marginMs);
    this.#answers.set(target, answer);
    return answer.passes;
  }
}

function answerAt(all: Iterable<StoredPass>, at: number, marginMs: number): Answer {
  let from = Number.NEGATIVE_INFINITY;
  let until = Number.POSITIVE_INFINITY;
  const passes: StoredPass[] = [];
  for (const pass of all) {
    if (pass.status === 'cancelled') continue;
    const window = windowOf(pass);
    const [begin, end] = [window.aos - marginMs, window.los + marginMs];
    if (at < begin) until = Math.min(until, begin);
    else if (at >= end) from = Math.max(from, end);
    else {
      passes.push(pass);
      [from, until] = [Math.max(from, begin), Math.min(until, end)];
    }
  }
  return { from, until, passes: passes.sort(byPrecedence) };
}
