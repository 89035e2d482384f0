/** A table while it is made in memory, with the writer of the segments: what was added is taken away as it comes. */

import type { Cells, Column } from './cells.ts';
import type { FileSystem } from './file-system.ts';
import { ParquetOutput } from './parquet-output.ts';

export class TableDraft {
  readonly #output: ParquetOutput;
  #added: Uint8Array[] = [];

  constructor(columns: readonly Column[], about: Readonly<Record<string, string>>) {
    const file = {
      // The writer uses its buffer again.
      append: (bytes: Uint8Array): void => void this.#added.push(bytes.slice()),
      sync: () => undefined,
      close: () => undefined,
    };
    const files: Pick<FileSystem, 'create'> = { create: () => file };
    this.#output = new ParquetOutput(files, '', columns, about);
  }

  /** A row group. */
  add(cells: readonly Cells[]): Uint8Array {
    const rows = cells[0]!.length;
    this.#output.add({ targets: [0, 0], rows, from: 0, to: 0 }, cells);
    return this.#take();
  }

  end(): Uint8Array {
    this.#output.finish();
    return this.#take();
  }

  #take(): Uint8Array {
    const bytes = Buffer.concat(this.#added);
    this.#added = [];
    return bytes;
  }
}
