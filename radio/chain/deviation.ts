/**
 * Where a board is set otherwise than the applied profile asks: the rows of the chain that a setting of the profile
 * meets, and no others.
 *
 * D1. What cannot be read deviates from nothing.
 * D2. The level is judged by the path the board is on: in a loopback the profile's is muted. The receiver may have the
 *     offset of either path there, since an apply leaves it that of the air.
 */

import { currentTarget } from '../board/reading.ts';
import type { ChainView, ConditionRow, Remedy } from './condition.ts';
import { CHAIN } from './table.ts';

/** Remedies that write settings of the profile. */
const SETTINGS: readonly (Remedy['do'] | undefined)[] = [
  'profile.apply',
  'radio.level',
  'radio.frequency',
  'radio.offset',
  'radio.gain',
] as const;

/** The first that deviates, in words; undefined: the board is as the profile asks, as far as it can be read. */
export function deviation(view: ChainView): string | undefined {
  const current = view.board && currentTarget(view.board);
  if (current === undefined || view.session.profile === undefined) return undefined;
  const here = { ...view, target: current };
  const row = CHAIN.find((each) => SETTINGS.includes(each.remedy?.do) && deviates(each, here));
  if (row === undefined) return undefined;
  const { observed, required } = row.find(here);
  return `${row.key} reads ${observed}; the profile asks for ${required}`;
}

function deviates(row: ConditionRow, view: ChainView): boolean {
  if (row.find(view).verdict !== 'unmet') return false;
  return row.remedy?.do !== 'radio.offset' || row.find({ ...view, target: 'air' }).verdict === 'unmet';
}
