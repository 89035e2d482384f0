/** `mcs connector list`: a thin client of `GET /v1/connectors`. Mission Control Service, section 4.9. */

import type { ConnectorsView } from '../contract/connector.ts';
import { realClock } from '../supervision/clock.ts';
import { printColumns } from './columns.ts';
import { defineCommand } from './command.ts';
import { connectorColumns, rowsOf } from './connector-columns.ts';
import { LIST_USAGE } from './connector-usage.ts';
import { jsonText, printable } from './printable.ts';
import { request } from './request.ts';
import { hasColour } from './run-follow.ts';
import { serviceOf } from './service.ts';
import { shapeOf, TABLE_OPTIONS } from './table-options.ts';

export const list = defineCommand({
  usage: LIST_USAGE,
  words: [],
  options: TABLE_OPTIONS,
  async run({ values }) {
    const shape = shapeOf(values);
    const listed = await request<ConnectorsView>(serviceOf(values), 'GET', '/v1/connectors');
    if (listed === undefined) return 1;
    const { connectors } = listed;
    if (shape.json) process.stdout.write(`${jsonText(connectors, 2)}\n`);
    else {
      const look = { now: realClock.now(), colour: hasColour(), elsewhere: '--json' };
      const rows = rowsOf(connectors);
      printColumns(connectorColumns(shape.local), rows, look);
      if (rows.length === 0) process.stderr.write('no connectors\n');
      // What a table has no room for: whole sentences.
      for (const { lag } of rows)
        if (lag.reason !== undefined)
          process.stderr.write(`${lag.connector} ${lag.consumer}: ${printable(lag.reason)}\n`);
    }
    return 0;
  },
});
