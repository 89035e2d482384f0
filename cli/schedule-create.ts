/**
 * `mcs schedule create`: a run on a pass, from options or a file. A thin client of `POST /v1/schedules`. Mission
 * Control Service, section 4.6.
 */

import type { Schedule } from '../contract/schedule.ts';
import { realClock } from '../supervision/clock.ts';
import { defineCommand, type ValuesOf } from './command.ts';
import { WrongUsage } from './command-line.ts';
import { readEntries } from './entries-file.ts';
import { momentText } from './pass-look.ts';
import { noneBesideFile, PLANNED_OPTIONS, plannedRun, postPlanned } from './planned-run.ts';
import { postAll } from './post-all.ts';
import { jsonText, printable } from './printable.ts';
import { countdown, stateText } from './schedule-columns.ts';
import { serviceOf } from './service.ts';
import { type Shape, shapeOf, TABLE_OPTIONS } from './table-options.ts';

const CREATE_USAGE = `mcs schedule create ID --pass PASS --start START --run PROCEDURE role=target … [input=value …]
              [--input name=value] [--library L] [--environment E] [--json] [--utc | --local]
mcs schedule create --file FILE|- [--json] [--utc | --local]
  schedules a run on a pass, or replaces the schedule of that identifier if it has not been fired; the file has a
  schedule or a list of them, JSON or YAML; START: aos, or "aos + 30 s"
`;

const PATH = '/v1/schedules';
const OPTIONS = {
  ...TABLE_OPTIONS,
  ...PLANNED_OPTIONS,
  pass: { type: 'string' },
  file: { type: 'string' },
} as const;
const WORDS = {
  one: 'a schedule',
  many: 'schedules',
  fields: 'id, pass, start, run, targets, …',
};

export const create = defineCommand({
  usage: CREATE_USAGE,
  words: ['[ID]'],
  rest: 'pairs',
  options: OPTIONS,
  run({ words: [id], rest, values }) {
    const shape = shapeOf(values);
    if (values.file === undefined) return createOne(id, rest, values, shape);
    if (id !== undefined)
      throw new WrongUsage(`--file names the identifiers: ${JSON.stringify(id)} is one word too many`);
    return createAll(values.file, values, shape);
  },
});

type Values = ValuesOf<typeof OPTIONS>;

async function createOne(
  id: string | undefined,
  pairs: readonly string[],
  values: Values,
  shape: Shape,
): Promise<number> {
  const { pass } = values;
  const service = serviceOf(values);
  if (id === undefined) throw new WrongUsage('ID is missing');
  if (pass === undefined) throw new WrongUsage('--pass is missing');
  const planned = await plannedRun(pairs, values, service);
  const schedule = await postPlanned<Schedule>(service, PATH, { id, pass, ...planned });
  if (schedule === undefined) return 1;
  print(schedule, shape);
  return 0;
}

async function createAll(file: string, values: Values, shape: Shape): Promise<number> {
  noneBesideFile([...Object.keys(PLANNED_OPTIONS), 'pass'], values);
  const entries = await readEntries(file, WORDS);
  if (entries.length === 0) throw new Error(`${file} has no schedules`);
  const show = (schedule: Schedule): void => print(schedule, shape);
  const posting = { service: serviceOf(values), path: PATH, noun: 'schedule', nouns: 'schedules', show };
  return postAll(posting, entries);
}

function print(schedule: Schedule, { json, local }: Shape): void {
  const line = json ? jsonText(schedule) : printable(createdLine(schedule, realClock.now(), local));
  process.stdout.write(`${line}\n`);
  for (const warning of schedule.warnings ?? []) process.stderr.write(`warning: ${printable(warning)}\n`);
}

function createdLine(schedule: Schedule, now: number, local: boolean): string {
  const { id, run, pass, target, reasons } = schedule;
  const at = momentText(schedule.fire_at, local);
  const why = reasons.length === 0 ? '' : `: ${reasons.join('; ')}`;
  return `${id}  ${stateText(schedule)}  ${run} on ${pass} of ${target} at ${at} (${countdown(schedule, now)})${why}`;
}
