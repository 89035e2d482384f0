/**
 * The AD9361 by the attributes of its driver: what they mean, in units. Ranges are the part's: what it refuses comes as
 * the failure it is, what it quantises is what is read back.
 */

import type { IioAttribute } from '../iio/context.ts';
import { attributeName, errno, IioFailure } from '../iio/context.ts';
import type { Attributes } from './modem.ts';
import { CORE_CHANNELS, coreRegister, DATA_SOURCE_MASK, dataSource } from './registers.ts';

export const PHY = 'ad9361-phy';
/** Output device that holds the generators of test tones, and the samples of other tools. */
export const TONES = 'cf-ad9361-dds-core-lpc';

/** The most the part attenuates. */
export const MUTE_DB = -89.75;
/** Attenuation at which nothing leaves the connector that could disturb. */
export const MUTED_DB = -80;

export type Side = 'rx' | 'tx';
export type GainMode = 'manual' | 'fast_attack' | 'slow_attack' | 'hybrid';

const oscillator = (side: Side, name: string): IioAttribute => ({
  device: PHY,
  of: 'channel',
  output: true,
  name,
  channel: side === 'rx' ? 'altvoltage0' : 'altvoltage1',
});
const signal = (side: Side, name: string): IioAttribute => ({
  device: PHY,
  of: 'channel',
  channel: 'voltage0',
  name,
  output: side === 'tx',
});
/** Of the second transmitter, which the modem does not drive: it is to be silent. */
const SECOND_GAIN: IioAttribute = {
  device: PHY,
  of: 'channel',
  channel: 'voltage1',
  output: true,
  name: 'hardwaregain',
};
const CORE_ACCESS: IioAttribute = { device: TONES, of: 'debug', name: 'direct_reg_access' };
const part = (name: string): IioAttribute => ({ device: PHY, of: 'device', name });
const debug = (name: string): IioAttribute => ({ device: PHY, of: 'debug', name });
/** Of both directions; libiio makes a channel `out` of its file `in_out_voltage_filter_fir_en`. */
const FILTER: IioAttribute = {
  device: PHY,
  of: 'channel',
  channel: 'out',
  output: false,
  name: 'voltage_filter_fir_en',
};
const TEMPERATURE = { device: PHY, of: 'channel', channel: 'temp0', output: false, name: 'input' } as const;

export class Phy {
  readonly #context: Attributes;

  constructor(context: Attributes) {
    this.#context = context;
  }

  oscillatorHz(side: Side): Promise<number> {
    return this.#number(oscillator(side, 'frequency'));
  }

  tune(side: Side, hz: number): Promise<void> {
    return this.#context.write(oscillator(side, 'frequency'), String(hz));
  }

  async isPoweredDown(side: Side): Promise<boolean> {
    return (await this.#number(oscillator(side, 'powerdown'))) !== 0;
  }

  async powerUp(side: Side): Promise<void> {
    await this.#context.write(oscillator(side, 'powerdown'), '0');
  }

  /** In dB; of the transmitter the attenuation, at most 0. */
  gainDb(side: Side): Promise<number> {
    return this.#number(signal(side, 'hardwaregain'));
  }

  setGain(side: Side, db: number): Promise<void> {
    return this.#context.write(signal(side, 'hardwaregain'), db.toFixed(2));
  }

  /** Of the second transmitter; undefined on a board that has none. */
  async secondGainDb(): Promise<number | undefined> {
    return this.#hasSecond ? this.#number(SECOND_GAIN) : undefined;
  }

  /** Attenuates every transmitter there is, the one of the modem first. */
  async mute(db = MUTE_DB): Promise<void> {
    await this.setGain('tx', db);
    await this.muteSecond();
  }

  /** Of the transmitter that the modem does not drive, where there is one. */
  async muteSecond(): Promise<void> {
    if (this.#hasSecond) await this.#context.write(SECOND_GAIN, MUTE_DB.toFixed(2));
  }

  async gainMode(): Promise<GainMode> {
    return (await this.#text(signal('rx', 'gain_control_mode'))) as GainMode;
  }

  setGainMode(mode: GainMode): Promise<void> {
    return this.#context.write(signal('rx', 'gain_control_mode'), mode);
  }

  /** As it was asked for; the physical width follows from the clock of the part. */
  bandwidthHz(side: Side): Promise<number> {
    return this.#number(signal(side, 'rf_bandwidth'));
  }

  setBandwidth(side: Side, hz: number): Promise<void> {
    return this.#context.write(signal(side, 'rf_bandwidth'), String(hz));
  }

  sampleRate(side: Side): Promise<number> {
    return this.#number(signal(side, 'sampling_frequency'));
  }

  /** One rate for both directions. */
  setSampleRate(sps: number): Promise<void> {
    return this.#context.write(signal('rx', 'sampling_frequency'), String(sps));
  }

  async hasFilter(): Promise<boolean> {
    return (await this.#number(FILTER)) !== 0;
  }

  setFilter(on: boolean): Promise<void> {
    return this.#context.write(FILTER, on ? '1' : '0');
  }

  /** `fdd`, `alert`, … */
  state(): Promise<string> {
    return this.#text(part('ensm_mode'));
  }

  setState(mode: string): Promise<void> {
    return this.#context.write(part('ensm_mode'), mode);
  }

  /** Of the base band, from which all others are divided. */
  async clockHz(): Promise<number> {
    const rates = await this.#text(part('rx_path_rates'));
    const found = /BBPLL:(\d+)/.exec(rates)?.[1];
    if (found === undefined)
      throw new IioFailure(errno.EIO, `${PHY} rx_path_rates names no BBPLL: "${rates}"`);
    return Number(found);
  }

  /** 0 off, 1 inside the part, 2 in the logic of the converter core. */
  loopback(): Promise<number> {
    return this.#number(debug('loopback'));
  }

  setLoopback(mode: 0 | 1): Promise<void> {
    return this.#context.write(debug('loopback'), String(mode));
  }

  async temperatureC(): Promise<number> {
    return (await this.#number(TEMPERATURE)) / 1000;
  }

  /** Received strength in dB below full scale: the larger, the weaker. */
  strengthDb(): Promise<number> {
    return this.#number(signal('rx', 'rssi'));
  }

  /** Whether a generator of test tones plays instead of what the modem sends. */
  async playsTone(): Promise<boolean> {
    const [first] =
      this.#context.devices
        .find(({ name }) => name === TONES)
        ?.channels.filter(({ id }) => id.startsWith('altvoltage')) ?? [];
    if (first === undefined) throw new IioFailure(errno.ENODEV, `${TONES} has no generator`);
    return (
      (await this.#number({ device: TONES, of: 'channel', channel: first.id, output: true, name: 'raw' })) !==
      0
    );
  }

  /**
   * Whether samples that another tool writes leave instead of what the modem sends; a core without that register cannot
   * be asked. Only this register of the core is ever looked up here, so that two looks at once do not mislead each
   * other; that another tool looks up another one in between is found by looking twice.
   */
  async playsSamples(): Promise<boolean> {
    return (
      (await this.#dataSource()) === dataSource.samples && (await this.#dataSource()) === dataSource.samples
    );
  }

  /** Gives the transmitter back to the modem: no tones, and no samples of another tool. */
  async takeBack(): Promise<void> {
    await this.silenceTones();
    if (!(await this.playsSamples())) return;
    for (let channel = 0; channel < CORE_CHANNELS; channel += 1) {
      const at = coreRegister.dataSelect + channel * coreRegister.channelStep;
      await this.#context.write(CORE_ACCESS, `0x${at.toString(16)} 0x${dataSource.generators.toString(16)}`);
    }
  }

  async #dataSource(): Promise<number> {
    const core = this.#context.devices.find(({ name }) => name === TONES);
    if (core?.debugAttributes.includes(CORE_ACCESS.name) !== true) return dataSource.generators;
    await this.#context.write(CORE_ACCESS, `0x${coreRegister.dataSelect.toString(16)}`);
    return (await this.#number(CORE_ACCESS)) & DATA_SOURCE_MASK;
  }

  async silenceTones(): Promise<void> {
    const tones = this.#context.devices.find(({ name }) => name === TONES)?.channels ?? [];
    for (const { id } of tones)
      if (id.startsWith('altvoltage'))
        await this.#context.write(
          { device: TONES, of: 'channel', channel: id, output: true, name: 'raw' },
          '0',
        );
  }

  get #hasSecond(): boolean {
    const phy = this.#context.devices.find(({ name }) => name === PHY);
    const second = phy?.channels.find(({ id, output }) => output && id === 'voltage1');
    return second?.attributes.some(({ name }) => name === 'hardwaregain') ?? false;
  }

  async #text(at: IioAttribute): Promise<string> {
    return (await this.#context.read(at)).trim();
  }

  /** The number at the beginning of an attribute: `63.000000 dB`. */
  async #number(at: IioAttribute): Promise<number> {
    const text = await this.#text(at);
    const value = text.startsWith('0x') ? Number(text) : Number.parseFloat(text);
    if (Number.isNaN(value))
      throw new IioFailure(errno.EIO, `${attributeName(at)} reads "${text}", which is no number`);
    return value;
  }
}
