/**
 * Writes the application data of telecommands: the fields of its `encode`, one after the other. Mission Control
 * Service, section 2.1 (Encoded).
 *
 * E1. Everything that cannot fit was refused when the document was compiled or the arguments resolved; what still
 *     does not fit here is a defect.
 */

import { assert } from '../../contract/assert.ts';
import type { ResolvedValue } from '../../contract/telecommand.ts';
import type { Encoding, Enumeration, LineWriter } from '../platform.ts';
import { boundsOf } from '../value-type.ts';
import { BitWriter } from './bits.ts';
import type { FieldKind } from './layout.ts';

export interface EncodingFieldConfiguration {
  readonly kind: FieldKind;
  /** Of text and bytes 0. */
  readonly bits: number;
  readonly little?: true;
  /** A constant; an integer past 2^53 as decimal text. */
  readonly value?: number | string;
  readonly argument?: string;
  readonly instance?: true;
  readonly scale?: number;
  /** Enumeration of the argument. */
  readonly enumeration?: string;
  readonly prefix?: 8 | 16;
  /** Bytes of a text or bytes field: filled up with zero bytes. */
  readonly size?: number;
}

export interface EncodingConfiguration {
  readonly header: Readonly<Record<string, number>>;
  readonly fields: readonly EncodingFieldConfiguration[];
  /** The template of a line of text, instead of fields. */
  readonly line?: string;
}

type FieldWriter = (
  into: BitWriter,
  args: Readonly<Record<string, ResolvedValue>>,
  instance: string | undefined,
) => void;

/** The encoding; `enumeration` knows every one it names, `line` writes its template if it has one. */
export function createEncoding(
  configuration: EncodingConfiguration,
  enumeration: (name: string) => Enumeration,
  line?: LineWriter,
): Encoding {
  const writers = configuration.fields.map((field) => fieldWriter(field, enumeration));
  return Object.freeze({
    header: Object.freeze({ ...configuration.header }),
    data(args: Readonly<Record<string, ResolvedValue>>, instance: string | undefined) {
      const into = new BitWriter();
      for (const write of writers) write(into, args, instance);
      return into.finish();
    },
    ...(line !== undefined && { line }),
  });
}

function fieldWriter(
  field: EncodingFieldConfiguration,
  enumeration: (name: string) => Enumeration,
): FieldWriter {
  const value = valueReader(
    field,
    field.enumeration === undefined ? undefined : enumeration(field.enumeration),
  );
  if (field.kind === 'string' || field.kind === 'bytes') {
    return (into, args, instance) => writeBytes(into, field, bytesOf(field, value(args, instance)));
  }
  if (field.kind === 'float')
    return (into, args, instance) => writeFloat(into, field, Number(value(args, instance)));
  return (into, args, instance) => writeInteger(into, field, integerOf(value(args, instance), field.scale));
}

function valueReader(
  { value, argument, instance: own }: EncodingFieldConfiguration,
  enumeration: Enumeration | undefined,
): (args: Readonly<Record<string, ResolvedValue>>, instance: string | undefined) => ResolvedValue {
  if (value !== undefined) return () => value;
  return (args, instance) => {
    const given = own === true ? instance : args[argument ?? ''];
    assert(given !== undefined, 'E1');
    const number = enumeration === undefined ? given : enumeration.numberOf(String(given));
    assert(number !== undefined, 'E1');
    return number;
  };
}

function integerOf(value: ResolvedValue, scale: number | undefined): bigint {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'string') return BigInt(value);
  return BigInt(Math.round(scale === undefined ? value : value / scale));
}

function writeInteger(
  into: BitWriter,
  { kind, bits, little }: EncodingFieldConfiguration,
  value: bigint,
): void {
  const { least, most } = boundsOf(kind === 'signed', bits);
  assert(value >= least && value <= most, 'E1');
  const unsigned = BigInt.asUintN(bits, value);
  into.write(little === true ? swapped(unsigned, bits / 8) : unsigned, bits);
}

function writeFloat(
  into: BitWriter,
  { bits, little, scale = 1 }: EncodingFieldConfiguration,
  value: number,
): void {
  const bytes = Buffer.alloc(bits / 8);
  if (bits === 32) bytes.writeFloatBE(value / scale);
  else bytes.writeDoubleBE(value / scale);
  const unsigned = bits === 32 ? BigInt(bytes.readUInt32BE()) : bytes.readBigUInt64BE();
  into.write(little === true ? swapped(unsigned, bits / 8) : unsigned, bits);
}

function swapped(value: bigint, bytes: number): bigint {
  let result = 0n;
  for (let place = 0n; place < bytes; place += 1n)
    result = (result << 8n) | ((value >> (8n * place)) & 0xffn);
  return result;
}

function bytesOf({ kind, size }: EncodingFieldConfiguration, value: ResolvedValue): Buffer {
  const bytes = Buffer.from(String(value), kind === 'bytes' ? 'hex' : 'utf8');
  if (size === undefined) return bytes;
  assert(bytes.length <= size, 'E1');
  return Buffer.concat([bytes], size);
}

function writeBytes(into: BitWriter, { prefix }: EncodingFieldConfiguration, bytes: Buffer): void {
  if (prefix !== undefined) {
    assert(bytes.length < 2 ** prefix, 'E1');
    into.write(BigInt(bytes.length), prefix);
  }
  into.append(bytes);
}
