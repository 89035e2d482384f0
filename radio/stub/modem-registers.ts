/**
 * The register bank of the modelled modem: what is written stays, counters count until cleared, and what the modem is
 * set to is read out of it.
 *
 * Y1. An address without a register is EINVAL; a write to one that is only read is EACCES.
 * Y2. A setting that means nothing (a modulation that does not exist, an interpolation of 0) is kept like any other:
 *     the modem then finds no lock.
 */

import { MODULATIONS, type Modulation } from '../../contract/bench/profile.ts';
import {
  controlBit,
  framingBit,
  MODEM_ID,
  type Register,
  type RegisterName,
  register,
  statusBit,
} from '../board/registers.ts';
import { errno, IioFailure } from '../iio/context.ts';
import type { Coding } from '../modulation.ts';
import { MODEM_RATES } from '../rates.ts';

/** Version 1.0 of the bank. */
const VERSION = 0x0001_0000;
const BY_ADDRESS = new Map<number, RegisterName>(
  (Object.keys(register) as RegisterName[]).map((name) => [register[name].address, name]),
);

/** Counters: a write of 1 clears them. */
export type Counter = 'overflow' | 'underflow' | 'corrected' | 'uncorrectable';
const COUNTERS: readonly string[] = ['overflow', 'underflow', 'corrected', 'uncorrectable'];

/** Bits of the status register. */
const SHOWN = {
  timing: statusBit.timingLock,
  carrier: statusBit.carrierLock,
  frameSync: statusBit.frameSync,
  transmitting: statusBit.transmitting,
} as const;

/** What modulator and demodulator have to agree on. */
export interface ModemSettings {
  /** Undefined: a code that means none. */
  readonly modulation: Modulation | undefined;
  readonly interpolation: number;
  readonly differential: boolean;
  readonly slots: boolean;
  readonly scrambler: boolean;
  readonly frameLength: number;
  readonly syncWord: number;
  readonly coding: Coding;
  readonly rolloff: number;
}

/** Values that the modem itself keeps up to date. */
export interface LiveRegisters {
  status(): Readonly<Record<keyof typeof SHOWN, boolean>>;
  sampleRate(): number;
}

export class ModemRegisters {
  readonly #values = new Map<RegisterName, number>([
    ['interpolation', 1],
    ['frameLength', 256],
    ['rolloff', Math.round(MODEM_RATES.rolloff * 1000)],
  ]);
  readonly #live: LiveRegisters;
  /** Called with a register that was written, with its value before. */
  readonly #written: (name: RegisterName, before: number) => void;
  #frames = 0;

  constructor(live: LiveRegisters, written: (name: RegisterName, before: number) => void) {
    this.#live = live;
    this.#written = written;
  }

  /** The register at an address; throws by Y1. */
  at(address: number): RegisterName {
    const name = BY_ADDRESS.get(address);
    if (name !== undefined) return name;
    throw new IioFailure(errno.EINVAL, `0x${address.toString(16)} is not a register of the modem`);
  }

  get(name: RegisterName): number {
    switch (name) {
      case 'id':
        return MODEM_ID;
      case 'version':
        return VERSION;
      case 'samplesPerSymbol':
        return MODEM_RATES.samplesPerSymbol;
      case 'status':
        return this.#status();
      case 'sampleRate':
        return this.#live.sampleRate();
      case 'frameCount':
        return this.#frames;
      default:
        return this.#values.get(name) ?? 0;
    }
  }

  write(name: RegisterName, value: number): void {
    const { writable, name: shown }: Register = register[name];
    if (!writable) throw new IioFailure(errno.EACCES, `${shown} is only read`);
    if (COUNTERS.includes(name)) return this.#clear(name, value);
    const before = this.get(name);
    this.#values.set(name, value >>> 0);
    this.#written(name, before);
  }

  count(counter: Counter, by = 1): void {
    this.#values.set(counter, (this.get(counter) + by) >>> 0);
  }

  countFrames(bytes: number): void {
    this.#frames = (this.#frames + Math.floor(bytes / Math.max(1, this.get('frameLength')))) >>> 0;
  }

  resetFrames(): void {
    this.#frames = 0;
  }

  has(bit: keyof typeof controlBit): boolean {
    return (this.get('control') & controlBit[bit]) !== 0;
  }

  /** Of a digital oscillator, in Hz. */
  offset(name: 'receiveOffset' | 'transmitOffset'): number {
    return this.get(name) | 0;
  }

  get settings(): ModemSettings {
    const framing = this.get('framing');
    const coding = this.get('coding');
    return {
      modulation: MODULATIONS[this.get('modulation')],
      interpolation: this.get('interpolation'),
      differential: (framing & framingBit.differential) !== 0,
      slots: (framing & framingBit.slots) !== 0,
      scrambler: (framing & framingBit.scrambler) !== 0,
      frameLength: this.get('frameLength'),
      syncWord: this.get('syncWord'),
      coding: {
        inner: (coding & 1) === 0 ? 'none' : 'conv-1/2',
        outer: (coding & 2) === 0 ? 'none' : 'rs-255-223',
      },
      rolloff: this.get('rolloff') / 1000,
    };
  }

  #status(): number {
    const held = this.#live.status();
    const names = Object.keys(SHOWN) as (keyof typeof SHOWN)[];
    return names.reduce((word, name) => word | (held[name] ? SHOWN[name] : 0), 0);
  }

  /** A counter takes a 1 as "clear", and nothing from any other value. */
  #clear(counter: RegisterName, value: number): void {
    if (value === 1) this.#values.set(counter, 0);
  }
}
