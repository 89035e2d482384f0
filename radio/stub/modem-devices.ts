/**
 * The modem as its driver shows it: registers and clocks of the control device, buffers of bytes for capture and
 * output.
 */

import { modemDevice, type RegisterName, register } from '../board/registers.ts';
import { errno, IioFailure } from '../iio/context.ts';
import type { ModelDevice } from './attribute-files.ts';
import { MODEL } from './constants.ts';
import type { ModemRegisters } from './modem-registers.ts';

const BYTES = { index: 0, format: 'le:U8/8>>0' } as const;
const ACCESS = /^(0x[0-9a-f]{1,8}|\d{1,10})(?:\s+(0x[0-9a-f]{1,8}|\d{1,10}))?$/i;

/** Registers as `direct_reg_access` reaches them; throws for one that does not answer. */
export interface RegisterAccess {
  readonly registers: ModemRegisters;
  isDead(name: RegisterName): boolean;
}

export function controlDevice(id: string, access: RegisterAccess, clocks: () => string): ModelDevice {
  let address = 0;
  return {
    id,
    name: modemDevice.control,
    attributes: { clocks: { read: clocks } },
    debug: {
      // An address alone is looked up by the next read; an address with a value is written.
      direct_reg_access: {
        read: () => {
          const value = access.registers.get(answering(access, address));
          return `0x${value.toString(16).toUpperCase()}`;
        },
        write: (text) => {
          const [at, value] = parseAccess(text);
          address = at;
          if (value !== undefined) access.registers.write(answering(access, at), value);
        },
      },
    },
  };
}

export function captureDevice(id: string): ModelDevice {
  return { id, name: modemDevice.receive, buffer: ring(), channels: [bytes(false)] };
}

export function outputDevice(id: string): ModelDevice {
  return { id, name: modemDevice.transmit, buffer: ring(), channels: [bytes(true)] };
}

function bytes(output: boolean) {
  return { id: 'voltage0', output, attributes: {}, scan: BYTES };
}

function ring() {
  return { length_align_bytes: { read: () => String(MODEL.beatBytes) } };
}

/** A register with or without a value. */
export function parseAccess(text: string): readonly [number, number | undefined] {
  const found = ACCESS.exec(text.trim());
  if (found === null)
    throw new IioFailure(errno.EINVAL, `"${text}" is not a register with or without a value`);
  const [, address, value] = found;
  return [Number(address), value === undefined ? undefined : Number(value)];
}

function answering({ registers, isDead }: RegisterAccess, address: number): RegisterName {
  const name = registers.at(address);
  if (isDead(name)) throw new IioFailure(errno.EIO, `register ${register[name].name} does not answer`);
  return name;
}
