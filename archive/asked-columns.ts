/**
 * Which columns of blocks a question asks for: looked up once for each packet of a platform, since messages name the
 * same ordinals again and again.
 */

import { columnOf, type MeasureColumn, type PlatformColumns } from './platform-columns.ts';

/** A column of a block, and its measure. */
export interface AskedColumn {
  readonly column: number;
  readonly measure: MeasureColumn;
}

interface KnownPacket {
  readonly ordinals: Uint32Array;
  readonly asked: readonly AskedColumn[];
}

export class AskedColumns {
  readonly #measures: ReadonlySet<string>;
  /** By what their ordinals come to. */
  readonly #known = new Map<PlatformColumns, Map<number, KnownPacket[]>>();

  constructor(measures: readonly string[]) {
    this.#measures = new Set(measures);
  }

  has(key: string): boolean {
    return this.#measures.has(key);
  }

  of(platform: PlatformColumns, ordinals: Uint32Array): readonly AskedColumn[] {
    const packets = this.#known.get(platform) ?? new Map<number, KnownPacket[]>();
    this.#known.set(platform, packets);
    const hash = hashOf(ordinals);
    const alike = packets.get(hash) ?? [];
    const found = alike.find((packet) => isSame(packet.ordinals, ordinals));
    if (found !== undefined) return found.asked;
    const asked = this.#among(platform, ordinals);
    packets.set(hash, [...alike, { ordinals, asked }]);
    return asked;
  }

  #among(platform: PlatformColumns, ordinals: Uint32Array): AskedColumn[] {
    const asked: AskedColumn[] = [];
    ordinals.forEach((ordinal, column) => {
      const measure = columnOf(platform, ordinal);
      if (this.#measures.has(measure.key)) asked.push({ column, measure });
    });
    return asked;
  }
}

/** FNV-1a over whole ordinals. */
function hashOf(ordinals: Uint32Array): number {
  let hash = 0x811c9dc5;
  for (let n = 0; n < ordinals.length; n += 1) hash = Math.imul(hash ^ ordinals[n]!, 0x01000193);
  return hash;
}

function isSame(one: Uint32Array, other: Uint32Array): boolean {
  if (one.length !== other.length) return false;
  for (let n = 0; n < one.length; n += 1) if (one[n] !== other[n]) return false;
  return true;
}
