/**
 * Files in packets: entries of a listing of the on-board directory, and chunks of a file. Mission Control Service,
 * sections 2.8 and 4.7 rules 1 and 3.
 *
 * Y1. A packet that ends inside an entry or a chunk gives nothing at all: what is damaged is not half true.
 * Y2. An entry takes at least a byte, so that reading costs no more than the packet is long, whatever count it claims.
 * Y3. A size, an offset or a generation that no double holds exactly is never rounded: that entry or chunk is left out
 *     with a reason (file-chunk.F1).
 */

import type { FileSample } from '../../contract/batch.ts';
import type { FileChunk } from '../../contract/file-chunk.ts';
import { readLittle, readLittleWide, readUnsigned, readUnsignedWide } from './bits.ts';
import type { ChunkConfiguration, FileFieldConfiguration, ListingConfiguration } from './layout.ts';

/** What a packet says of files, and why parts of it are left out. */
export interface FilesFound {
  readonly samples: readonly FileSample[];
  readonly chunks: readonly FileChunk[];
  readonly left: readonly string[];
}

/** Reads the files of a packet whose data ends before byte `end`; a text says why the packet is refused. */
export type FilesReader = (
  packet: Buffer,
  end: number,
  groundMs: number,
  onboardMs: number,
) => FilesFound | string;

type Whole = number | bigint;
type Writable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

/** What was read of one entry or chunk. */
interface Parts {
  id: Whole;
  file_type?: Whole;
  size?: Whole;
  generation?: Whole;
  offset?: Whole;
  checksum?: string;
  data?: Buffer;
}

interface Place {
  readonly packet: Buffer;
  readonly endBit: number;
  bit: number;
}

/** Bits a double holds exactly. */
const EXACT_BITS = 53;

export function listingReader({ at, count, entry }: ListingConfiguration): FilesReader {
  return (packet, end, groundMs, onboardMs) => {
    const place = { packet, endBit: end * 8, bit: at * 8 };
    const least = count === undefined ? at : Math.max(at, (count.at + count.bits) / 8);
    if (end < least) return `${packet.length} bytes end before the listing`;
    const awaited =
      count === undefined ? Number.POSITIVE_INFINITY : Number(numberAt(count, count.at, packet));
    const found = { samples: [] as FileSample[], chunks: [], left: [] as string[] };
    for (let read = 0; read < awaited; read += 1) {
      if (count === undefined && place.bit === place.endBit) break;
      const parts = partsAt(entry, place);
      if (parts === undefined) return endsInside(packet, `entry ${read + 1} of the listing`, awaited);
      takeSample(parts, groundMs, onboardMs, found);
    }
    return found;
  };
}

export function chunkReader({ at, fields }: ChunkConfiguration): FilesReader {
  return (packet, end) => {
    const parts = partsAt(fields, { packet, endBit: end * 8, bit: at * 8 });
    if (parts === undefined) return endsInside(packet, 'the chunk of a file', Number.POSITIVE_INFINITY);
    const { id, generation = 0, offset, data } = parts;
    // It says nothing: an answer to a question for what is behind the end.
    if (data === undefined || data.length === 0) return { samples: [], chunks: [], left: [] };
    if (typeof generation === 'bigint' || typeof offset !== 'number') {
      const left = [`file ${id}: a chunk of generation ${generation} at ${offset} is beyond 2^53`];
      return { samples: [], chunks: [], left };
    }
    return { samples: [], chunks: [{ file: String(id), generation, offset, data }], left: [] };
  };
}

function endsInside(packet: Buffer, what: string, awaited: number): string {
  const of = Number.isFinite(awaited) ? ` (${awaited} are announced)` : '';
  return `${packet.length} bytes end inside ${what}${of}`;
}

/** Y3 */
function takeSample(
  { id, file_type, size, checksum, generation }: Parts,
  ground: number,
  onboard: number,
  found: { readonly samples: FileSample[]; readonly left: string[] },
): void {
  if (typeof size === 'bigint' || typeof generation === 'bigint') {
    const [what, value] = typeof size === 'bigint' ? ['size', size] : ['generation', generation];
    found.left.push(`file ${id}: ${what} ${value} is beyond 2^53`);
    return;
  }
  const sample: Writable<FileSample> = { file: String(id), ground, onboard };
  if (file_type !== undefined) sample.file_type = Number(file_type);
  if (size !== undefined) sample.size = size;
  if (checksum !== undefined) sample.checksum = checksum;
  if (generation !== undefined) sample.generation = generation;
  found.samples.push(sample);
}

/** Y1: undefined when the data ends before the last field does. */
function partsAt(fields: readonly FileFieldConfiguration[], place: Place): Parts | undefined {
  const parts: Parts = { id: 0 };
  for (const field of fields) {
    const length = lengthOf(field, place);
    if (length === undefined || place.bit + length > place.endBit) return undefined;
    if (field.to !== undefined) put(field, field.to, place, length, parts);
    place.bit += length;
  }
  return parts;
}

/** Bits of a field from where `place` stands, behind the length that is written first; undefined behind the end. */
function lengthOf({ bits, prefix, rest }: FileFieldConfiguration, place: Place): number | undefined {
  if (rest === true) return place.endBit - place.bit;
  if (prefix === undefined) return bits;
  if (place.bit + prefix > place.endBit) return undefined;
  const bytes = readUnsigned(place.packet, place.bit, prefix);
  place.bit += prefix;
  return bytes * 8;
}

function put(
  field: FileFieldConfiguration,
  to: NonNullable<FileFieldConfiguration['to']>,
  { packet, bit }: Place,
  length: number,
  parts: Parts,
): void {
  if (to === 'data') {
    parts.data = packet.subarray(bit / 8, (bit + length) / 8);
    return;
  }
  if (to !== 'checksum') {
    parts[to] = numberAt(field, bit, packet);
    return;
  }
  if (field.kind === 'bytes') parts.checksum = packet.toString('hex', bit / 8, (bit + length) / 8);
  else
    parts.checksum = numberAt(field, bit, packet)
      .toString(16)
      .padStart(length / 4, '0');
}

/** A number where a double holds it exactly. */
function numberAt(
  { bits, little, scale }: { readonly bits: number; readonly little?: true; readonly scale?: number },
  at: number,
  packet: Buffer,
): Whole {
  if (bits > EXACT_BITS) {
    const wide =
      little === true ? readLittleWide(packet, at / 8, bits / 8) : readUnsignedWide(packet, at, bits);
    return exact(wide);
  }
  const value = little === true ? readLittle(packet, at / 8, bits / 8) : readUnsigned(packet, at, bits);
  return scale === undefined ? value : exact(BigInt(value) * BigInt(scale));
}

function exact(value: bigint): Whole {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}
