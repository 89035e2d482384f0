/** What the thread of tables does, each call whole and one after the other (tables-in-thread.ts). */

import type { Cells } from './cells.ts';
import { BUCKET_COLUMNS, SAMPLE_COLUMNS } from './table-columns.ts';
import { TableDraft } from './table-draft.ts';

export type TableOrder =
  | {
      readonly table: number;
      readonly step: 'begin';
      readonly kind: 'samples' | 'buckets';
      readonly about: Readonly<Record<string, string>>;
    }
  | { readonly table: number; readonly step: 'add'; readonly cells: readonly Cells[] }
  | { readonly table: number; readonly step: 'end' }
  | { readonly table: number; readonly step: 'abandon' };

export type TableReply =
  | { readonly table: number; readonly bytes: Uint8Array }
  | { readonly table: number; readonly error: string };

export class TableWork {
  readonly #drafts = new Map<number, TableDraft>();

  /** Undefined where nobody waits for an answer. */
  do(order: TableOrder): TableReply | undefined {
    const { table } = order;
    if (order.step === 'begin') {
      const columns = order.kind === 'samples' ? SAMPLE_COLUMNS : BUCKET_COLUMNS;
      this.#drafts.set(table, new TableDraft(columns, order.about));
      return undefined;
    }
    const draft = this.#drafts.get(table);
    if (order.step !== 'add') this.#drafts.delete(table);
    if (order.step === 'abandon') return undefined;
    if (draft === undefined) return { table, error: 'the table is not there' };
    try {
      return { table, bytes: order.step === 'add' ? draft.add(order.cells) : draft.end() };
    } catch (error) {
      this.#drafts.delete(table);
      return { table, error: (error as Error).message };
    }
  }
}
