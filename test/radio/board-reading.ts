/** A board as everything asks for it, to be broken in one place by each test. */

import type { ChainTarget } from '../../contract/bench/chain.ts';
import type { Profile } from '../../contract/bench/profile.ts';
import { known, type Observed } from '../../radio/board/observed.ts';
import type { BoardReading, SideReading } from '../../radio/board/reading.ts';
import { MODEM_ID, type RegisterName, register } from '../../radio/board/registers.ts';
import { type Setup, type SideSetup, setupOf } from '../../radio/board/setup.ts';
import { planRate } from '../../radio/rates.ts';

export const QPSK: Profile = {
  name: 'qpsk-1m',
  modulation: 'qpsk',
  symbol_rate_baud: 1_000_000,
  center_frequency_hz: 2_400_000_000,
  rx: { gain_db: 40, nco_offset_hz: 1000 },
  tx: { gain_db: -10, nco_offset_hz: 500 },
  framing: { kind: 'slot', frame_len: 256, sync_word_hex: '1acffc1d' },
};

export function setupFor(profile: Profile): Setup {
  const plan = planRate(profile.symbol_rate_baud);
  if (!plan.ok) throw new Error(plan.faults.join());
  return setupOf(profile, plan.value);
}

/** Everything as the settings ask for it, on the way to the target. */
export function conditioned(setup: Setup, target: ChainTarget): BoardReading {
  const { rate, rx, tx } = setup;
  const side = (of: SideSetup, gainDb: number): SideReading => ({
    oscillatorHz: known(of.oscillatorHz - 1),
    poweredDown: known(false),
    gainDb: known(gainDb),
    bandwidthHz: known(of.bandwidthHz),
    sampleRate: known(rate.sampleRateSps),
  });
  const offset = target === 'air' ? rx.offsetHz : tx.offsetHz;
  const values: Partial<Record<RegisterName, number>> = {
    id: MODEM_ID,
    version: 0x1_0003,
    ...setup.registers,
    sampleRate: rate.sampleRateSps,
    control: 4,
    loopback: target === 'pl-loopback' ? 1 : 0,
    status: 0b1111,
    receiveOffset: offset,
    transmitOffset: tx.offsetHz,
  };
  const registers = Object.fromEntries(
    Object.keys(register).map((name) => [name, known(values[name as RegisterName] ?? 0)]),
  ) as Record<RegisterName, Observed<number>>;
  return {
    phy: known('ad9361-phy (iio:device0)'),
    gainMode: known(setup.gainMode),
    filter: known(rate.filter),
    rx: side(rx, rx.gainDb),
    tx: side(tx, target === 'air' ? tx.gainDb : -89.75),
    secondGainDb: known(-89.75),
    state: known('fdd'),
    clockHz: known(983_040_000),
    tone: known(false),
    samples: known(false),
    temperatureC: known(32),
    deviceLoopback: known(target === 'device-loopback' ? 1 : 0),
    modemVersion: known('1.3'),
    registers,
    clocks: known(
      ['bbpll_clk', 'adc_clk', 'dac_clk', 'rx_sampl_clk', 'tx_sampl_clk'].map((name) => ({
        name,
        enable: 1,
        prepare: 1,
        rate_hz: 1,
      })),
    ),
  };
}
