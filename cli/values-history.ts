/**
 * `mcs values history`: the past of measures as lines, with what was lost. A thin client of the route of the past. Exit
 * code: 0, 1 when the service refuses, 2 when the command line is malformed.
 */

import type { HistoryBuckets } from '../contract/history-view.ts';
import { defineCommand } from './command.ts';
import { historyLines, saidBeside, saidOfMeasures } from './history-lines.ts';
import { PAST_OPTIONS, pastPath, pastQuery } from './past-question.ts';
import { HISTORY_USAGE } from './past-usage.ts';
import { jsonText, printable } from './printable.ts';
import { request } from './request.ts';
import { hasColour } from './run-follow.ts';
import { serviceOf } from './service.ts';
import { shapeOf, TABLE_OPTIONS } from './table-options.ts';

const OPTIONS = { ...TABLE_OPTIONS, ...PAST_OPTIONS, points: { type: 'string' } } as const;
/** What a pipe is given; a terminal, a bucket for each column. */
const POINTS_USUAL = 120;

export const history = defineCommand({
  usage: HISTORY_USAGE,
  words: ['TARGET'],
  rest: 'SELECTOR',
  options: OPTIONS,
  async run({ words: [target], rest: selectors, values }) {
    const shape = shapeOf(values);
    const width = process.stdout.isTTY ? process.stdout.columns : undefined;
    const query = pastQuery(selectors, values);
    query.set('points', values.points ?? String(width ?? POINTS_USUAL));
    const answer = await request<HistoryBuckets>(serviceOf(values), 'GET', pastPath(target, query));
    if (answer === undefined) return 1;
    const { json, local } = shape;
    const lines = json ? [jsonText(answer, 2)] : historyLines(answer, { width, colour: hasColour(), local });
    process.stdout.write(`${lines.join('\n')}\n`);
    const said = json ? [] : [...saidOfMeasures(answer.measures), ...saidBeside(answer, local)];
    for (const line of said) process.stderr.write(`${printable(line)}\n`);
    return 0;
  },
});
