/** `mcs rule remove`: a thin client of `DELETE /v1/schedule-rules/{id}`. Mission Control Service, section 4.6. */

import { parseArgs } from 'node:util';
import { printable } from './pass-look.ts';
import { ask, faultLine } from './request.ts';
import { SERVICE_OPTIONS, serviceOf } from './service.ts';

export const REMOVE_USAGE = `mcs rule remove ID
  its schedules stay
`;

export async function remove(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: SERVICE_OPTIONS });
  const [id, ...more] = positionals;
  if (id === undefined || more.length > 0) {
    process.stderr.write(REMOVE_USAGE);
    return 2;
  }
  const path = `/v1/schedule-rules/${encodeURIComponent(id)}`;
  const answer = await ask(serviceOf(values), 'DELETE', path);
  if (!answer.ok) {
    for (const fault of answer.faults) process.stderr.write(`${faultLine(fault)}\n`);
    return 1;
  }
  process.stdout.write(`${printable(id)}  removed; its schedules stay (mcs schedule list)\n`);
  return 0;
}
