/**
 * One shape of a packet: its fields as readers and the ordinals they write, in the same order.
 *
 * V1. `bytes` covers every field at a fixed place; a packet at least that long needs no further check for them.
 * V2. Fields behind one of varying length are placed first and read after, so that a short packet leaves no row.
 */

import type { GrowingBlock } from '../../contract/batch.ts';
import { readUnsigned } from './bits.ts';
import { type FieldReader, fieldReader, putText } from './field.ts';
import type { FieldConfiguration, PositionConfiguration } from './layout.ts';

export interface Variant {
  readonly ordinals: Uint32Array;
  /** The least length of the packet, its tail included. */
  readonly bytes: number;
  /** Whether `place` must be asked before `fill`. */
  readonly varies: boolean;
  /** Where the varying fields are; undefined when the packet is too short for them. */
  place(packet: Buffer): readonly Span[] | undefined;
  fill(packet: Buffer, block: GrowingBlock, spans: readonly Span[]): void;
}

/** A placed field: from the byte `start` (where bit positions count from) to before `end`. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** The variant with these fields; `ordinal` knows every measure they name. */
export function createVariant(
  fields: readonly FieldConfiguration[],
  tail: number,
  ordinal: (key: string) => number,
): Variant {
  const columns = [...new Set(fields.flatMap(({ to }) => (to === undefined ? [] : [to])))];
  const columnOf = new Map(columns.map((key, column) => [key, column]));
  const fixed = fields.filter((field) => !isVarying(field));
  const readers = fixed.flatMap((field) => readerOf(field, columnOf));
  const varying = fields.filter(isVarying).map((field) => new VaryingField(field, columnOf));
  return Object.freeze({
    ordinals: Uint32Array.from(columns, ordinal),
    bytes: endByte(fixed) + tail,
    varies: varying.length > 0,
    place: (packet: Buffer) => placeAll(packet, varying, packet.length - tail),
    fill(packet: Buffer, block: GrowingBlock, spans: readonly Span[]) {
      const { raw, offset } = block;
      for (const read of readers) read(packet, raw, offset, block);
      for (const [index, span] of spans.entries()) varying[index]?.put(packet, span, block);
    },
  });
}

/** The byte after the last bit of these positions. */
export function endByte(positions: readonly PositionConfiguration[]): number {
  return positions.reduce((end, { at, bits }) => Math.max(end, Math.ceil((at + bits) / 8)), 0);
}

function isVarying({ origin, prefix, rest }: FieldConfiguration): boolean {
  return origin > 0 || prefix !== undefined || rest === true;
}

function readerOf(field: FieldConfiguration, columnOf: ReadonlyMap<string, number>): FieldReader[] {
  const column = field.to === undefined ? undefined : columnOf.get(field.to);
  return column === undefined ? [] : [fieldReader(field, column)];
}

function placeAll(packet: Buffer, fields: readonly VaryingField[], end: number): readonly Span[] | undefined {
  const origins = [0];
  const spans: Span[] = [];
  for (const field of fields) {
    const span = field.place(packet, origins, end);
    if (span === undefined) return undefined;
    spans.push(span);
  }
  return spans;
}

class VaryingField {
  readonly #field: FieldConfiguration;
  readonly #column: number | undefined;
  readonly #read: FieldReader | undefined;

  constructor(field: FieldConfiguration, columnOf: ReadonlyMap<string, number>) {
    this.#field = field;
    this.#column = field.to === undefined ? undefined : columnOf.get(field.to);
    const plain = field.prefix === undefined && field.rest !== true;
    this.#read = plain && this.#column !== undefined ? fieldReader(field, this.#column) : undefined;
  }

  place(packet: Buffer, origins: number[], end: number): Span | undefined {
    const { origin, at, bits, prefix, rest, makesOrigin } = this.#field;
    const from = origins[origin] ?? 0;
    const first = from + at / 8;
    let span: Span = { start: from, end: from + Math.ceil((at + bits) / 8) };
    if (rest === true) span = { start: first, end };
    if (prefix !== undefined) {
      if (first + prefix / 8 > end) return undefined;
      const start = first + prefix / 8;
      span = { start, end: start + readUnsigned(packet, first * 8, prefix) };
    }
    if (span.end > end || span.start > span.end) return undefined;
    if (makesOrigin !== undefined) origins[makesOrigin] = span.end;
    return span;
  }

  put(packet: Buffer, span: Span, block: GrowingBlock): void {
    if (this.#column === undefined) return;
    const bytes = packet.subarray(span.start, span.end);
    if (this.#read !== undefined) this.#read(bytes, block.raw, block.offset, block);
    else putText(bytes, this.#field.kind === 'string', block.raw, block.offset + this.#column, block);
  }
}
