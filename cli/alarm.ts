/**
 * `mcs alarm`: a thin client of the routes of alarms. Mission Control Service, section 4.4. Exit code: 0 when it was
 * done, 1 when it was refused or the service does not answer, 2 when the command line is none.
 */

import { parseArgs } from 'node:util';
import type { AlarmList, AlarmTold, ShelveBody } from '../contract/alarm.ts';
import { listLines } from './alarm-line.ts';
import { watchAlarms } from './alarm-watch.ts';
import { request } from './request.ts';
import { hasColour } from './run-follow.ts';
import { SERVICE_OPTIONS, SERVICE_USAGE, type Service, serviceOf } from './service.ts';

const USAGE = `mcs alarm list [TARGET] [--all]         what is not normal, or shelved; --all: every alarm recorded
mcs alarm watch [TARGET]                every transition from now on
mcs alarm ack TARGET ALARM              acknowledge it
mcs alarm shelve TARGET ALARM DURATION  silence its reactions, e.g. for 30 min
mcs alarm unshelve TARGET ALARM
ALARM: component.alarm or component[instance].alarm, as in battery[1].voltage
!! critical  ! warning  ~ over, and not acknowledged
${SERVICE_USAGE}`;

interface Words {
  readonly words: readonly string[];
  readonly all: boolean;
  readonly service: Service;
}

const VERBS: Readonly<Record<string, (words: Words) => Promise<number>>> = {
  list,
  watch: ({ words: [target, ...more], all, service }) =>
    more.length > 0 || all ? usage() : watchAlarms(service, target),
  ack: (words) => command('acknowledge', words),
  shelve,
  unshelve: (words) => command('unshelve', words),
};

export async function alarm([verb, ...args]: string[]): Promise<number> {
  const carryOut = verb !== undefined && Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (carryOut === undefined) return usage();
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { ...SERVICE_OPTIONS, all: { type: 'boolean' } },
  });
  return carryOut({ words: positionals, all: values.all === true, service: serviceOf(values) });
}

async function usage(): Promise<number> {
  process.stderr.write(USAGE);
  return 2;
}

async function list({ words: [target, ...more], all, service }: Words): Promise<number> {
  if (more.length > 0) return usage();
  const query = new URLSearchParams({ ...(target !== undefined && { target }), ...(all && { all: 'true' }) });
  const reply = await request<AlarmList>(service, 'GET', `/v1/alarms${query.size > 0 ? `?${query}` : ''}`);
  if (reply === undefined) return 1;
  for (const line of listLines(reply.alarms, hasColour())) process.stdout.write(`${line}\n`);
  if (reply.alarms.length === 0) {
    process.stderr.write(
      all ? 'no alarms recorded\n' : 'no alarms: everything is normal and nothing is shelved\n',
    );
  }
  return 0;
}

async function shelve({ words: [target, name, ...duration], ...rest }: Words): Promise<number> {
  if (target === undefined || name === undefined || duration.length === 0) return usage();
  const body: ShelveBody = { for: duration.join(' ') };
  return command('shelve', { ...rest, words: [target, name] }, body);
}

async function command(
  action: string,
  { words: [target, name, ...more], all, service }: Words,
  body?: ShelveBody,
): Promise<number> {
  if (target === undefined || name === undefined || more.length > 0 || all) return usage();
  const path = `/v1/alarms/${encodeURIComponent(target)}/${encodeURIComponent(name)}/${action}`;
  if ((await request<AlarmTold>(service, 'POST', path, body)) === undefined) return 1;
  const done = body === undefined ? `${action}d` : `shelved for ${body.for}`;
  process.stdout.write(`${target} ${name} ${done}\n`);
  return 0;
}
