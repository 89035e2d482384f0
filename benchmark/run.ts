/**
 * `npm run benchmark -- [--only ROW,…] [--rounds N] [--quick] [--output FILE]`: measures the service beside its
 * ceilings, prints a table and writes the results as JSON. README.md says how to read them.
 */

import { writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type Arguments, readArguments } from './arguments.ts';
import type { Result, Row } from './row.ts';
import { alarmFailoverRow } from './rows/alarm-failover.ts';
import { alarmLatencyRow } from './rows/alarm-latency.ts';
import { limitRow } from './rows/alarms.ts';
import { archiveRows } from './rows/archive.ts';
import { benchRow } from './rows/bench.ts';
import { cellRow } from './rows/cells.ts';
import { cfdpRow } from './rows/cfdp.ts';
import { consoleRow } from './rows/console.ts';
import { eventRows } from './rows/events.ts';
import { fanOutRow } from './rows/fan-out.ts';
import { httpRow } from './rows/http.ts';
import { passRow } from './rows/passes.ts';
import { postgresRow } from './rows/postgres.ts';
import { runRows } from './rows/runs.ts';
import { sampleRow } from './rows/samples.ts';
import { scheduleRow } from './rows/schedules.ts';
import { telecommandRow } from './rows/telecommands.ts';
import { transferBytesRows } from './rows/transfer-bytes.ts';
import { transferRow } from './rows/transfers.ts';
import { tableOf } from './table.ts';

const ROWS: readonly Row[] = [
  httpRow,
  telecommandRow,
  ...runRows,
  sampleRow,
  limitRow,
  alarmLatencyRow,
  alarmFailoverRow,
  fanOutRow,
  passRow,
  scheduleRow,
  transferRow,
  ...transferBytesRows,
  cfdpRow,
  ...archiveRows,
  ...eventRows,
  postgresRow,
  cellRow,
  benchRow,
  consoleRow,
];

/** Those whose name begins with one of the words; throws when a word is the beginning of none. */
function rowsOf(only: readonly string[] | undefined): readonly Row[] {
  if (only === undefined) return ROWS;
  const begins = (word: string) => ROWS.some(({ name }) => name.startsWith(word));
  const unknown = only.find((word) => !begins(word));
  if (unknown !== undefined)
    throw new TypeError(`no row ${unknown}; rows: ${ROWS.map(({ name }) => name).join(', ')}`);
  return ROWS.filter(({ name }) => only.some((word) => name.startsWith(word)));
}

async function run(args: Arguments): Promise<void> {
  const rows = rowsOf(args.only);
  const results: Result[] = [];
  for (const row of rows) {
    try {
      const measured = await row.run(args);
      console.log(`${tableOf(measured)}\n`);
      results.push(...measured);
    } catch (error) {
      // The others are still worth their minutes.
      console.error(`row ${row.name} failed:`, error);
      process.exitCode = 1;
    }
  }
  const path = args.output ?? fileURLToPath(new URL(`./results/local-${stamp()}.json`, import.meta.url));
  const { rounds, roundMs, quick } = args;
  const machine = { cores: availableParallelism(), load: loadavg()[0], node: process.version };
  const text = JSON.stringify({
    at: new Date().toISOString(),
    machine,
    settings: { rounds, roundMs, quick },
    results,
  });
  await writeFile(path, `${text}\n`);
  console.log(`results in ${path}`);
}

function stamp(): string {
  return new Date().toISOString().slice(0, 19).replaceAll(':', '');
}

try {
  await run(readArguments(process.argv.slice(2)));
} catch (error) {
  // What was asked for is wrong: the reason is enough.
  if (!(error instanceof TypeError)) throw error;
  console.error(`benchmark: ${error.message}`);
  process.exitCode = 2;
}
