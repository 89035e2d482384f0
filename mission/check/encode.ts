/**
 * The `encode` of a telecommand: its fields, where each gets its value, and what they make together. Mission Control
 * Service, section 2.1 (Encoded). Whether values fit is checked in `encode-fit.ts`.
 */

import { nearHelp } from '../../contract/near.ts';
import { readArgument } from '../argument.ts';
import type { ArgumentConfiguration } from '../configuration.ts';
import type { FaultsAt } from '../document/fault.ts';
import type { EncodeField } from '../document/layout.ts';
import type { TelecommandDocument } from '../document/platform.ts';
import type { EncodingConfiguration, EncodingFieldConfiguration } from '../layout/encoding.ts';
import { kindOfType } from '../layout/layout.ts';
import { boundsOf, isFloatType, isIntegerType, widthOf } from '../value-type.ts';
import { checkArgumentFits, checkConstantFits, checkInstancesFit, longestOf } from './encode-fit.ts';
import { checkLineEncode } from './encode-line.ts';
import type { TelecommandSite } from './site.ts';

export interface CheckedEncode {
  readonly encoding: EncodingConfiguration;
  /** Largest length of text and bytes arguments, by name. */
  readonly longest: ReadonlyMap<string, number>;
  /** Largest file identifier, when it is written as a number. */
  readonly maxFile: number | undefined;
}

/** The encoding as far as it holds. */
export function checkEncode(
  { encode = {}, instance }: TelecommandDocument,
  args: readonly ArgumentConfiguration[],
  site: TelecommandSite,
  faults: FaultsAt,
): CheckedEncode {
  const check = new EncodeCheck(args, site, instance === 'file');
  const { fields = [], line, ...header } = encode;
  if (line !== undefined) {
    const encoding = checkLineEncode(encode, line, args, site, faults);
    return { encoding, longest: check.longest, maxFile: check.maxFile };
  }
  const checked = fields.map((field, index) => check.field(field, faults.in('fields', index), index));
  if ((header.service === undefined) !== (header.subtype === undefined)) {
    faults.fault('service and subtype go together', 'give both or neither');
  }
  check.end(faults);
  return { encoding: { header, fields: checked }, longest: check.longest, maxFile: check.maxFile };
}

class EncodeCheck {
  readonly longest = new Map<string, number>();
  maxFile: number | undefined;
  readonly #args: ReadonlyMap<string, ArgumentConfiguration>;
  readonly #site: TelecommandSite;
  readonly #namesFile: boolean;
  readonly #used = new Set<string>();
  #bits = 0;

  constructor(args: readonly ArgumentConfiguration[], site: TelecommandSite, namesFile: boolean) {
    this.#args = new Map(args.map((argument) => [argument.name, argument]));
    this.#site = site;
    this.#namesFile = namesFile;
  }

  field(document: EncodeField, faults: FaultsAt, index: number): EncodingFieldConfiguration {
    const place = placeOf(document, this.#bits, faults);
    this.#bits += place.bits + (place.prefix ?? 0);
    if ((document.value === undefined) === (document.from === undefined)) {
      faults.fault('a field writes a constant or an argument', 'give exactly one of value and from');
      return place;
    }
    if (document.value !== undefined) return this.#constant(document, place, faults.in('value'), index);
    if (document.from === '$instance') return this.#instance(document, place, faults.in('from'));
    return this.#argument(document, place, faults.in('from'));
  }

  /** What can only be said of all fields: an argument that none writes never reaches the spacecraft. */
  end(faults: FaultsAt): void {
    if (this.#bits % 8 !== 0) {
      faults.fault(`the fields make ${this.#bits} bits, not whole bytes`, 'add a constant field of the rest');
    }
    for (const name of this.#args.keys()) {
      if (this.#used.has(name)) continue;
      faults.fault(`no field writes the argument "${name}"`, `add { type: …, from: $${name} }`);
    }
  }

  #constant(
    { type, value }: EncodeField,
    place: EncodingFieldConfiguration,
    faults: FaultsAt,
    index: number,
  ): EncodingFieldConfiguration {
    const written = this.#site.source(['encode', 'fields', index, 'value']);
    const literal =
      type === 'bytes' || (typeof value === 'number' && isIntegerType(type) && !Number.isSafeInteger(value));
    const read = readArgument(
      { type, unit: undefined, range: undefined, enumeration: undefined },
      literal ? written : value,
    );
    if (!read.ok) {
      for (const { message, help } of read.faults) faults.fault(message, help);
      return place;
    }
    const constant = typeof read.value === 'boolean' ? Number(read.value) : read.value;
    checkConstantFits(place, constant, faults);
    return { ...place, value: constant };
  }

  #instance(
    { type }: EncodeField,
    place: EncodingFieldConfiguration,
    faults: FaultsAt,
  ): EncodingFieldConfiguration {
    const { instances, files, component } = this.#site;
    if (files && !this.#namesFile) {
      faults.fault('the telecommand names no file', 'add `instance: file` to it');
    }
    if (!files && instances.length === 0) {
      faults.fault(`${component} has no instances`, 'write a constant instead');
    }
    if (files && isIntegerType(type)) {
      const most = Number(boundsOf(place.kind === 'signed', place.bits).most);
      this.maxFile = Math.min(this.maxFile ?? most, most, Number.MAX_SAFE_INTEGER);
    } else if (files) {
      faults.fault('file identifiers are written as numbers', 'take an unsigned integer type');
    }
    checkInstancesFit(type, place, instances, faults);
    return { ...place, instance: true };
  }

  #argument(
    { type, from = '' }: EncodeField,
    place: EncodingFieldConfiguration,
    faults: FaultsAt,
  ): EncodingFieldConfiguration {
    const name = from.slice(1);
    const argument = this.#args.get(name);
    if (argument === undefined) {
      faults.fault(
        `the telecommand has no argument "${name}"`,
        nearHelp(name, this.#args.keys(), 'arguments'),
      );
      return place;
    }
    this.#used.add(name);
    const enumeration = this.#site.frame.enumerations.get(argument.type);
    checkArgumentFits(type, place, argument, enumeration, faults);
    if (argument.type === 'string' || argument.type === 'bytes') {
      const longest = longestOf(place);
      this.longest.set(name, Math.min(this.longest.get(name) ?? longest, longest));
    }
    return { ...place, argument: name, ...(enumeration !== undefined && { enumeration: enumeration.name }) };
  }
}

/** What a field takes up that begins after so many bits. */
function placeOf(document: EncodeField, before: number, faults: FaultsAt): EncodingFieldConfiguration {
  const { type, bits, endian, length, size, scale } = document;
  const text = type === 'string' || type === 'bytes';
  if (text) checkTextPlace(document, before, faults);
  else checkNumberPlace(document, before, faults);
  return {
    kind: kindOfType(type),
    bits: text ? 0 : (bits ?? widthOf(type) ?? 0),
    ...(endian === 'little' && { little: true as const }),
    ...(scale !== undefined && { scale }),
    ...(length !== undefined && { prefix: length === 'u8' ? (8 as const) : (16 as const) }),
    ...(size !== undefined && { size }),
  };
}

function checkTextPlace(document: EncodeField, before: number, faults: FaultsAt): void {
  const { type, length, size } = document;
  if ((length === undefined) === (size === undefined)) {
    faults.fault(
      `a ${type} field needs a length`,
      'give `length: u8` or `u16` to write it first, or a fixed `size`',
    );
  }
  if (before % 8 !== 0) faults.fault(`a ${type} field begins inside a byte`, 'fill up the byte before it');
  for (const key of ['bits', 'endian', 'scale'] as const) {
    if (document[key] !== undefined) faults.in(key).fault(`a ${type} field has no ${key}`, 'leave it out');
  }
}

function checkNumberPlace(document: EncodeField, before: number, faults: FaultsAt): void {
  const { type, bits, endian, length, size, scale } = document;
  if (length !== undefined || size !== undefined) {
    faults.fault(`length and size are for string and bytes, not for ${type}`, 'leave them out');
  }
  const width = widthOf(type) ?? 0;
  const most = type === 'bool' ? 32 : width;
  if (bits !== undefined && (isFloatType(type) ? bits !== most : bits > most)) {
    faults.in('bits').fault(`${type} does not have ${bits} bits`, 'leave bits out, or take a wider type');
  }
  if (endian === 'little' && ((bits ?? width) % 8 !== 0 || before % 8 !== 0)) {
    faults.in('endian').fault('little endian needs whole bytes at a byte boundary', 'leave it out');
  }
  if (scale === 0 || (scale !== undefined && type === 'bool')) {
    faults.in('scale').fault('no scale fits here', 'leave it out');
  }
}
