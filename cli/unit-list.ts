/** `mcs unit list`: the fleet. A thin client of `GET /v1/units`. Mission Control Service, section 4.8. */

import type { UnitList } from '../contract/unit.ts';
import { realClock } from '../supervision/clock.ts';
import { printColumns } from './columns.ts';
import { defineCommand } from './command.ts';
import { jsonText } from './printable.ts';
import { request } from './request.ts';
import { hasColour } from './run-follow.ts';
import { serviceOf } from './service.ts';
import { shapeOf, TABLE_OPTIONS } from './table-options.ts';
import { unitColumns } from './unit-columns.ts';
import { LIST_USAGE } from './unit-usage.ts';

export const list = defineCommand({
  usage: LIST_USAGE,
  words: [],
  options: TABLE_OPTIONS,
  async run({ values }) {
    const shape = shapeOf(values);
    const listed = await request<UnitList>(serviceOf(values), 'GET', '/v1/units');
    if (listed === undefined) return 1;
    const { units } = listed;
    if (shape.json) process.stdout.write(`${jsonText(units, 2)}\n`);
    else {
      const look = { now: realClock.now(), colour: hasColour(), elsewhere: '--json' };
      printColumns(unitColumns(shape.local), units, look);
      if (units.length === 0) process.stderr.write('no units\n');
    }
    return 0;
  },
});
