/**
 * The clocks of the modelled part, as the control device of the modem lists them: `name enable prepare rate` in each
 * line.
 */

import type { PhyState } from './phy-state.ts';

/** Without these the data port stands still. */
const NEEDED = ['bbpll_clk', 'adc_clk', 'dac_clk', 'rx_sampl_clk', 'tx_sampl_clk'];
const CRYSTAL_HZ = 40_000_000;

/** The lines of all clocks; those in `stopped` are neither enabled nor prepared. */
export function clockLines(phy: PhyState, stopped: readonly string[]): string {
  return rates(phy)
    .map(([name, hertz]) => `${name} ${stopped.includes(name) ? '0 0' : '1 1'} ${Math.round(hertz)}`)
    .join('\n');
}

/** Whether samples move between the part and the modem. */
export function isDataClocked(phy: PhyState, stopped: readonly string[]): boolean {
  return phy.mode === 'fdd' && !NEEDED.some((name) => stopped.includes(name));
}

function rates(phy: PhyState): readonly (readonly [string, number])[] {
  const { pllHz, rx, tx } = phy.chain;
  return [
    ['ad9361_ext_refclk', CRYSTAL_HZ],
    ['bbpll_clk', pllHz],
    ['adc_clk', rx.converter],
    ['r2_clk', rx.second],
    ['r1_clk', rx.first],
    ['clkrf_clk', rx.filter],
    ['rx_sampl_clk', rx.samples],
    ['dac_clk', tx.converter],
    ['t2_clk', tx.second],
    ['t1_clk', tx.first],
    ['clktf_clk', tx.filter],
    ['tx_sampl_clk', tx.samples],
    // The oscillators do not fit into 32 bits: the framework registers them at half their rate.
    ['rx_rfpll', phy.lo.rx / 2],
    ['tx_rfpll', phy.lo.tx / 2],
  ];
}
