/** Rates and filters of the part, as the profile asks for them. */

import type { Observed } from '../../board/observed.ts';
import type { ChainView, ConditionRow } from '../condition.ts';
import { all, bySetup, judged } from '../finding.ts';
import { AIR, apply, EVERYWHERE, near, numberOf, read, SIDES, THROUGH_THE_PART } from '../view.ts';

export const CONVERTER: readonly ConditionRow[] = [
  {
    key: 'rate.sps',
    stage: 'converter',
    source: 'board',
    targets: EVERYWHERE,
    breaks: 'the symbol rate is wrong: timing never locks',
    fix: apply,
    remedy: { do: 'profile.apply' },
    find: (view) =>
      bySetup(view, ({ rate }) => all(rates(view).map((seen) => near(seen, rate.sampleRateSps, 2)))),
  },
  {
    key: 'fir',
    stage: 'converter',
    source: 'board',
    targets: THROUGH_THE_PART,
    breaks: 'a rate below 2.083 Msps is refused, or the filter is not that of the rate',
    fix: apply,
    remedy: { do: 'profile.apply' },
    find: (view) =>
      bySetup(view, ({ rate: { filter } }) =>
        judged(
          read(view, (board) => board.filter),
          filter ? 'on' : 'off',
          (on) => on === filter,
          (on) => (on ? 'on' : 'off'),
        ),
      ),
  },
  {
    key: 'bandwidth',
    stage: 'rf',
    source: 'board',
    targets: AIR,
    breaks: 'symbols run into each other',
    fix: apply,
    remedy: { do: 'profile.apply' },
    find: (view) =>
      bySetup(view, (setup) =>
        all(SIDES.map((side) => near(numberOf(view, side, 'bandwidthHz'), setup[side].bandwidthHz, 1))),
      ),
  },
];

function rates(view: ChainView): Observed<number>[] {
  return [
    ...SIDES.map((side) => numberOf(view, side, 'sampleRate')),
    read(view, ({ registers }) => registers.sampleRate),
  ];
}
