/** The state of the chain: every condition for a target, and the first that is not met. RF Bench Service, section 2. */

import type { ChainState, NextStep } from '../../contract/bench/chain.ts';
import { currentTarget } from '../board/reading.ts';
import { type ChainView, type ConditionRow, shown } from './condition.ts';
import { CHAIN } from './table.ts';

/** What is shown, and what readiness does not wait for (chain/condition.N4). */
const NEEDS_SIGNAL: readonly string[] = ['lock', 'proof'];

/** The state as it is read now. */
export function chainState(view: ChainView): ChainState {
  const first = firstUnmet(view);
  const current = view.board && currentTarget(view.board);
  const next: NextStep | null =
    first === undefined ? null : { condition: first.key, command: first.fix(view) };
  return {
    target: view.target,
    current_target: current ?? null,
    reaches_the_connector: view.target === 'air' && current === 'air',
    stage: first?.stage ?? 'ready',
    ready: first === undefined,
    next,
    conditions: rowsOf(view).map((row) => shown(row, view)),
  };
}

/** The first condition before lock that is not met, in the order of conditioning; undefined: the chain is ready. */
export function firstUnmet(view: ChainView): ConditionRow | undefined {
  return rowsOf(view).find((row) => !NEEDS_SIGNAL.includes(row.stage) && row.find(view).verdict !== 'met');
}

function rowsOf({ target }: ChainView): ConditionRow[] {
  return CHAIN.filter(({ targets }) => targets.includes(target));
}
