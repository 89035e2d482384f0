/**
 * `mcs rule add`: a rule from options or a file. A thin client of `POST /v1/schedule-rules`. Mission Control Service,
 * sections 2.7 and 4.6.
 */

import type { Rule, RuleFilter } from '../contract/schedule-rule.ts';
import { defineCommand, type ValuesOf } from './command.ts';
import { WrongUsage } from './command-line.ts';
import { readEntries } from './entries-file.ts';
import { noneBesideFile, PLANNED_OPTIONS, plannedRun, postPlanned } from './planned-run.ts';
import { postAll } from './post-all.ts';
import { jsonText, printable } from './printable.ts';
import { filterText } from './rule-line.ts';
import { SERVICE_OPTIONS, serviceOf } from './service.ts';

const ADD_USAGE = `mcs rule add ID --target T --start START --run PROCEDURE role=target … [input=value …]
              [--status predicted|booked] [--min-elevation ANGLE] [--station S] [--uplink yes|no]
              [--input name=value] [--library L] [--environment E] [--json]
mcs rule add --file FILE|- [--json]
  makes a schedule of each pass of T that is as the options say, or replaces the rule of that identifier; the file has
  a rule or a list of them, JSON or YAML; START: aos, or "aos + 30 s"; ANGLE: "20 deg"
`;

const PATH = '/v1/schedule-rules';
const FILTERS = {
  status: { type: 'string' },
  'min-elevation': { type: 'string' },
  station: { type: 'string' },
  uplink: { type: 'string' },
} as const;
const OPTIONS = {
  ...SERVICE_OPTIONS,
  ...PLANNED_OPTIONS,
  ...FILTERS,
  target: { type: 'string' },
  file: { type: 'string' },
  json: { type: 'boolean' },
} as const;
const WORDS = { one: 'a rule', many: 'rules', fields: 'id, target, start, run, targets, …' };
const UPLINKS: Readonly<Record<string, boolean>> = { yes: true, no: false };

export const add = defineCommand({
  usage: ADD_USAGE,
  words: ['[ID]'],
  rest: 'pairs',
  options: OPTIONS,
  run({ words: [id], rest, values }) {
    if (values.file === undefined) return addOne(id, rest, values);
    if (id !== undefined)
      throw new WrongUsage(`--file names the identifiers: ${JSON.stringify(id)} is one word too many`);
    return addAll(values.file, values);
  },
});

type Values = ValuesOf<typeof OPTIONS>;

async function addOne(id: string | undefined, pairs: readonly string[], values: Values): Promise<number> {
  const { target, uplink, json = false } = values;
  if (id === undefined) throw new WrongUsage('ID is missing');
  if (target === undefined) throw new WrongUsage('--target is missing');
  if (uplink !== undefined && !Object.hasOwn(UPLINKS, uplink))
    throw new WrongUsage(`--uplink is yes or no, not ${JSON.stringify(uplink)}`);
  const service = serviceOf(values);
  const planned = await plannedRun(pairs, values, service);
  const filter = filterOf(values);
  const body = { id, target, ...(Object.keys(filter).length > 0 && { filter }), ...planned };
  const rule = await postPlanned<Rule>(service, PATH, body);
  if (rule === undefined) return 1;
  print(rule, json);
  return 0;
}

/** What is no status or angle the service refuses, with what is one. */
function filterOf(values: Values): RuleFilter {
  const { status, 'min-elevation': least, station, uplink } = values;
  return {
    ...(status !== undefined && { status: status as NonNullable<RuleFilter['status']> }),
    ...(least !== undefined && { min_elevation: least }),
    ...(station !== undefined && { station }),
    ...(uplink !== undefined && { uplink: UPLINKS[uplink] === true }),
  };
}

async function addAll(file: string, values: Values): Promise<number> {
  noneBesideFile([...Object.keys(PLANNED_OPTIONS), ...Object.keys(FILTERS), 'target'], values);
  const entries = await readEntries(file, WORDS);
  if (entries.length === 0) throw new Error(`${file} has no rules`);
  const show = (rule: Rule): void => print(rule, values.json === true);
  const posting = { service: serviceOf(values), path: PATH, noun: 'rule', nouns: 'rules', show };
  return postAll(posting, entries);
}

function print(rule: Rule, json: boolean): void {
  const { id, target, filter, run, start } = rule;
  const text = `${id}  ${run} at ${start} on passes of ${target}: ${filterText(filter)}`;
  process.stdout.write(`${json ? jsonText(rule) : printable(text)}\n`);
}
