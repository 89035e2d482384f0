/** The modelled AD9361 as its driver shows it: names and texts of `ad9361-phy`. What they do is in `phy-state.ts`. */

import { decibelText, parseDecibels, parseWhole, rangeText } from '../ad9361/attribute-text.ts';
import { BANDWIDTH_RANGE } from '../ad9361/bandwidth.ts';
import { pathRatesText, RATE_GOVERNORS } from '../ad9361/clock-chain.ts';
import { rxGainRange, TX_GAIN_RANGE } from '../ad9361/gain.ts';
import { type Direction, LO_RANGE } from '../ad9361/oscillator.ts';
import { errno, IioFailure } from '../iio/context.ts';
import type { AttributeFile, AttributeFiles, ModelChannel, ModelDevice } from './attribute-files.ts';
import { filterText, parseFilter } from './filter-config.ts';
import { type ChannelIndex, GAIN_MODES, PHY_STATES, type PhyState } from './phy-state.ts';

/**
 * Settings that are kept and read back; the cable is on the first port of each, and the model has nothing to calibrate.
 */
const CALIBRATIONS = ['auto', 'manual', 'tx_quad', 'rf_dc_offs', 'rssi_gain_step'];
const RX_PORTS = [
  'A_BALANCED',
  'B_BALANCED',
  'C_BALANCED',
  'A_N',
  'A_P',
  'B_N',
  'B_P',
  'C_N',
  'C_P',
  'TX_MONITOR1',
  'TX_MONITOR2',
  'TX_MONITOR1_2',
];
const TX_PORTS = ['A', 'B'];

/** What the device knows of the world around the part. */
export interface PhySurroundings {
  /** Gain applied in the receive path, automatic or not. */
  gainDb(channel: ChannelIndex): number;
  /** Power at the receive connector. */
  receivedDbm(): number;
  temperatureC(): number;
  /** Brings clocks that stand still to life again. */
  restartClocks(): void;
}

/** The device for a state of the part. */
export function phyDevice(id: string, phy: PhyState, around: PhySurroundings): ModelDevice {
  return {
    id,
    name: 'ad9361-phy',
    attributes: deviceFiles(phy),
    debug: debugFiles(phy, around),
    channels: [
      oscillator(phy, 'rx', 'altvoltage0', 'RX_LO'),
      oscillator(phy, 'tx', 'altvoltage1', 'TX_LO'),
      receiver(phy, around, 0),
      receiver(phy, around, 1),
      transmitter(phy, 0),
      transmitter(phy, 1),
      temperature(around),
      { id: 'out', output: false, attributes: { voltage_filter_fir_en: filterSwitch(phy) } },
    ],
  };
}

function deviceFiles(phy: PhyState): AttributeFiles {
  return {
    calib_mode: kept(CALIBRATIONS),
    calib_mode_available: constant(CALIBRATIONS.join(' ')),
    ensm_mode: choice(PHY_STATES, { read: () => phy.mode }, (mode) => phy.setMode(mode)),
    ensm_mode_available: constant(PHY_STATES.join(' ')),
    filter_fir_config: {
      read: () => filterText(phy.filter),
      write: (text) => phy.loadFilter(parseFilter(text)),
    },
    rx_path_rates: { read: () => pathRatesText(phy.chain, 'rx') },
    trx_rate_governor: choice(RATE_GOVERNORS, { read: () => phy.governor }, (to) => phy.setGovernor(to)),
    trx_rate_governor_available: constant(RATE_GOVERNORS.join(' ')),
    tx_path_rates: { read: () => pathRatesText(phy.chain, 'tx') },
  };
}

function debugFiles(phy: PhyState, around: PhySurroundings): AttributeFiles {
  let address = 0;
  return {
    // Registers of the part itself: the product and the loopback are modelled, others read 0 and keep nothing.
    direct_reg_access: {
      read: () => `0x${partRegister(phy, address).toString(16).toUpperCase()}`,
      write: (text) => {
        address = Number(text.trim().split(/\s+/)[0]);
        if (!Number.isInteger(address)) throw new IioFailure(errno.EINVAL, `${text} is no register`);
      },
    },
    initialize: {
      write: () => {
        around.restartClocks();
        phy.initialise();
      },
    },
    loopback: { read: () => String(phy.loopback), write: (text) => phy.setLoopback(whole(text)) },
  };
}

function partRegister(phy: PhyState, address: number): number {
  if (address === 0x037) return 0x0a;
  return address === 0x3f5 && phy.loopback === 1 ? 0x01 : 0;
}

function oscillator(phy: PhyState, direction: Direction, id: string, name: string): ModelChannel {
  return {
    id,
    name,
    output: true,
    attributes: {
      external: constant('0'),
      frequency: {
        read: () => String(phy.lo[direction]),
        write: (text) => phy.tune(direction, whole(text)),
      },
      frequency_available: constant(rangeText(LO_RANGE[direction])),
      powerdown: {
        read: () => (phy.poweredDown[direction] ? '1' : '0'),
        write: (text) => phy.powerDown(direction, flag(text)),
      },
    },
  };
}

function receiver(phy: PhyState, around: PhySurroundings, index: ChannelIndex): ModelChannel {
  return {
    id: `voltage${index}`,
    output: false,
    attributes: {
      gain_control_mode: choice(GAIN_MODES, { read: () => phy.gainModes[index] }, (mode) =>
        phy.setGainMode(index, mode, around.gainDb(index)),
      ),
      gain_control_mode_available: constant(GAIN_MODES.join(' ')),
      hardwaregain: {
        read: () => decibelText(around.gainDb(index)),
        write: (text) => phy.setRxGain(index, decibels(text)),
      },
      hardwaregain_available: { read: () => rangeText(rxGainRange(phy.lo.rx)) },
      rf_port_select: kept(RX_PORTS),
      rf_port_select_available: constant(RX_PORTS.join(' ')),
      rssi: { read: () => decibelText(strength(around.receivedDbm()), 2) },
    },
    shared: {
      ...sharedFiles(phy, 'rx'),
      bb_dc_offset_tracking_en: kept(['1', '0']),
      quadrature_tracking_en: kept(['1', '0']),
      rf_dc_offset_tracking_en: kept(['1', '0']),
    },
  };
}

function transmitter(phy: PhyState, index: ChannelIndex): ModelChannel {
  return {
    id: `voltage${index}`,
    output: true,
    attributes: {
      hardwaregain: {
        read: () => decibelText(phy.txGain[index]),
        write: (text) => phy.setTxGain(index, decibels(text)),
      },
      hardwaregain_available: constant(rangeText(TX_GAIN_RANGE)),
      rf_port_select: kept(TX_PORTS),
      rf_port_select_available: constant(TX_PORTS.join(' ')),
      // Without a monitor of the transmitter there is nothing to measure.
      rssi: constant('0.00 dB'),
    },
    shared: sharedFiles(phy, 'tx'),
  };
}

function sharedFiles(phy: PhyState, direction: Direction): AttributeFiles {
  return {
    filter_fir_en: filterSwitch(phy),
    rf_bandwidth: {
      read: () => String(phy.bandwidth[direction]),
      write: (text) => phy.setBandwidth(direction, whole(text)),
    },
    rf_bandwidth_available: constant(rangeText(BANDWIDTH_RANGE[direction])),
    sampling_frequency: {
      read: () => String(phy.sampleRate),
      write: (text) => phy.setSampleRate(whole(text)),
    },
    sampling_frequency_available: { read: () => rangeText(phy.sampleRates) },
  };
}

function temperature(around: PhySurroundings): ModelChannel {
  const input = { read: () => String(Math.round(around.temperatureC() * 1000)) };
  return { id: 'temp0', output: false, attributes: { input } };
}

function filterSwitch(phy: PhyState): AttributeFile {
  return { read: () => (phy.filterOn ? '1' : '0'), write: (text) => phy.switchFilter(flag(text)) };
}

/** The part reports how far below a reference the signal is, in quarters of a dB: larger is weaker. */
function strength(receivedDbm: number): number {
  return Math.min(128, Math.max(0, Math.round(-receivedDbm * 4) / 4));
}

function constant(text: string): AttributeFile {
  return { read: () => text };
}

/** An attribute that takes one of some words, at first the first, and keeps it. */
function kept(words: readonly string[]): AttributeFile {
  let held = words[0] ?? '';
  return choice(words, { read: () => held }, (word) => {
    held = word;
  });
}

/** An attribute that takes one of some words. */
function choice<Word extends string>(
  words: readonly Word[],
  file: AttributeFile,
  set: (word: Word) => void,
): AttributeFile {
  const write = (text: string) => {
    const word = words.find((known) => known === text.trim());
    if (word === undefined) throw new IioFailure(errno.EINVAL, `"${text}" is not one of ${words.join(', ')}`);
    set(word);
  };
  return { ...file, write };
}

function whole(text: string): number {
  const number = parseWhole(text);
  if (number === undefined) throw new IioFailure(errno.EINVAL, `"${text}" is no whole number`);
  return number;
}

function decibels(text: string): number {
  const number = parseDecibels(text);
  if (number === undefined) throw new IioFailure(errno.EINVAL, `"${text}" is no number of dB`);
  return number;
}

function flag(text: string): boolean {
  const number = whole(text);
  if (number !== 0 && number !== 1) throw new IioFailure(errno.EINVAL, `${number} is neither 0 nor 1`);
  return number === 1;
}
