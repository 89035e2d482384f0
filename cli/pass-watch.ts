/**
 * `mcs pass watch`: passes that are not over and their changes; in a terminal a table with countdowns, elsewhere a line
 * for each change. A thin client of the watch route of passes. Mission Control Service, section 4.5.
 *
 * H1. A line is printed when it says something new: a prediction that is fed again each hour changes nothing that a
 *     person reads, and what the route sends again after a loss was seen. With `--json` every change of the record.
 */

import type { PassView } from '../contract/pass.ts';
import { realClock } from '../supervision/clock.ts';
import { defineCommand } from './command.ts';
import { followInLines, whenEnded } from './followed.ts';
import { showLive } from './live-view.ts';
import { passLine, passRow } from './pass-columns.ts';
import { dayAndTime } from './pass-look.ts';
import { PassTable } from './pass-table.ts';
import { jsonText, printable } from './printable.ts';
import { hasColour } from './run-follow.ts';
import { serviceOf } from './service.ts';
import { shapeOf, TABLE_OPTIONS } from './table-options.ts';

const WATCH_USAGE = `mcs pass watch [--target T] [--json] [--utc | --local]
  in a terminal a table with countdowns, elsewhere a line for each change; --json: one JSON in a line
`;

const OPTIONS = {
  ...TABLE_OPTIONS,
  target: { type: 'string' },
} as const;
/** Changes after which what is over is forgotten: a watch of a year holds the passes ahead and these. */
const FORGET_EVERY = 1_000;

export const watch = defineCommand({
  usage: WATCH_USAGE,
  words: [],
  options: OPTIONS,
  async run({ values }) {
    const { target } = values;
    const shape = shapeOf(values);
    const { json, local } = shape;
    const query = target === undefined ? '' : `?target=${encodeURIComponent(target)}`;
    const followed = { service: serviceOf(values), path: `/v1/passes/watch${query}`, ended: whenEnded() };
    if (json || !process.stdout.isTTY || process.env.TERM === 'dumb') {
      const shown = new ShownPasses(
        json ? (view) => jsonText(view) : (view) => printable(passLine(passRow(view), local)),
      );
      return followInLines<PassView>(followed.service, followed.path, followed.ended, (view) => {
        const line = shown.newLine(view);
        if (line === undefined) return;
        const received = json ? '' : `${dayAndTime(realClock.now(), local)[1]}  `;
        process.stdout.write(`${received}${line}\n`);
      });
    }
    const table = new PassTable(local);
    const title = (state: string, now: number): string =>
      ['passes', ...(target === undefined ? [] : [target]), state, dayAndTime(now, local).join(' ')].join(
        '  ',
      );
    const remark = ({ width }: { readonly width: number }): string => table.remark(width);
    return showLive<PassView>({ ...followed, colour: hasColour(), table, title, remark });
  },
});

/** H1 */
class ShownPasses {
  readonly #text: (view: PassView) => string;
  readonly #shown = new Map<string, { readonly line: string; readonly losMs: number }>();
  #taken = 0;

  constructor(text: (view: PassView) => string) {
    this.#text = text;
  }

  /** The line of the pass; undefined where it was shown. */
  newLine(view: PassView): string | undefined {
    const key = `${view.pass.target}.${view.pass.id}`;
    const line = this.#text(view);
    if (this.#shown.get(key)?.line === line) return undefined;
    this.#shown.set(key, { line, losMs: passRow(view).losMs });
    this.#taken += 1;
    if (this.#taken % FORGET_EVERY === 0) this.#forget(realClock.now());
    return line;
  }

  #forget(now: number): void {
    for (const [key, { losMs }] of this.#shown) if (losMs < now) this.#shown.delete(key);
  }
}
