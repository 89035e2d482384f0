/**
 * Conditioning: the missing steps in the one order that works. RF Bench Service, section 4, rule 5.
 *
 * D1. Everything is read again behind each step: the next is the first that is not met then.
 * D2. A step that leaves its condition as it was ends it: nothing is tried twice, and nothing behind it is done.
 */

import type { ChainState } from '../../contract/bench/chain.ts';
import { accepted, type Result, refused } from '../../contract/result.ts';
import { IioFailure } from '../iio/context.ts';
import type { ChainView, Remedy } from './condition.ts';
import { chainState, firstUnmet } from './state.ts';

export interface Conditioned {
  /** Keys of the conditions that were fixed, in that order. */
  readonly steps: readonly string[];
  /** What was done for each. */
  readonly detail: readonly string[];
  readonly state: ChainState;
}

/** Why it went no further, with what was done before. */
export interface Stopped extends Conditioned {
  readonly reason: string;
}

/** What conditioning works with: the same actions as the routes have. */
export interface Conditioner {
  view(): Promise<ChainView>;
  /** Does it and says in words what was done; rejects when the board refuses. */
  fix(remedy: Remedy, view: ChainView): Promise<string>;
}

/** Conditions the chain; refused with what stands in the way. */
export async function condition(conditioner: Conditioner): Promise<Result<Conditioned, Stopped>> {
  const steps: string[] = [];
  const detail: string[] = [];
  for (;;) {
    const view = await conditioner.view();
    const row = firstUnmet(view);
    const done = { steps, detail, state: chainState(view) };
    if (row === undefined) return accepted(done);
    const { observed, required } = row.find(view);
    const found = `${row.key} is ${observed}, required: ${required}`;
    if (row.remedy === undefined) return refused({ ...done, reason: `${found}; ${row.fix(view)}` });
    if (steps.includes(row.key))
      return refused({ ...done, reason: `${found}, also behind "${row.fix(view)}"` });
    steps.push(row.key);
    try {
      detail.push(await conditioner.fix(row.remedy, view));
    } catch (error) {
      if (!(error instanceof IioFailure)) throw error;
      detail.push('refused by the board');
      return refused({ ...done, reason: `${found}; ${error.message}` });
    }
  }
}
