/**
 * `mcs run report`: how a run went, as text to read or as the service has it. A thin client of
 * `GET /v1/runs/{run}/report`, which also knows runs whose logs have left the bus. Mission Control Service,
 * section 3.2. Exit code: 0 when there is a report, whatever it says; 1 when the service refuses.
 */

import type { RunReport } from '../contract/run-report.ts';
import { defineCommand } from './command.ts';
import { printJson } from './print-json.ts';
import { reportLines } from './report-lines.ts';
import { request } from './request.ts';
import { hasColour } from './run-follow.ts';
import { RUN_NAME, withRun } from './run-name.ts';
import { serviceOf } from './service.ts';
import { shapeOf, TABLE_OPTIONS } from './table-options.ts';

export const report = defineCommand({
  usage: `mcs run report RUN [--json] [--utc | --local]
  how it went: its steps, telecommands, failed checks, decisions and answers; also of a run of long ago
${RUN_NAME}`,
  words: ['RUN'],
  options: TABLE_OPTIONS,
  run({ words: [name], values }) {
    const { json, local } = shapeOf(values);
    const service = serviceOf(values);
    return withRun(name, service, async (run) => {
      const found = await request<RunReport>(service, 'GET', `/v1/runs/${run}/report`);
      if (found === undefined) return 1;
      if (json) printJson(found);
      else process.stdout.write(`${reportLines(found, { local, colour: hasColour() }).join('\n')}\n`);
      return 0;
    });
  },
});
