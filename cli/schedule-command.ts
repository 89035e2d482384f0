/**
 * `mcs schedule cancel|validate`: commands of people to one schedule. Mission Control Service, sections 3.4 and 4.6.
 */

import type { Schedule, ScheduleValidation } from '../contract/schedule.ts';
import { type Command, defineCommand } from './command.ts';
import { momentText } from './pass-look.ts';
import { jsonText, printable } from './printable.ts';
import { request } from './request.ts';
import { stateText } from './schedule-columns.ts';
import { serviceOf } from './service.ts';
import { type Shape, shapeOf, TABLE_OPTIONS } from './table-options.ts';

const CANCEL_USAGE = 'mcs schedule cancel ID [--json] [--utc | --local]\n';

const VALIDATE_USAGE = `mcs schedule validate ID [--json] [--utc | --local]
  as a supervisor (--role supervisor, or a token with that role)
`;

export const cancel = commandOf(
  'cancel',
  CANCEL_USAGE,
  (schedule: Schedule) => `${schedule.id}  ${stateText(schedule)}`,
);

export const validate = commandOf(
  'validate',
  VALIDATE_USAGE,
  ({ by, pass, aos, los }: ScheduleValidation, { local }, id) => {
    const [from, to] = [momentText(aos, local), momentText(los, local)];
    return `${id}  validated by ${by} for ${pass}, AOS ${from}, LOS ${to}`;
  },
);

function commandOf<Reply>(
  verb: string,
  usage: string,
  lineOf: (reply: Reply, shape: Shape, id: string) => string,
): Command {
  return defineCommand({
    usage,
    words: ['ID'],
    options: TABLE_OPTIONS,
    async run({ words: [id], values }) {
      const shape = shapeOf(values);
      const path = `/v1/schedules/${encodeURIComponent(id)}/${verb}`;
      const reply = await request<Reply>(serviceOf(values), 'POST', path);
      if (reply === undefined) return 1;
      const line = shape.json ? jsonText(reply) : printable(lineOf(reply, shape, id));
      process.stdout.write(`${line}\n`);
      return 0;
    },
  });
}
