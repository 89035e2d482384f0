/** `mcs rule remove`: a thin client of `DELETE /v1/schedule-rules/{id}`. Mission Control Service, section 4.6. */

import { defineCommand } from './command.ts';
import { printJson } from './print-json.ts';
import { printable } from './printable.ts';
import { ask, faultLine } from './request.ts';
import { serviceOf } from './service.ts';
import { JSON_OPTIONS } from './table-options.ts';

const REMOVE_USAGE = `mcs rule remove ID [--json]
  its schedules stay
`;

export const remove = defineCommand({
  usage: REMOVE_USAGE,
  words: ['ID'],
  options: JSON_OPTIONS,
  async run({ words: [id], values }) {
    const path = `/v1/schedule-rules/${encodeURIComponent(id)}`;
    const answer = await ask(serviceOf(values), 'DELETE', path);
    if (!answer.ok) {
      for (const fault of answer.faults) process.stderr.write(`${faultLine(fault)}\n`);
      return 1;
    }
    if (values.json === true) printJson({ removed: id });
    else process.stdout.write(`${printable(id)}  removed; its schedules stay (mcs schedule list)\n`);
    return 0;
  },
});
