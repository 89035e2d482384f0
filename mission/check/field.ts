/** One field of a packet layout: its bits, its type, and the measure it is read to. */

import type { MeasureConfiguration } from '../configuration.ts';
import type { FaultsAt } from '../document/fault.ts';
import type { PacketField } from '../document/layout.ts';
import { type FieldConfiguration, kindOfType } from '../layout/layout.ts';
import { boundsOf, integerBounds, isFloatType, isIntegerType, isValueType, widthOf } from '../value-type.ts';

/** Everything of a field but where it begins. */
export type FieldShape = Pick<FieldConfiguration, 'kind' | 'bits' | 'little' | 'scale' | 'prefix' | 'rest'>;
export type Place = FieldShape & { readonly at: number; readonly origin: number };

/** The measure with that key, or a sentence why there is none. */
export type MeasureLookup = (
  key: string,
) =>
  | { readonly measure: MeasureConfiguration }
  | { readonly message: string; readonly help: string }
  | undefined;

type FieldDocument = Omit<PacketField, 'at' | 'bit'>;

/** Widest text of one field: a whole packet. */
const PACKET_BITS = 65_542 * 8;

/** What the field takes up and how it is read; undefined when a fault leaves it without a width. */
export function checkPlace(
  document: FieldDocument,
  lookup: MeasureLookup,
  faults: FaultsAt,
): FieldShape | undefined {
  const measure = document.to === 'skip' ? undefined : measureOf(document.to, lookup, faults.in('to'));
  if (document.to !== 'skip' && measure === undefined) return undefined;
  const type = document.type ?? implied(document, measure);
  if (type === undefined) {
    faults.fault('it has no width', 'give `type` or `bits`, or `raw` to the measure');
    return undefined;
  }
  const shape = shapeOf(document, type, faults);
  if (measure === undefined || shape === undefined) return shape;
  checkFits(shape, type, measure, faults);
  // A boolean is true or false however many bits it takes.
  return measure.type === 'bool' && shape.kind === 'unsigned' ? { ...shape, kind: 'bool' } : shape;
}

function measureOf(key: string, lookup: MeasureLookup, faults: FaultsAt): MeasureConfiguration | undefined {
  const found = lookup(key);
  if (found === undefined) return undefined;
  if ('measure' in found) return found.measure;
  faults.fault(found.message, found.help);
  return undefined;
}

/** The type of a field that names none: the raw type of its measure, or an unsigned integer of its bits. */
function implied(
  { bits, length, size }: FieldDocument,
  measure: MeasureConfiguration | undefined,
): string | undefined {
  const own = measure?.raw ?? (measure !== undefined && isValueType(measure.type) ? measure.type : undefined);
  if (own !== undefined && (bits === undefined || isIntegerType(own) || own === 'bool')) return own;
  if (bits !== undefined) return 'u64';
  return length !== undefined || size !== undefined ? 'bytes' : undefined;
}

function shapeOf(document: FieldDocument, type: string, faults: FaultsAt): FieldShape | undefined {
  const { bits, endian, length, size, scale } = document;
  const kind = kindOfType(type);
  if (kind === 'string' || kind === 'bytes') return textShape(document, kind, faults);
  if (length !== undefined || size !== undefined) {
    faults.fault(`length and size are for string and bytes, not for ${type}`, 'leave them out');
  }
  const width = bits ?? widthOf(type) ?? 0;
  const most = type === 'bool' ? 32 : (widthOf(type) ?? 0);
  if (bits !== undefined && (isFloatType(type) ? bits !== most : bits > most)) {
    faults.in('bits').fault(`${type} does not have ${bits} bits`, 'leave bits out, or take a wider type');
    return undefined;
  }
  if (endian === 'little' && width % 8 !== 0) {
    faults.in('endian').fault('little endian needs whole bytes', 'leave it out');
  }
  if (scale !== undefined && (kind === 'bool' || scale === 0 || (kind !== 'float' && width > 53)))
    faults.in('scale').fault('no scale fits here', 'leave it out');
  return {
    kind,
    bits: width,
    ...(endian === 'little' && { little: true }),
    ...(scale !== undefined && { scale }),
  };
}

function textShape(
  { bits, endian, length, size, scale }: FieldDocument,
  kind: 'string' | 'bytes',
  faults: FaultsAt,
): FieldShape | undefined {
  if (bits !== undefined) faults.in('bits').fault(`the size of a ${kind} field is in bytes`, 'give `size`');
  if (endian !== undefined) faults.in('endian').fault(`a ${kind} field has no endianness`, 'leave it out');
  if (scale !== undefined) faults.in('scale').fault(`a ${kind} field has no scale`, 'leave it out');
  if ((length === undefined) === (size === undefined)) {
    faults.fault(
      `a ${kind} field needs a size or a length`,
      'give exactly one: `size: 8`, `size: rest`, `length: u8`',
    );
    return undefined;
  }
  if (size === 'rest') return { kind, bits: 0, rest: true };
  if (size !== undefined) return { kind, bits: Math.min(size * 8, PACKET_BITS) };
  const prefix = length === 'u8' ? 8 : 16;
  return { kind, bits: prefix, prefix };
}

/** Whether every value of the field is a raw value of the measure. */
function checkFits(shape: FieldShape, type: string, measure: MeasureConfiguration, faults: FaultsAt): void {
  const raw = measure.raw ?? measure.type;
  const text = raw === 'string' || raw === 'bytes';
  if (text !== (shape.kind === 'string' || shape.kind === 'bytes') || (text && shape.kind !== raw)) {
    faults.fault(`a field of type ${type} cannot be read to a measure of type ${raw}`, `give type: ${raw}`);
    return;
  }
  if (text) return;
  if (isFloatType(raw) && shape.bits > 53 && shape.kind !== 'float') {
    faults.fault(`${shape.bits} bits are not exact in ${raw}`, 'declare the measure as u64 or i64');
  }
  if (shape.kind === 'float' && !isFloatType(raw)) {
    faults.fault(
      `a float field cannot be read to a measure of type ${raw}`,
      'declare the measure as f32 or f64',
    );
    return;
  }
  const bounds = integerBounds(raw);
  if (bounds === undefined) return;
  if (shape.scale !== undefined) {
    if (Number.isInteger(shape.scale)) return;
    faults.in('scale').fault(`the scale makes fractions of ${raw}`, 'declare the measure as f32 or f64');
    return;
  }
  const own = boundsOf(shape.kind === 'signed', shape.bits);
  if (own.least < bounds.least || own.most > bounds.most) {
    const message = `${shape.bits} bits ${shape.kind} do not fit in a measure of type ${raw}`;
    faults.fault(message, 'widen the type of the measure');
  }
}
