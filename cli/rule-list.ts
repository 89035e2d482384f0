/** `mcs rule list`: rules, and what each has made. A thin client of `GET /v1/schedule-rules`. */

import type { RuleList } from '../contract/schedule-rule.ts';
import { realClock } from '../supervision/clock.ts';
import { printColumns } from './columns.ts';
import { defineCommand } from './command.ts';
import { jsonText } from './printable.ts';
import { request } from './request.ts';
import { refusalLines, ruleColumns } from './rule-line.ts';
import { hasColour } from './run-follow.ts';
import { serviceOf } from './service.ts';
import { shapeOf, TABLE_OPTIONS } from './table-options.ts';

const LIST_USAGE = `mcs rule list [--json] [--utc | --local]
  rules, how many of the passes to come each matches and has made a schedule of, and why not of others
`;

export const list = defineCommand({
  usage: LIST_USAGE,
  words: [],
  options: TABLE_OPTIONS,
  async run({ values }) {
    const shape = shapeOf(values);
    const reply = await request<RuleList>(serviceOf(values), 'GET', '/v1/schedule-rules');
    if (reply === undefined) return 1;
    const { rules } = reply;
    if (shape.json) {
      process.stdout.write(`${jsonText(rules, 2)}\n`);
      return 0;
    }
    printColumns(ruleColumns(), rules, {
      now: realClock.now(),
      colour: hasColour(),
      elsewhere: 'mcs rule list --json',
    });
    const refused = rules.flatMap((rule) => refusalLines(rule, shape.local));
    if (refused.length > 0) process.stdout.write(`${refused.join('\n')}\n`);
    if (rules.length === 0) process.stderr.write('no rules\n');
    return 0;
  },
});
