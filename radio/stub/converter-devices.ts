/**
 * The devices around the modelled AD9361: its converter cores, with the generators of test tones, and the monitor of the board's
 * own supply. The sample buffers of the cores are not modelled: the modem sits between them and what a user sees, so they have no
 * scan elements.
 */

import { parseWhole } from '../ad9361/attribute-text.ts';
import { errno, IioFailure } from '../iio/context.ts';
import type { AttributeFile, ModelChannel, ModelDevice } from './attribute-files.ts';
import { MODEL } from './constants.ts';
import type { PhyState } from './phy-state.ts';

/** Two tones for each of I and Q of two channels, in the order of the core. */
const TONES = ['1_I_F1', '1_I_F2', '1_Q_F1', '1_Q_F2', '2_I_F1', '2_I_F2', '2_Q_F1', '2_Q_F2'];
const RAW_MOST = 4095;

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

export function receiveCore(id: string, phy: PhyState): ModelDevice {
  const channels = [0, 1, 2, 3].map(
    (index): ModelChannel => ({
      ...{ id: `voltage${index}`, output: false },
      attributes: {
        calibscale: number(1, -2, 2),
        calibphase: number(0, -1, 1),
        calibbias: number(0, -2048, 2047),
      },
      shared: { sampling_frequency: rate(phy) },
    }),
  );
  return { id, name: 'cf-ad9361-lpc', channels };
}

export function transmitCore(id: string, phy: PhyState, tones: ToneGenerators): ModelDevice {
  const channels = TONES.map(
    (tone, index): ModelChannel => ({
      ...{ id: `altvoltage${index}`, name: `TX${tone}`, output: true },
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
  return { id, name: 'cf-ad9361-dds-core-lpc', channels };
}

/** Temperature and core supply of the programmable logic, as raw counts with offset and scale. */
export function supplyMonitor(id: string, temperatureC: () => number): ModelDevice {
  const scale = 123.040771484;
  const offset = -2219;
  const supplyScale = 0.732421875;
  return {
    ...{ id, name: 'xadc' },
    channels: [
      {
        ...{ id: 'temp0', output: false },
        attributes: {
          offset: { read: () => String(offset) },
          raw: { read: () => count((temperatureC() * 1000) / scale - offset) },
          scale: { read: () => String(scale) },
        },
      },
      {
        ...{ id: 'voltage0', name: 'vccint', output: false },
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
        throw new IioFailure(errno.EINVAL, `"${text}" is no number from ${least} to ${most}`);
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
