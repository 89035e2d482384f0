/**
 * What a write to an attribute is about, and what of the board no truth of the model shows: its level and its
 * registers.
 */

import { PHY } from '../../../radio/board/phy.ts';
import { controlBit, type RegisterName, register } from '../../../radio/board/registers.ts';
import type { IioAttribute } from '../../../radio/iio/context.ts';
import type { WriteKind } from './history.ts';

/** Of a board behind loading its driver. */
const COLD_LEVEL_DB = -10;

export class BoardMirror {
  #levelDb = COLD_LEVEL_DB;
  #secondDb = COLD_LEVEL_DB;
  #control = 0;

  get levelDb(): number {
    return this.#levelDb;
  }

  get control(): number {
    return this.#control;
  }

  /** Of the transmitter that the modem does not drive. */
  get secondDb(): number {
    return this.#secondDb;
  }

  level(db: number): void {
    this.#levelDb = db;
  }

  second(db: number): void {
    this.#secondDb = db;
  }

  controlled(word: number): void {
    this.#control = word;
  }

  get egressOpen(): boolean {
    return (this.#control & controlBit.egress) !== 0;
  }
}

export interface RecognisedWrite {
  readonly kind: WriteKind;
  readonly words: string;
  /** Once the board has taken it. */
  readonly kept?: () => void;
}

const OF_REGISTER: Readonly<Partial<Record<RegisterName, WriteKind>>> = {
  loopback: 'switch',
  clear: 'reset',
  receiveOffset: 'offset',
  transmitOffset: 'offset',
  overflow: 'counter',
  underflow: 'counter',
  corrected: 'counter',
  uncorrectable: 'counter',
};
const OF_ATTRIBUTE: Readonly<Record<string, WriteKind>> = {
  frequency: 'oscillator',
  powerdown: 'oscillator',
  gain_control_mode: 'gain',
  rf_bandwidth: 'bandwidth',
  sampling_frequency: 'rate',
  voltage_filter_fir_en: 'filter',
  ensm_mode: 'state',
  loopback: 'switch',
  raw: 'tone',
};
const BY_ADDRESS = new Map(
  (Object.keys(register) as RegisterName[]).map((name) => [register[name].address, name] as const),
);

/** Undefined: it is only the address of the register that is read next. */
export function writeOf(at: IioAttribute, value: string, mirror: BoardMirror): RecognisedWrite | undefined {
  if (at.name === 'direct_reg_access') return ofRegister(value, mirror);
  const words = `${at.of === 'channel' ? `${at.channel} ` : ''}${at.name} ${value}`;
  if (at.device === PHY && at.name === 'hardwaregain' && at.of === 'channel') {
    if (!at.output) return { kind: 'gain', words };
    const db = Number.parseFloat(value);
    return {
      kind: 'level',
      words,
      kept: () => (at.channel === 'voltage0' ? mirror.level(db) : mirror.second(db)),
    };
  }
  const kind = OF_ATTRIBUTE[at.name];
  if (kind === undefined) throw new Error(`nobody knows what a write to ${words} is about`);
  return { kind, words };
}

function ofRegister(text: string, mirror: BoardMirror): RecognisedWrite | undefined {
  const [address, value] = text.split(' ');
  if (value === undefined) return undefined;
  const name = BY_ADDRESS.get(Number(address));
  const words = `${name ?? address} ${value}`;
  if (name !== 'control') return { kind: (name && OF_REGISTER[name]) ?? 'modem', words };
  const changed = mirror.control ^ Number(value);
  const kind = (changed & ~controlBit.egress) === 0 ? 'egress' : 'reset';
  return { kind, words, kept: () => mirror.controlled(Number(value)) };
}
