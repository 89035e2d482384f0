/**
 * The modem in the programmable logic, by its register bank.
 *
 * M1. `direct_reg_access` takes an address and gives the value of the address taken last: nobody else may come between
 *     the two, so one access follows the other.
 * M2. A bank that does not identify itself as the modem is nobody's: nothing of it is read or written but its
 *     identification.
 * M3. Closing the egress goes before every access that waits. Behind one that does not end in time it is written past
 *     it, by what was last seen of the register; what that access read or wrote meanwhile is done again.
 */

import type { IioContext } from '../iio/context.ts';
import { errno, IioFailure } from '../iio/context.ts';
import { controlBit, MODEM_ID, modemDevice, type Register, register } from './registers.ts';
import { Interrupted } from './stops.ts';

const ACCESS = { device: modemDevice.control, of: 'debug', name: 'direct_reg_access' } as const;

/** Times that a wrong identification is doubted. */
const IDENTIFY_AGAIN = 2;

/** Resolves when something has taken too long; nothing is left of it once that has ended. */
export type Late = (until: Promise<unknown>) => Promise<void>;

/** A way to attributes. */
export type Attributes = Pick<IioContext, 'devices' | 'read' | 'write'>;

export class Modem {
  readonly #context: Attributes;
  readonly #urgent: Attributes;
  readonly #waiting: (() => void)[] = [];
  #isBusy = false;
  /** It has identified itself (M2). */
  #isKnown = false;
  /** Of the control register, as it was last read or written. */
  #control = 0;
  /** Writes past an access under way (M3). */
  #passed = 0;

  /** `urgent`: a way for what waits for nothing asked on the other; default: the same. */
  constructor(context: Attributes, urgent: Attributes = context) {
    this.#context = context;
    this.#urgent = urgent;
  }

  /** Value of a register as 32 bits without sign. */
  read(at: Register): Promise<number> {
    return this.#inTurn(async () => {
      await this.#identify(at);
      return this.#read(at);
    });
  }

  /** Writes a register and reads it back; rejects with EIO when it holds something else. */
  write(at: Register, value: number): Promise<void> {
    return this.#inTurn(async () => {
      await this.#identify(at);
      await this.#write(at, value);
      const held = await this.#read(at);
      if (held === value >>> 0) return;
      const reported = `${modemDevice.control} ${at.name} holds ${hex(held)} after a write of ${hex(value)}`;
      throw new IioFailure(errno.EIO, reported);
    });
  }

  /** Changes the bits of the mask to those of the value. */
  change(at: Register, mask: number, value: number): Promise<void> {
    return this.#inTurn(() => this.#change(at, mask, value, this.#context));
  }

  /** Writes a register without looking what it holds then: bits that clear themselves. */
  strobe(at: Register, value: number): Promise<void> {
    return this.#inTurn(async () => {
      await this.#identify(at);
      await this.#write(at, value);
    });
  }

  /** Closes the egress ahead of everything (M3); `late` says when an access under way has had its time. */
  async closeEgress(late: Late): Promise<void> {
    let isBegun = false;
    const closed = this.#inTurn(async () => {
      isBegun = true;
      await this.#change(register.control, controlBit.egress, 0, this.#urgent);
    }, true);
    closed.catch(() => undefined);
    await Promise.race([closed.catch(() => undefined), late(closed)]);
    if (!isBegun && this.#isKnown) {
      this.#passed += 1;
      const word = this.#control & ~controlBit.egress;
      await this.#urgent.write(ACCESS, `${hex(register.control.address)} ${hex(word)}`);
      return;
    }
    await closed;
  }

  /** `1.3`; rejects with ENODEV when the bank is not that of the modem. */
  async version(): Promise<string> {
    return this.#inTurn(async () => {
      this.#isKnown = false;
      await this.#identify(register.version);
      const version = await this.#read(register.version);
      return `${version >>> 16}.${version & 0xffff}`;
    });
  }

  async #inTurn<Value>(access: () => Promise<Value>, isUrgent = false): Promise<Value> {
    await this.#turn(isUrgent);
    try {
      return await access();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#isBusy = false;
      else next();
    }
  }

  #turn(isUrgent: boolean): Promise<void> | undefined {
    if (!this.#isBusy) {
      this.#isBusy = true;
      return undefined;
    }
    return new Promise((begin) => {
      if (isUrgent) this.#waiting.unshift(begin);
      else this.#waiting.push(begin);
    });
  }

  /** M2 */
  async #identify(at: Register): Promise<void> {
    if (this.#isKnown || at === register.id) return;
    let id = await this.#read(register.id);
    // Another tool may have come between an address and its value.
    for (let again = 0; id !== MODEM_ID && again < IDENTIFY_AGAIN; again += 1)
      id = await this.#read(register.id);
    if (id !== MODEM_ID)
      throw new IioFailure(
        errno.ENODEV,
        `${modemDevice.control} identifies itself as ${hex(id)}, not as the modem`,
      );
    this.#isKnown = true;
  }

  async #change(at: Register, mask: number, value: number, by: Attributes): Promise<void> {
    await this.#identify(at);
    for (;;) {
      const passed = this.#passed;
      const held = await this.#read(at, by);
      if (this.#passed !== passed) continue;
      await this.#write(at, (held & ~mask) | (value & mask), by);
      if (this.#passed === passed || at !== register.control) return;
      // Written past meanwhile: the egress was closed, and stays closed.
      await this.#write(at, ((held & ~mask) | (value & mask)) & ~controlBit.egress, by);
      if ((value & mask & controlBit.egress) === 0) return;
      throw new Interrupted('the egress was closed while it was being opened');
    }
  }

  async #read(at: Register, by = this.#context): Promise<number> {
    const { address, name } = at;
    for (;;) {
      const passed = this.#passed;
      await by.write(ACCESS, hex(address));
      const text = await by.read(ACCESS);
      if (this.#passed !== passed) continue;
      const value = Number(text);
      if (text === '' || !Number.isInteger(value))
        throw new IioFailure(errno.EIO, `${modemDevice.control} ${name} reads "${text}", which is no number`);
      if (at === register.control) this.#control = value >>> 0;
      return value >>> 0;
    }
  }

  async #write(at: Register, value: number, by = this.#context): Promise<void> {
    await by.write(ACCESS, `${hex(at.address)} ${hex(value)}`);
    if (at === register.control) this.#control = value >>> 0;
  }
}

/** A register's 32 bits as the signed number they stand for. */
export function signed(value: number): number {
  return value | 0;
}

function hex(value: number): string {
  return `0x${(value >>> 0).toString(16)}`;
}
