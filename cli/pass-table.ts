/**
 * Passes ahead and under way as rows of a live table, by AOS. Pure but for the zone, as `pass-look.ts`.
 *
 * T1. A pass leaves the table when it is over.
 * T2. The order is made again when a pass changed, not at each drawing: a large mission has a hundred thousand passes
 *     ahead.
 */

import type { PassView } from '../contract/pass.ts';
import type { LiveTable, TableLook } from './live-view.ts';
import { type PassColumns, type PassRow, passColumns, passRow } from './pass-columns.ts';

export class PassTable implements LiveTable<PassView> {
  readonly #rows = new Map<string, PassRow>();
  readonly #columns: PassColumns;
  /** By AOS; undefined once one changed (T2). */
  #sorted: readonly PassRow[] | undefined;
  /** Whether the service was asked: before, nobody knows whether there are passes. */
  #isKnown = false;
  /** When the first of them is over. */
  #firstOverMs = Number.POSITIVE_INFINITY;

  constructor(local: boolean) {
    this.#columns = passColumns({ live: true, local });
  }

  get size(): number {
    return this.#rows.size;
  }

  take(view: PassView): void {
    const row = passRow(view);
    this.#rows.set(keyOf(view), row);
    this.#columns.add(row);
    this.#firstOverMs = Math.min(this.#firstOverMs, row.losMs);
    this.#sorted = undefined;
  }

  /** What became over meanwhile is not sent again. */
  restarted(): void {
    this.#rows.clear();
    this.#isKnown = true;
    this.#sorted = undefined;
  }

  /** T1 */
  advanceTo(now: number): void {
    if (now <= this.#firstOverMs) return;
    this.#firstOverMs = Number.POSITIVE_INFINITY;
    for (const [key, { losMs }] of this.#rows) {
      if (losMs < now) this.#rows.delete(key);
      else this.#firstOverMs = Math.min(this.#firstOverMs, losMs);
    }
    this.#sorted = undefined;
  }

  heading(look: TableLook): string {
    return this.#columns.heading(look);
  }

  lines(first: number, count: number, now: number, look: TableLook): string[] {
    if (this.size === 0) return this.#isKnown ? ['no passes ahead'] : [];
    this.#sorted ??= [...this.#rows.values()].sort(byAos);
    return this.#sorted.slice(first, first + count).map((row) => this.#columns.line(row, now, look));
  }

  /** Which columns the terminal is too narrow for. */
  remark(width: number): string {
    const leftOut = this.#columns.leftOut(width);
    return leftOut.length > 0 ? `hidden: ${leftOut.join(', ')}` : '';
  }
}

function byAos(one: PassRow, other: PassRow): number {
  return one.aosMs - other.aosMs || (keyOf(one.view) < keyOf(other.view) ? -1 : 1);
}

function keyOf({ pass: { target, id } }: PassView): string {
  return `${target}.${id}`;
}
