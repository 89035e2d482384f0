/** `mcs run list`: the newest runs. A thin client of `GET /v1/runs`. Mission Control Service, section 4.2. */

import type { RunList, RunSummary } from '../contract/run.ts';
import { defineCommand } from './command.ts';
import { printJson } from './print-json.ts';
import { printable } from './printable.ts';
import { request } from './request.ts';
import { stateOf } from './run-line.ts';
import { serviceOf } from './service.ts';
import { JSON_OPTIONS } from './table-options.ts';

export const list = defineCommand({
  usage: `mcs run list [--limit N] [--json]
  the newest runs
`,
  words: [],
  options: { ...JSON_OPTIONS, limit: { type: 'string' } },
  async run({ values }) {
    const { limit, json = false } = values;
    const query = limit === undefined ? '' : `?limit=${encodeURIComponent(limit)}`;
    const reply = await request<RunList>(serviceOf(values), 'GET', `/v1/runs${query}`);
    if (reply === undefined) return 1;
    const { runs } = reply;
    if (json) printJson(runs);
    const width = Math.max(0, ...runs.map(({ procedure }) => procedure.length));
    if (!json) for (const each of runs) process.stdout.write(`${summaryLine(each, width)}\n`);
    return 0;
  },
});

function summaryLine(summary: RunSummary, width: number): string {
  const { run: id, procedure, step, pending, reason, environment, targets, by } = summary;
  const where = Object.values(targets).join(',');
  const facts = [
    `${where} in ${environment}`,
    by === undefined ? undefined : `by ${by}`,
    summary.finished === undefined && step !== undefined ? `at ${step}` : undefined,
    pending?.prompt,
    reason,
  ];
  const said = facts.filter((fact) => fact !== undefined).join(', ');
  return printable(`${id}  ${stateOf(summary).padEnd(9)}  ${procedure.padEnd(width)}  ${said}`);
}
