/** The clocks, and the state in which the part passes data. */

import type { ConditionRow } from '../condition.ts';
import { judged } from '../finding.ts';
import { EVERYWHERE, read } from '../view.ts';

const CLOCKS_NEEDED = ['bbpll_clk', 'adc_clk', 'dac_clk', 'rx_sampl_clk', 'tx_sampl_clk'];

export const CLOCKS: readonly ConditionRow[] = [
  {
    key: 'clk.enabled',
    stage: 'clocks',
    source: 'board',
    targets: EVERYWHERE,
    breaks: 'no clock reaches the logic: transfers never complete',
    fix: () => 'POST /api/v1/radio/reset {"scope": "all"}',
    remedy: { do: 'radio.reset' },
    find: (view) =>
      judged(
        read(view, ({ clocks }) => clocks),
        `${CLOCKS_NEEDED.length} clocks enabled and prepared`,
        (clocks) => CLOCKS_NEEDED.every((name) => clocks.some((clock) => clock.name === name && runs(clock))),
        (clocks) => {
          const still = CLOCKS_NEEDED.filter(
            (name) => !clocks.some((clock) => clock.name === name && runs(clock)),
          );
          return still.length === 0 ? 'all run' : `${still.join(', ')} stand still`;
        },
      ),
  },
  {
    key: 'ensm.fdd',
    stage: 'converter',
    source: 'board',
    targets: EVERYWHERE,
    breaks: 'the data port of the part stands still',
    fix: () => 'POST /api/v1/radio/reset {"scope": "all"}',
    remedy: { do: 'radio.reset' },
    find: (view) =>
      judged(
        read(view, ({ state }) => state),
        'fdd',
        (state) => state === 'fdd',
      ),
  },
];

function runs({ enable: enabled, prepare }: { enable: number; prepare: number }): boolean {
  return enabled > 0 && prepare > 0;
}
