/**
 * Whether everything a field may be asked to write fits in it: what does not is refused while the documents are
 * compiled, so that no telecommand is refused, or sent wrong, in flight.
 */

import type { ArgumentConfiguration } from '../configuration.ts';
import type { FaultsAt } from '../document/fault.ts';
import type { EncodingFieldConfiguration } from '../layout/encoding.ts';
import type { Enumeration } from '../platform.ts';
import {
  boundsOf,
  integerBounds,
  isFloatType,
  isIntegerType,
  isNumberType,
  LARGEST_F32,
} from '../value-type.ts';

type EncodedField = EncodingFieldConfiguration;
type End = number | bigint | null;

const F32 = { least: -LARGEST_F32, most: LARGEST_F32 };

/** Most bytes of a text or bytes field. */
export function longestOf({ prefix, size }: EncodedField): number {
  return size ?? 2 ** (prefix ?? 16) - 1;
}

/** Reports a constant that is too large. */
export function checkConstantFits(place: EncodedField, value: number | string, faults: FaultsAt): void {
  if (place.kind === 'float') return;
  if (place.kind === 'string' || place.kind === 'bytes') {
    const bytes = place.kind === 'bytes' ? String(value).length / 2 : Buffer.byteLength(String(value));
    if (bytes <= longestOf(place)) return;
    faults.fault(`${bytes} bytes do not fit in ${longestOf(place)}`, 'enlarge the field');
    return;
  }
  const { least, most } = boundsOf(place.kind === 'signed', place.bits);
  if (BigInt(value) >= least && BigInt(value) <= most) return;
  faults.fault(`${value} does not fit in ${place.bits} bits`, `${least} to ${most} do`);
}

/** Reports instances that the field cannot write. */
export function checkInstancesFit(
  type: string,
  place: EncodedField,
  instances: readonly string[],
  faults: FaultsAt,
): void {
  if (!isIntegerType(type) && type !== 'string') {
    faults.fault(`an instance is no ${type}`, 'take an unsigned integer type or string');
    return;
  }
  const longest = longestOf(place);
  const { most } = boundsOf(place.kind === 'signed', place.bits);
  const fits = (instance: string): boolean =>
    type === 'string' ? instance.length <= longest : /^\d{1,15}$/.test(instance) && BigInt(instance) <= most;
  const odd = instances.filter((instance) => !fits(instance));
  if (odd.length === 0) return;
  const help = type === 'string' ? 'enlarge the field' : 'write instances as string';
  faults.fault(`instance ${odd.join(', ')} does not fit ${type}`, help);
}

/** Reports an argument that may have values the field cannot write. */
export function checkArgumentFits(
  type: string,
  place: EncodedField,
  argument: ArgumentConfiguration,
  enumeration: Enumeration | undefined,
  faults: FaultsAt,
): void {
  if (enumeration !== undefined) checkNumbersFit(type, place, endsOfEnumeration(enumeration), faults);
  else if (argument.type === 'string' || argument.type === 'bytes')
    checkTextFits(type, place, argument, faults);
  else if (argument.type === 'bool') checkBooleanFits(type, faults);
  else checkNumbersFit(type, place, endsOf(argument), faults);
}

function checkTextFits(
  type: string,
  place: EncodedField,
  argument: ArgumentConfiguration,
  faults: FaultsAt,
): void {
  if (type !== argument.type) {
    faults.fault(
      `an argument of type ${argument.type} cannot be written as ${type}`,
      `write type: ${argument.type}`,
    );
    return;
  }
  const longest = longestOf(place);
  const most = argument.range?.[1] ?? null;
  if (most === null || most <= longest) return;
  faults.fault(
    `the argument may have ${most} bytes, the field takes ${longest}`,
    'narrow its range or widen the field',
  );
}

function checkBooleanFits(type: string, faults: FaultsAt): void {
  if (isIntegerType(type) || type === 'bool') return;
  faults.fault(`a bool cannot be written as ${type}`, 'take bool or u8');
}

function endsOfEnumeration(enumeration: Enumeration): readonly [End, End] {
  const numbers = enumeration.names.map((name) => enumeration.numberOf(name) ?? 0);
  return [Math.min(...numbers), Math.max(...numbers)];
}

/** The least and the most the argument can be; null when nothing bounds it. */
function endsOf({ type, range }: ArgumentConfiguration): readonly [End, End] {
  const bounds = integerBounds(type) ?? (type === 'f32' ? F32 : undefined);
  return [range?.[0] ?? bounds?.least ?? null, range?.[1] ?? bounds?.most ?? null];
}

function checkNumbersFit(
  type: string,
  place: EncodedField,
  ends: readonly [End, End],
  faults: FaultsAt,
): void {
  if (!isNumberType(type)) {
    faults.fault(`a number cannot be written as ${type}`, 'take an integer or float type');
    return;
  }
  const { scale } = place;
  const inexact = ends.some((end) => typeof end === 'bigint' && !Number.isSafeInteger(Number(end)));
  if (inexact && (scale !== undefined || isFloatType(type))) {
    faults.fault('integers past 2^53 would not be exact', 'give the argument a range, or write it as it is');
    return;
  }
  if (type === 'f64') return;
  const bounds = type === 'f32' ? F32 : boundsOf(place.kind === 'signed', place.bits);
  const scaled = ends.map((end) =>
    end === null || scale === undefined ? end : Math.round(Number(end) / scale),
  );
  if (scaled.every((end) => end !== null && end >= bounds.least && end <= bounds.most)) return;
  const times = scale === undefined ? '' : ` times ${scale}`;
  faults.fault(
    `values of the argument do not all fit in ${place.bits} bits of ${type}`,
    `give the argument a range within ${bounds.least} and ${bounds.most}${times}, or take a wider type`,
  );
}
