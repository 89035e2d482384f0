/**
 * Fields of a layout as closures: each reads its bits out of a packet and writes one raw value. Fields at whole bytes
 * take the short way. Mission Control Service, section 2.1 (DecodedSample raw).
 *
 * W1. The length of the packet was checked before: a reader of a fixed field never looks at it.
 * W2. What no double holds goes to `wide` under its index, and NaN stands in its place (batch.B3 of the batch).
 */

import type { GrowingBlock } from '../../contract/batch.ts';
import {
  readLittle,
  readLittleWide,
  readUnsigned,
  readUnsignedWide,
  signedOf,
  signedWideOf,
} from './bits.ts';
import type { FieldConfiguration } from './layout.ts';

/** Reads one field of a packet into `raw[index]`. */
export type FieldReader = (packet: Buffer, raw: Float64Array, offset: number, block: GrowingBlock) => void;

/** Bits a double holds exactly. */
const EXACT_BITS = 53;

/** The reader of a fixed field that writes to the column. */
export function fieldReader(field: FieldConfiguration, column: number): FieldReader {
  if (field.kind === 'string' || field.kind === 'bytes') return textReader(field, column);
  const number = numberReader(field);
  if (number === undefined) return wideReader(field, column);
  const { scale } = field;
  if (scale === undefined) {
    return (
      aligned(field, column) ??
      ((packet, raw, offset) => {
        raw[offset + column] = number(packet);
      })
    );
  }
  return (packet, raw, offset) => {
    raw[offset + column] = number(packet) * scale;
  };
}

/** The field's number, or undefined when a double may not hold it. */
export function numberReader(
  field: Omit<FieldConfiguration, 'origin'>,
): ((packet: Buffer) => number) | undefined {
  const { at, bits, kind } = field;
  if (kind === 'float') return floatReader(field);
  if (bits > EXACT_BITS) return undefined;
  const unsigned = unsignedReader(field);
  if (kind === 'signed') return (packet) => signedOf(unsigned(packet), bits);
  if (kind === 'bool') return bits === 1 ? bitReader(at) : (packet) => (unsigned(packet) === 0 ? 0 : 1);
  return unsigned;
}

/** Byte-aligned fields without scale: written without a second call. */
function aligned({ kind, at, bits, little }: FieldConfiguration, column: number): FieldReader | undefined {
  if (at % 8 !== 0 || little === true) return undefined;
  const i = at / 8;
  if (kind === 'float' && bits === 32) {
    return (packet, raw, offset) => {
      raw[offset + column] = packet.readFloatBE(i);
    };
  }
  if (kind !== 'unsigned') return undefined;
  if (bits === 8) {
    return (packet, raw, offset) => {
      raw[offset + column] = packet[i] as number;
    };
  }
  if (bits === 16) {
    return (packet, raw, offset) => {
      raw[offset + column] = ((packet[i] as number) << 8) | (packet[i + 1] as number);
    };
  }
  if (bits === 32) {
    return (packet, raw, offset) => {
      raw[offset + column] = packet.readUInt32BE(i);
    };
  }
  return undefined;
}

function unsignedReader(field: { at: number; bits: number; little?: true }): (packet: Buffer) => number {
  const { at, bits, little } = field;
  if (at % 8 === 0 && bits % 8 === 0) {
    const [i, count] = [at / 8, bits / 8];
    if (little === true) return (packet) => readLittle(packet, i, count);
    if (bits === 8) return (packet) => packet[i] as number;
    if (bits === 16) return (packet) => ((packet[i] as number) << 8) | (packet[i + 1] as number);
    if (bits === 32) return (packet) => packet.readUInt32BE(i);
  }
  const shift = 8 - (at % 8) - bits;
  if (shift >= 0) {
    const [i, mask] = [at >>> 3, (1 << bits) - 1];
    return (packet) => ((packet[i] as number) >>> shift) & mask;
  }
  return (packet) => readUnsigned(packet, at, bits);
}

function bitReader(at: number): (packet: Buffer) => number {
  const [i, shift] = [at >>> 3, 7 - (at & 7)];
  return (packet) => ((packet[i] as number) >>> shift) & 1;
}

function floatReader({
  at,
  bits,
  little,
}: {
  at: number;
  bits: number;
  little?: true;
}): (packet: Buffer) => number {
  if (at % 8 !== 0) return unalignedFloatReader(at, bits);
  const i = at / 8;
  if (bits === 32) return little ? (packet) => packet.readFloatLE(i) : (packet) => packet.readFloatBE(i);
  return little ? (packet) => packet.readDoubleLE(i) : (packet) => packet.readDoubleBE(i);
}

function unalignedFloatReader(at: number, bits: number): (packet: Buffer) => number {
  const scratch = Buffer.alloc(8);
  return (packet) => {
    scratch.writeBigUInt64BE(readUnsignedWide(packet, at, bits) << BigInt(64 - bits));
    return bits === 32 ? scratch.readFloatBE(0) : scratch.readDoubleBE(0);
  };
}

function wideReader(field: FieldConfiguration, column: number): FieldReader {
  const { at, bits, little, kind } = field;
  return (packet, raw, offset, block) => {
    const unsigned =
      little === true ? readLittleWide(packet, at / 8, bits / 8) : readUnsignedWide(packet, at, bits);
    putInteger(kind === 'signed' ? signedWideOf(unsigned, bits) : unsigned, raw, offset + column, block);
  };
}

function putInteger(value: bigint, raw: Float64Array, index: number, block: GrowingBlock): void {
  const number = Number(value);
  if (Number.isSafeInteger(number)) {
    raw[index] = number;
    return;
  }
  raw[index] = Number.NaN;
  block.wide.push([index, value]);
}

function textReader({ kind, at, bits }: FieldConfiguration, column: number): FieldReader {
  const [start, end] = [at / 8, (at + bits) / 8];
  return (packet, raw, offset, block) => {
    putText(packet.subarray(start, end), kind === 'string', raw, offset + column, block);
  };
}

/** Puts bytes as text (up to the padding of zero bytes) or as hexadecimal. */
export function putText(
  bytes: Buffer,
  isText: boolean,
  raw: Float64Array,
  index: number,
  block: GrowingBlock,
): void {
  raw[index] = Number.NaN;
  block.wide.push([index, isText ? bytes.toString('utf8').replace(/\0+$/, '') : bytes.toString('hex')]);
}
