/**
 * `mcs schedule cancel|validate`: commands of people to one schedule. Mission Control Service, sections 3.4 and 4.6.
 */

import { parseArgs } from 'node:util';
import type { Schedule, ScheduleValidation } from '../contract/schedule.ts';
import { momentText, printable } from './pass-look.ts';
import { request } from './request.ts';
import { stateText } from './schedule-columns.ts';
import { serviceOf } from './service.ts';
import { type Shape, shapeOf, TABLE_OPTIONS } from './table-options.ts';

export const COMMAND_USAGE = `mcs schedule cancel ID [--json]
mcs schedule validate ID [--json] [--utc | --local]
  validate: as a supervisor (--role supervisor, or a token with that role)
`;

export async function cancel(args: string[]): Promise<number> {
  return command(args, 'cancel', (schedule: Schedule) => `${schedule.id}  ${stateText(schedule)}`);
}

export async function validate(args: string[]): Promise<number> {
  return command(args, 'validate', ({ by, pass, aos, los }: ScheduleValidation, { local }, id) => {
    const [from, to] = [momentText(aos, local), momentText(los, local)];
    return `${id}  validated by ${by} for ${pass}, AOS ${from}, LOS ${to}`;
  });
}

async function command<Reply>(
  args: string[],
  verb: string,
  lineOf: (reply: Reply, shape: Shape, id: string) => string,
): Promise<number> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: TABLE_OPTIONS });
  const [id, ...more] = positionals;
  const shape = shapeOf(values);
  if (id === undefined || more.length > 0 || shape === undefined) {
    process.stderr.write(COMMAND_USAGE);
    return 2;
  }
  const path = `/v1/schedules/${encodeURIComponent(id)}/${verb}`;
  const reply = await request<Reply>(serviceOf(values), 'POST', path);
  if (reply === undefined) return 1;
  const line = shape.json ? JSON.stringify(reply) : printable(lineOf(reply, shape, id));
  process.stdout.write(`${line}\n`);
  return 0;
}
