/**
 * The devices around the modelled AD9361: its converter cores with their sample buffers and the generators of test
 * tones, and the monitor of the board's own supply.
 */

import { parseWhole } from '../ad9361/attribute-text.ts';
import { CORE_CHANNELS, coreRegister, coreStatus, DATA_SOURCE_MASK, dataSource } from '../board/registers.ts';
import { errno, IioFailure } from '../iio/context.ts';
import type { AttributeFile, ModelChannel, ModelDevice } from './attribute-files.ts';
import { MODEL } from './constants.ts';
import type { ConverterInput } from './converter-input.ts';
import type { ConverterOutput } from './converter-output.ts';
import { coreAccess, sticky } from './core-registers.ts';
import type { PhyState } from './phy-state.ts';

/** Two tones for each of I and Q of two channels, in the order of the core. */
const TONES = ['1_I_F1', '1_I_F2', '1_Q_F1', '1_Q_F2', '2_I_F1', '2_I_F2', '2_Q_F1', '2_Q_F2'];
const RAW_MOST = 4095;
export const RECEIVE_CORE = 'cf-ad9361-lpc';
export const TRANSMIT_CORE = 'cf-ad9361-dds-core-lpc';
/** I and Q of two receivers, or of two transmitters. */
const CHANNELS = [0, 1, 2, 3] as const;

/** Generators of test tones: while one plays, nothing of the modem is sent. */
export class ToneGenerators {
  readonly #playing = TONES.map(() => false);
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get isPlaying(): boolean {
    return this.#playing.includes(true);
  }

  isOn(index: number): boolean {
    return this.#playing[index] === true;
  }

  switch(index: number, on: boolean): void {
    this.#playing[index] = on;
    this.#changed();
  }
}

export function receiveCore(id: string, phy: PhyState, input: ConverterInput): ModelDevice {
  const channels = CHANNELS.map(
    (index): ModelChannel => ({
      id: `voltage${index}`,
      output: false,
      scan: { index, format: 'le:S12/16>>0' },
      attributes: {
        calibscale: number(1, -2, 2),
        calibphase: number(0, -1, 1),
        calibbias: number(0, -2048, 2047),
      },
      shared: { sampling_frequency: rate(phy) },
    }),
  );
  const overflow = sticky(
    coreStatus.receiveOverflow,
    () => input.overflow,
    () => input.clearOverflow(),
  );
  const access = coreAccess(new Map([[coreRegister.status, overflow]]));
  return { id, name: RECEIVE_CORE, debug: { direct_reg_access: access }, buffer: aligned(), channels };
}

export function transmitCore(
  id: string,
  phy: PhyState,
  tones: ToneGenerators,
  output: ConverterOutput,
): ModelDevice {
  const generators = TONES.map(
    (tone, index): ModelChannel => ({
      id: `altvoltage${index}`,
      name: `TX${tone}`,
      output: true,
      attributes: {
        frequency: number(1_000_000, 0, 30_720_000),
        phase: number(0, 0, 360_000),
        raw: {
          read: () => (tones.isOn(index) ? '1' : '0'),
          write: (text) => tones.switch(index, flag(text)),
        },
        scale: number(0.25, 0, 1),
      },
      shared: { sampling_frequency: rate(phy) },
    }),
  );
  const samples = CHANNELS.map(
    (index): ModelChannel => ({
      id: `voltage${index}`,
      output: true,
      scan: { index, format: 'le:S16/16>>0' },
      attributes: { calibphase: number(0, -1, 1), calibscale: number(1, -2, 2) },
      shared: { sampling_frequency: rate(phy) },
    }),
  );
  const access = coreAccess(transmitRegisters(output));
  const channels = [...samples, ...generators];
  return { id, name: TRANSMIT_CORE, debug: { direct_reg_access: access }, buffer: aligned(), channels };
}

/** One selection for all channels: the driver sets them together, and any that is set back ends the samples. */
function transmitRegisters(output: ConverterOutput): Parameters<typeof coreAccess>[0] {
  const select = {
    read: () => (output.isSelected ? dataSource.samples : dataSource.generators),
    write: (value: number) => output.select((value & DATA_SOURCE_MASK) === dataSource.samples),
  };
  const underflow = sticky(
    coreStatus.transmitUnderflow,
    () => output.underflow,
    () => output.clearUnderflow(),
  );
  const selects = Array.from(
    { length: CORE_CHANNELS },
    (_, channel) => [coreRegister.dataSelect + channel * coreRegister.channelStep, select] as const,
  );
  return new Map([[coreRegister.status, underflow], ...selects]);
}

function aligned() {
  return { length_align_bytes: { read: () => String(MODEL.beatBytes) } };
}

/** Temperature and core supply of the programmable logic, as raw counts with offset and scale. */
export function supplyMonitor(id: string, temperatureC: () => number): ModelDevice {
  const scale = 123.040771484;
  const offset = -2219;
  const supplyScale = 0.732421875;
  return {
    id,
    name: 'xadc',
    channels: [
      {
        id: 'temp0',
        output: false,
        attributes: {
          offset: { read: () => String(offset) },
          raw: { read: () => count((temperatureC() * 1000) / scale - offset) },
          scale: { read: () => String(scale) },
        },
      },
      {
        id: 'voltage0',
        name: 'vccint',
        output: false,
        attributes: {
          raw: { read: () => count((MODEL.supplyV * 1000) / supplyScale) },
          scale: { read: () => String(supplyScale) },
        },
      },
    ],
  };
}

function rate(phy: PhyState): AttributeFile {
  return { read: () => String(phy.sampleRate) };
}

/** A number that is kept, within its bounds. */
function number(first: number, least: number, most: number): AttributeFile {
  let held = first;
  return {
    read: () => (Number.isInteger(held) && most > 2 ? String(held) : held.toFixed(6)),
    write: (text) => {
      const wanted = text.trim() === '' ? Number.NaN : Number(text);
      if (!(wanted >= least && wanted <= most)) {
        throw new IioFailure(errno.EINVAL, `"${text}" is not a number from ${least} to ${most}`);
      }
      held = wanted;
    },
  };
}

function count(value: number): string {
  return String(Math.min(RAW_MOST, Math.max(0, Math.round(value))));
}

function flag(text: string): boolean {
  const value = parseWhole(text);
  if (value !== 0 && value !== 1) throw new IioFailure(errno.EINVAL, `"${text}" is neither 0 nor 1`);
  return value === 1;
}
