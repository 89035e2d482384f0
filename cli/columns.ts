/**
 * Rows as columns as wide as what they hold, for lists and live tables. Pure.
 *
 * C1. On a narrow terminal columns are left out whole, in a given order, and the caller can name them; those that are
 *     not in that order never are. The last column is cut instead.
 * C2. A list may say that its last column is wrapped instead of cut: it goes on below itself, whole words in a line,
 *     and nothing of it is lost.
 */

import { dressed, type Tone } from './pass-look.ts';
import { printable } from './printable.ts';

export interface ColumnsLook {
  readonly colour: boolean;
  /** Columns of the terminal; absent: nothing is left out or cut. */
  readonly width: number | undefined;
}

export interface ColumnsOptions<Column extends string, Row> {
  readonly columns: readonly Column[];
  readonly cell: (column: Column, row: Row, now: number) => string;
  readonly tone: (row: Row, now: number) => Tone | undefined;
  /** Those with numbers, which stand below each other at their ends. */
  readonly right: readonly Column[];
  /** C1: what is left out, the first one first. */
  readonly spared: readonly Column[];
  /** C2 */
  readonly wraps?: true;
  /** Widths of columns whose cells change with time. */
  readonly fixed?: Readonly<Partial<Record<Column, number>>>;
}

const GAP = '  ';
/** What the last column has room for before others are left out. */
const LAST_CHARACTERS = 12;

export class Columns<Column extends string, Row> {
  readonly #options: ColumnsOptions<Column, Row>;
  readonly #widths = new Map<Column, number>();

  constructor(options: ColumnsOptions<Column, Row>) {
    this.#options = options;
    const { columns, fixed } = options;
    for (const column of columns) this.#widths.set(column, fixed?.[column] ?? column.length);
  }

  add(row: Row): void {
    const { columns, cell, fixed } = this.#options;
    for (const column of columns) {
      if (fixed?.[column] !== undefined) continue;
      const wide = cell(column, row, 0).length;
      if (wide > this.#widths.get(column)!) this.#widths.set(column, wide);
    }
  }

  heading(look: ColumnsLook): string {
    return dressed(
      this.#line((column) => column, look.width),
      'dim',
      look,
    );
  }

  line(row: Row, now: number, look: ColumnsLook): string {
    const { cell, tone } = this.#options;
    return dressed(
      this.#line((column) => cell(column, row, now), look.width),
      tone(row, now),
      look,
    );
  }

  /** The row as `line`, and where the last column is wrapped as several (C2). */
  lines(row: Row, now: number, look: ColumnsLook): string[] {
    const { cell, columns, tone, wraps } = this.#options;
    const { width } = look;
    const last = columns.at(-1)!;
    if (wraps === undefined || width === undefined) return [this.line(row, now, look)];
    const indent = this.#indent(width);
    const [first = '', ...more] = wrapped(
      printable(cell(last, row, now)),
      Math.max(width - indent, LAST_CHARACTERS),
    );
    const head = this.#line((column) => (column === last ? first : cell(column, row, now)), width);
    const all = [head, ...more.map((text) => `${' '.repeat(indent)}${text}`)];
    return all.map((text) => dressed(text, tone(row, now), look));
  }

  /** Where the last column begins. */
  #indent(width: number): number {
    const before = this.#shown(width).slice(0, -1);
    return before.reduce((sum, column) => sum + this.#widths.get(column)! + GAP.length, 0);
  }

  /** C1: the names of those for which the terminal is too narrow. */
  leftOut(width: number | undefined): string[] {
    const shown = this.#shown(width);
    return this.#options.columns.filter((column) => !shown.includes(column));
  }

  #line(cell: (column: Column) => string, width: number | undefined): string {
    const { right } = this.#options;
    const cells = this.#shown(width).map((column) => {
      const wide = this.#widths.get(column)!;
      return right.includes(column) ? cell(column).padStart(wide) : cell(column).padEnd(wide);
    });
    return cells.join(GAP).trimEnd();
  }

  #shown(width: number | undefined): readonly Column[] {
    let shown = this.#options.columns;
    for (const spared of this.#options.spared) {
      if (width === undefined || this.#needed(shown) <= width) break;
      shown = shown.filter((column) => column !== spared);
    }
    return shown;
  }

  #needed(columns: readonly Column[]): number {
    const last = this.#options.columns.at(-1);
    const widths = columns.map((column) => {
      const wide = this.#widths.get(column)!;
      return column === last ? Math.min(wide, LAST_CHARACTERS) : wide;
    });
    return widths.reduce((sum, wide) => sum + wide + GAP.length, -GAP.length);
  }
}

/** Lines of at most so many characters, broken between words where that is possible. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width);
    const end = space > 0 ? space : width;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, rest];
}

/** The cells of a row as one line of its own, for a reader that is no terminal. */
export function cellsLine(cells: readonly string[]): string {
  return cells.join(GAP);
}

/** Prints a list with its heading as wide as the terminal, and which columns it has no room for. */
export function printColumns<Column extends string, Row>(
  columns: Columns<Column, Row>,
  rows: readonly Row[],
  { now, colour, elsewhere }: { readonly now: number; readonly colour: boolean; readonly elsewhere: string },
): void {
  if (rows.length === 0) return;
  for (const row of rows) columns.add(row);
  const width = process.stdout.isTTY ? process.stdout.columns : undefined;
  const look = { width, colour };
  const lines = [columns.heading(look), ...rows.flatMap((row) => columns.lines(row, now, look))];
  process.stdout.write(`${lines.join('\n')}\n`);
  const leftOut = columns.leftOut(width);
  if (leftOut.length > 0)
    process.stderr.write(`the terminal is too narrow for ${leftOut.join(', ')}: ${elsewhere}\n`);
}
