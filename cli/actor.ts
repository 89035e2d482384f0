/**
 * `mcs actor`: what lives and where, and what is stored of it; what is in trouble, and its release
 * (`actor-release.ts`). A thin client of the routes of the inspector. Exit code: 0 when it was shown or done, 1 when it
 * was refused or the service does not answer, 2 when the command line is none.
 */

import type { InspectedEntity, InspectFound } from '../contract/inspector.ts';
import { entityLines, listedLines } from './actor-line.ts';
import { reset, resume, trouble } from './actor-release.ts';
import { defineCommand, defineVerbs } from './command.ts';
import { WrongUsage } from './command-line.ts';
import { printJson } from './print-json.ts';
import { request } from './request.ts';
import { serviceOf } from './service.ts';
import { JSON_OPTIONS } from './table-options.ts';

const LIST_USAGE = `mcs actor list [--kind K] [--target T] [--state S] [--id PART] [--limit N] [--json]
  what lives and where; with --target or --id also what has finished
`;

const SHOW_USAGE = `mcs actor show KIND/ID [--json]
  one of them, and what its store has of it
  KIND/ID: telecommand/sat1.01J…, run/01J…, alarm/sat1.battery.1.voltage, campaign/…
`;

const FILTERS = ['kind', 'target', 'state', 'id', 'limit'] as const;

const list = defineCommand({
  usage: LIST_USAGE,
  words: [],
  options: {
    ...JSON_OPTIONS,
    kind: { type: 'string' },
    target: { type: 'string' },
    state: { type: 'string' },
    id: { type: 'string' },
    limit: { type: 'string' },
  },
  async run({ values }) {
    const query = new URLSearchParams();
    for (const name of FILTERS) if (values[name] !== undefined) query.set(name, values[name]);
    const path = `/v1/inspect/entities${query.size > 0 ? `?${query}` : ''}`;
    return print(await request<InspectFound>(serviceOf(values), 'GET', path), values.json, listedLines);
  },
});

const show = defineCommand({
  usage: SHOW_USAGE,
  words: ['KIND/ID'],
  options: JSON_OPTIONS,
  async run({ words: [name], values }) {
    const [kind, id] = parted(name);
    const path = `/v1/inspect/entities/${encodeURIComponent(kind)}/${encodeURIComponent(id)}`;
    return print(await request<InspectedEntity>(serviceOf(values), 'GET', path), values.json, entityLines);
  },
});

export const actor = defineVerbs('actor', { list, show, trouble, resume, reset });

function parted(name: string): [string, string] {
  const slash = name.indexOf('/');
  if (slash < 1 || slash === name.length - 1)
    throw new WrongUsage(`${JSON.stringify(name)} is not written KIND/ID`);
  return [name.slice(0, slash), name.slice(slash + 1)];
}

function print<Reply>(reply: Reply | undefined, json = false, lines: (reply: Reply) => string[]): number {
  if (reply === undefined) return 1;
  if (json) printJson(reply);
  else process.stdout.write(`${lines(reply).join('\n')}\n`);
  return 0;
}
