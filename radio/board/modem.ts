/**
 * The modem in the programmable logic, by its register bank.
 *
 * M1. `direct_reg_access` takes an address and gives the value of the address taken last: nobody else may come between the
 *     two, so one access follows the other.
 */

import type { IioContext } from '../iio/context.ts';
import { errno, IioFailure } from '../iio/context.ts';
import { MODEM_ID, modemDevice, type Register, register } from './registers.ts';

const ACCESS = { device: modemDevice.control, of: 'debug', name: 'direct_reg_access' } as const;

export class Modem {
  readonly #context: IioContext;
  #last: Promise<unknown> = Promise.resolve();

  constructor(context: IioContext) {
    this.#context = context;
  }

  /** Value of a register as 32 bits without sign. */
  read(at: Register): Promise<number> {
    return this.#inTurn(() => this.#read(at));
  }

  /** Writes a register and reads it back; rejects with EIO when it holds something else. */
  write(at: Register, value: number): Promise<void> {
    return this.#inTurn(async () => {
      await this.#write(at, value);
      const held = await this.#read(at);
      if (held === value >>> 0) return;
      const told = `${modemDevice.control} ${at.name} holds ${hex(held)} after a write of ${hex(value)}`;
      throw new IioFailure(errno.EIO, told);
    });
  }

  /** Changes the bits of the mask to those of the value. */
  change(at: Register, mask: number, value: number): Promise<void> {
    return this.#inTurn(async () => {
      const held = await this.#read(at);
      await this.#write(at, (held & ~mask) | (value & mask));
    });
  }

  /** Writes a register without looking what it holds then: bits that clear themselves. */
  strobe(at: Register, value: number): Promise<void> {
    return this.#inTurn(() => this.#write(at, value));
  }

  /** `1.3`; rejects with ENODEV when the bank is not that of the modem. */
  async version(): Promise<string> {
    const id = await this.read(register.id);
    if (id !== MODEM_ID)
      throw new IioFailure(
        errno.ENODEV,
        `${modemDevice.control} identifies itself as ${hex(id)}, not as the modem`,
      );
    const version = await this.read(register.version);
    return `${version >>> 16}.${version & 0xffff}`;
  }

  #inTurn<Value>(access: () => Promise<Value>): Promise<Value> {
    const turn = this.#last.then(access, access);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #read({ address, name }: Register): Promise<number> {
    await this.#context.write(ACCESS, hex(address));
    const text = await this.#context.read(ACCESS);
    const value = Number(text);
    if (text !== '' && Number.isInteger(value)) return value >>> 0;
    throw new IioFailure(errno.EIO, `${modemDevice.control} ${name} reads "${text}", which is no number`);
  }

  #write({ address }: Register, value: number): Promise<void> {
    return this.#context.write(ACCESS, `${hex(address)} ${hex(value)}`);
  }
}

/** A register's 32 bits as the signed number they stand for. */
export function signed(value: number): number {
  return value | 0;
}

function hex(value: number): string {
  return `0x${(value >>> 0).toString(16)}`;
}
