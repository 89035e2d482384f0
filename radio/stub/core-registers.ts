/**
 * Registers of a converter core behind its debug attribute `direct_reg_access`: what streaming tools ask of them.
 * Others read 0 and keep nothing.
 *
 * G1. An address alone is looked up by the next read; an address with a value is written.
 */

import type { AttributeFile } from './attribute-files.ts';
import { parseAccess } from './modem-devices.ts';

interface CoreRegister {
  readonly read: () => number;
  readonly write: (value: number) => void;
}

/** The attribute, for registers by their address. */
export function coreAccess(registers: ReadonlyMap<number, CoreRegister>): AttributeFile {
  let address = 0;
  return {
    read: () => `0x${((registers.get(address)?.read() ?? 0) >>> 0).toString(16).toUpperCase()}`,
    write: (text) => {
      const [at, value] = parseAccess(text);
      address = at;
      if (value !== undefined) registers.get(at)?.write(value);
    },
  };
}

/** Bits that stay set until a 1 is written to them. */
export function sticky(bit: number, isSet: () => boolean, clear: () => void): CoreRegister {
  return {
    read: () => (isSet() ? bit : 0),
    write: (value) => {
      if ((value & bit) !== 0) clear();
    },
  };
}
