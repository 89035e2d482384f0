/**
 * Columns that were read and decoded not long ago. Segments never change, and pages that draw ask for the same hour
 * again and again.
 *
 * C1. So many bytes at most: what was asked for longest ago goes first.
 * C2. Whoever is given cells changes nothing in them.
 */

import type { Numbers } from './cells.ts';

export class ColumnCache {
  readonly #most: number;
  readonly #kept = new Map<string, Numbers>();
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#most = mostBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(name: string): Numbers | undefined {
    const cells = this.#kept.get(name);
    if (cells === undefined) return undefined;
    this.#kept.delete(name);
    this.#kept.set(name, cells);
    return cells;
  }

  keep(name: string, cells: Numbers): void {
    if (cells.byteLength > this.#most) return;
    this.#forget(name);
    this.#kept.set(name, cells);
    this.#bytes += cells.byteLength;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#most) return;
      this.#forget(oldest);
    }
  }

  #forget(name: string): void {
    this.#bytes -= this.#kept.get(name)?.byteLength ?? 0;
    this.#kept.delete(name);
  }
}
