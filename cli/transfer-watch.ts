/**
 * `mcs transfer watch`: transfers as they progress; in a terminal a table with rates, elsewhere a line for each change.
 * A thin client of the watch route of transfers. Mission Control Service, section 4.7.
 */

import { type Transfer, transferKey } from '../contract/transfer.ts';
import { realClock } from '../supervision/clock.ts';
import { defineCommand } from './command.ts';
import { followInLines, whenEnded } from './followed.ts';
import { type LiveTable, showLive, type TableLook } from './live-view.ts';
import { dayAndTime } from './pass-look.ts';
import { jsonText, printable } from './printable.ts';
import { hasColour } from './run-follow.ts';
import { serviceOf } from './service.ts';
import { shapeOf, TABLE_OPTIONS } from './table-options.ts';
import { type TransferColumns, transferColumns, transferLine } from './transfer-columns.ts';
import { bytesText, Progress, receivedBytes } from './transfer-progress.ts';

const WATCH_USAGE = `mcs transfer watch [TARGET] [--json] [--utc | --local]
  in a terminal a table, elsewhere a line for each change; --json: one JSON in a line
`;

export const watch = defineCommand({
  usage: WATCH_USAGE,
  words: ['[TARGET]'],
  options: TABLE_OPTIONS,
  async run({ words: [target], values }) {
    const shape = shapeOf(values);
    const { json, local } = shape;
    const query = target === undefined ? '' : `?target=${encodeURIComponent(target)}`;
    const followed = { service: serviceOf(values), path: `/v1/transfers/watch${query}`, ended: whenEnded() };
    if (json || !process.stdout.isTTY || process.env.TERM === 'dumb')
      return followInLines<Transfer>(followed.service, followed.path, followed.ended, (transfer) => {
        const line = json ? jsonText(transfer) : printable(transferLine(transfer));
        const received = json ? '' : `${dayAndTime(realClock.now(), local)[1]}  `;
        process.stdout.write(`${received}${line}\n`);
      });
    const table = new TransferTable(local);
    const title = (state: string, now: number): string =>
      ['transfers', ...(target === undefined ? [] : [target]), state, dayAndTime(now, local).join(' ')].join(
        '  ',
      );
    const remark = ({ width }: { readonly width: number }): string => table.remark(width);
    return showLive<Transfer>({ ...followed, colour: hasColour(), table, title, remark });
  },
});

/** Transfers by priority, then by age, with how fast each comes. */
export class TransferTable implements LiveTable<Transfer> {
  readonly #rows = new Map<string, Transfer>();
  readonly #progress = new Map<string, Progress>();
  readonly #columns: TransferColumns;
  #sorted: readonly Transfer[] | undefined;
  #isKnown = false;

  constructor(local: boolean) {
    this.#columns = transferColumns(local, (transfer, now) => {
      const rate = this.#progress.get(transferKey(transfer))?.rate(now);
      return rate === undefined ? '-' : `${bytesText(rate)}/s`;
    });
  }

  get size(): number {
    return this.#rows.size;
  }

  take(transfer: Transfer): void {
    const key = transferKey(transfer);
    this.#rows.set(key, transfer);
    const progress = this.#progress.get(key) ?? new Progress();
    progress.note(receivedBytes(transfer), realClock.now());
    this.#progress.set(key, progress);
    this.#columns.add(transfer);
    this.#sorted = undefined;
  }

  restarted(): void {
    this.#rows.clear();
    this.#sorted = undefined;
    this.#isKnown = true;
  }

  heading(look: TableLook): string {
    return this.#columns.heading(look);
  }

  lines(first: number, count: number, now: number, look: TableLook): string[] {
    if (this.size === 0) return this.#isKnown ? ['no transfers'] : [];
    this.#sorted ??= [...this.#rows.values()].sort(
      (one, other) =>
        other.priority - one.priority || Date.parse(one.created_at) - Date.parse(other.created_at),
    );
    return this.#sorted.slice(first, first + count).map((row) => this.#columns.line(row, now, look));
  }

  /** Which columns the terminal is too narrow for. */
  remark(width: number): string {
    const leftOut = this.#columns.leftOut(width);
    return leftOut.length > 0 ? `hidden: ${leftOut.join(', ')}` : '';
  }
}
