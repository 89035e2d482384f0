/**
 * Packets that give files: what an entry of a listing, and a chunk, must say, and whether it can be read. Mission
 * Control Service, sections 2.8 and 4.7 rules 1 and 3.
 */

import type { FaultsAt } from '../document/fault.ts';
import type { ChunkDocument, FileField, ListingDocument, Packet } from '../document/layout.ts';
import type {
  ChunkConfiguration,
  FileFieldConfiguration,
  LayoutConfiguration,
  ListingConfiguration,
  PositionConfiguration,
} from '../layout/layout.ts';
import { checkPosition, type FieldShape } from './field.ts';

type Part = NonNullable<FileFieldConfiguration['to']>;

/** Most bits of a whole number of each part; a file type is a u32. */
const WIDEST: Readonly<Partial<Record<Part, number>>> = { file_type: 32 };
const SCALED: readonly Part[] = ['size', 'offset'];
/** Most bits of a count: a packet has no more entries. */
const COUNT_BITS = 32;

/** The listing or the chunk in it. */
export function checkFileParts(
  { fields, listing, chunk }: Packet,
  faults: FaultsAt,
): Pick<LayoutConfiguration, 'listing' | 'chunk'> {
  if (listing !== undefined && chunk !== undefined)
    faults.in('chunk').fault('a packet holds a listing or a chunk', 'make two packets of it');
  if (fields === undefined && listing === undefined && chunk === undefined)
    faults.fault('it has no fields', 'add fields, a listing or a chunk');
  const entries = listing === undefined ? undefined : checkListing(listing, faults.in('listing'));
  const part = chunk === undefined ? undefined : checkChunk(chunk, faults.in('chunk'));
  return {
    ...(entries !== undefined && { listing: entries }),
    ...(part !== undefined && { chunk: part }),
  };
}

function checkListing({ at, count, entry }: ListingDocument, faults: FaultsAt): ListingConfiguration {
  const place = count === undefined ? undefined : checkCount(count, faults.in('count'));
  const checked = checkFields(entry, ['id'], faults.in('entry'));
  for (const [index, { size }] of entry.entries()) {
    if (size === 'rest')
      faults.in('entry', index, 'size').fault('it leaves nothing for the next entry', 'give its size');
  }
  return { at, ...(place !== undefined && { count: place }), entry: checked };
}

function checkChunk({ at, fields }: ChunkDocument, faults: FaultsAt): ChunkConfiguration {
  return { at, fields: checkFields(fields, ['id', 'offset', 'data'], faults.in('fields')) };
}

function checkCount(
  { at, bit = 0, bits, type, endian }: NonNullable<ListingDocument['count']>,
  faults: FaultsAt,
): PositionConfiguration | undefined {
  const document = {
    ...(type !== undefined && { type }),
    ...(bits !== undefined && { bits }),
    ...(endian !== undefined && { endian }),
    to: 'skip',
  };
  const shape = checkPosition(document, () => undefined, faults);
  if (shape === undefined) return undefined;
  if (shape.kind !== 'unsigned' || shape.bits > COUNT_BITS) {
    faults.fault('a count is an unsigned integer of at most 32 bits', 'give type: u8, u16 or u32');
    return undefined;
  }
  if (shape.little === true && bit !== 0)
    faults.in('endian').fault('little endian needs a byte boundary', 'leave it out');
  return { at: at * 8 + bit, bits: shape.bits, ...(shape.little === true && { little: true as const }) };
}

/** The fields as far as they hold; those that are required and missing are reported. */
function checkFields(
  fields: readonly FileField[],
  required: readonly Part[],
  faults: FaultsAt,
): FileFieldConfiguration[] {
  const seen = new Set<string>();
  let bits = 0;
  const checked = fields.flatMap((field, index) => {
    const at = faults.in(index);
    const { to } = field;
    if (to !== 'skip' && seen.has(to)) at.in('to').fault(`${to} is read twice`, 'read it once');
    seen.add(to);
    if (fields[index - 1]?.size === 'rest')
      at.fault('the field before takes the rest of the data', 'put it last');
    const shape = checkPosition({ ...field, to: 'skip' }, () => undefined, at);
    if (shape === undefined) return [];
    checkBoundary(shape, bits, at);
    bits += shape.bits;
    return fileField(shape, to === 'skip' ? undefined : to, at) ?? [];
  });
  for (const part of required) {
    if (!seen.has(part)) faults.fault(`no field says the ${part}`, `add { to: ${part}, … }`);
  }
  if (bits % 8 !== 0)
    faults.fault(`the fields make ${bits} bits, not whole bytes`, 'add { bits: …, to: skip } for the rest');
  return checked;
}

function checkBoundary({ kind, little }: FieldShape, before: number, faults: FaultsAt): void {
  if (before % 8 === 0) return;
  if (little === true) faults.in('endian').fault('little endian needs a byte boundary', 'leave it out');
  if (kind === 'bytes' || kind === 'string')
    faults.fault(`a ${kind} field begins inside a byte`, 'fill up the byte before it');
}

function fileField(
  shape: FieldShape,
  to: Part | undefined,
  faults: FaultsAt,
): FileFieldConfiguration | undefined {
  const { kind, bits, little, scale, prefix, rest } = shape;
  if (to !== undefined && !holds(shape, to, faults)) return undefined;
  if (scale !== undefined && (to === undefined || !SCALED.includes(to))) {
    faults.in('scale').fault(`no scale fits ${to ?? 'what is skipped'}`, 'leave it out');
  }
  return {
    kind: kind === 'bytes' || kind === 'string' ? 'bytes' : 'unsigned',
    bits: prefix === undefined ? bits : 0,
    ...(little === true && { little }),
    ...(scale !== undefined && { scale }),
    ...(prefix !== undefined && { prefix }),
    ...(rest === true && { rest }),
    ...(to !== undefined && { to }),
  };
}

/** Whether the field is of a kind that can say this of a file. */
function holds({ kind, bits }: FieldShape, to: Part, faults: FaultsAt): boolean {
  const bytes = kind === 'bytes';
  const whole = kind === 'unsigned';
  if (to === 'data' && !bytes) {
    faults.fault('the bytes of a file are a bytes field', 'give `size: rest`, `size` or `length`');
    return false;
  }
  if (to === 'checksum' && !bytes && !(whole && bits % 8 === 0)) {
    faults.fault('a checksum is whole bytes', 'give type: bytes with a size, or an unsigned integer type');
    return false;
  }
  if (to !== 'data' && to !== 'checksum' && !whole) {
    faults.fault(`the ${to} of a file is an unsigned integer`, 'give type: u8, u16, u32 or u64');
    return false;
  }
  const widest = WIDEST[to] ?? Number.POSITIVE_INFINITY;
  if (bits <= widest) return true;
  faults.fault(`the ${to} of a file has at most ${widest} bits`, `give type: u${widest}`);
  return false;
}
