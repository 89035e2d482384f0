/** `mcs connector remove`: a connector that is no more. A thin client of `DELETE /v1/connectors/{connector}`. */

import { defineCommand } from './command.ts';
import { REMOVE_USAGE } from './connector-usage.ts';
import { printable } from './printable.ts';
import { ask, faultLine } from './request.ts';
import { SERVICE_OPTIONS, serviceOf } from './service.ts';

export const remove = defineCommand({
  usage: REMOVE_USAGE,
  words: ['NAME'],
  options: SERVICE_OPTIONS,
  async run({ words: [name], values }) {
    const answer = await ask(serviceOf(values), 'DELETE', `/v1/connectors/${encodeURIComponent(name)}`);
    if (!answer.ok) {
      for (const fault of answer.faults) process.stderr.write(`${faultLine(fault)}\n`);
      return 1;
    }
    process.stdout.write(`${printable(name)}  removed\n`);
    return 0;
  },
});
