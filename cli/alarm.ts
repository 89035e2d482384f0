/**
 * `mcs alarm`: a thin client of the routes of alarms. Mission Control Service, section 4.4. Exit code: 0 when it was
 * done, 1 when it was refused or the service does not answer, 2 when the command line is none.
 */

import type { AlarmList, AlarmTold, ShelveBody } from '../contract/alarm.ts';
import { listLines } from './alarm-line.ts';
import { show } from './alarm-show.ts';
import { watchAlarms } from './alarm-watch.ts';
import { type Command, defineCommand, defineVerbs, type ValuesOf } from './command.ts';
import { printJson } from './print-json.ts';
import { request } from './request.ts';
import { hasColour } from './run-follow.ts';
import { serviceOf } from './service.ts';
import { JSON_OPTIONS } from './table-options.ts';

const LIST_USAGE = `mcs alarm list [TARGET] [--all] [--json]
  what is not normal, or shelved; --all: every alarm recorded
  !! critical  ! warning  ~ over, and not acknowledged
  under each what its reactions do
`;

const WATCH_USAGE = `mcs alarm watch [TARGET] [--json]
  every transition from now on, and reactions that wait; --json: transitions, one JSON in a line
`;

const ALARM = '  ALARM: component.alarm or component[instance].alarm, as in battery[1].voltage\n';

const SHELVE_USAGE = `mcs alarm shelve TARGET ALARM DURATION [--json]
  silences its reactions, e.g. for 30 min
${ALARM}`;

const list = defineCommand({
  usage: LIST_USAGE,
  words: ['[TARGET]'],
  options: { ...JSON_OPTIONS, all: { type: 'boolean' } },
  async run({ words: [target], values }) {
    const { all = false, json = false } = values;
    const query = new URLSearchParams({
      ...(target !== undefined && { target }),
      ...(all && { all: 'true' }),
    });
    const path = `/v1/alarms${query.size > 0 ? `?${query}` : ''}`;
    const reply = await request<AlarmList>(serviceOf(values), 'GET', path);
    if (reply === undefined) return 1;
    if (json) printJson(reply.alarms);
    else printAlarms(reply, all);
    return 0;
  },
});

const watch = defineCommand({
  usage: WATCH_USAGE,
  words: ['[TARGET]'],
  options: JSON_OPTIONS,
  run: ({ words: [target], values }) => watchAlarms(serviceOf(values), target, values.json),
});

const shelve = defineCommand({
  usage: SHELVE_USAGE,
  words: ['TARGET', 'ALARM', 'DURATION'],
  // `30 min` is two words where nobody quotes it.
  rest: 'DURATION',
  options: JSON_OPTIONS,
  run({ words: [target, name, ...duration], rest, values }) {
    const body: ShelveBody = { for: [...duration, ...rest].join(' ') };
    return command('shelve', [target, name], values, body);
  },
});

/** A command of one word: what it does to the alarm. */
function plain(action: 'acknowledge' | 'unshelve', verb: string, about: string): Command {
  return defineCommand({
    usage: `mcs alarm ${verb} TARGET ALARM [--json]\n  ${about}\n${ALARM}`,
    words: ['TARGET', 'ALARM'],
    options: JSON_OPTIONS,
    run: ({ words, values }) => command(action, words, values),
  });
}

export const alarm = defineVerbs('alarm', {
  list,
  show,
  watch,
  ack: plain('acknowledge', 'ack', 'acknowledges it'),
  shelve,
  unshelve: plain('unshelve', 'unshelve', 'ends its silence'),
});

function printAlarms({ alarms }: AlarmList, all: boolean): void {
  for (const line of listLines(alarms, hasColour())) process.stdout.write(`${line}\n`);
  if (alarms.length > 0) return;
  process.stderr.write(
    all ? 'no alarms recorded\n' : 'no alarms: everything is normal and nothing is shelved\n',
  );
}

async function command(
  action: string,
  [target, name]: readonly [string, string],
  values: ValuesOf<typeof JSON_OPTIONS>,
  body?: ShelveBody,
): Promise<number> {
  const path = `/v1/alarms/${encodeURIComponent(target)}/${encodeURIComponent(name)}/${action}`;
  const reply = await request<AlarmTold>(serviceOf(values), 'POST', path, body);
  if (reply === undefined) return 1;
  const done = body === undefined ? `${action}d` : `shelved for ${body.for}`;
  if (values.json === true) printJson(reply);
  else process.stdout.write(`${target} ${name} ${done}\n`);
  return 0;
}
