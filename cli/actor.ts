/**
 * `mcs actor`: what lives and where, and what is stored of it. A thin client of the routes of the inspector: it only
 * looks. Exit code: 0 when it was shown, 1 when it was refused or the service does not answer, 2 when the command line
 * is none.
 */

import { parseArgs } from 'node:util';
import type { InspectedEntity, InspectFound } from '../contract/inspector.ts';
import { entityLines, listedLines } from './actor-line.ts';
import { request } from './request.ts';
import { SERVICE_OPTIONS, SERVICE_USAGE, serviceOf } from './service.ts';

const USAGE = `mcs actor list [--kind K] [--target T] [--state S] [--id PART] [--limit N]
                                        what lives and where; with --target or --id also what has finished
mcs actor show KIND/ID                  one of them, and what its store has of it
KIND/ID: telecommand/sat1.01J…, run/01J…, alarm/sat1.battery.1.voltage, campaign/…
--json: as the service says it
${SERVICE_USAGE}`;

const OPTIONS = {
  ...SERVICE_OPTIONS,
  kind: { type: 'string' },
  target: { type: 'string' },
  state: { type: 'string' },
  id: { type: 'string' },
  limit: { type: 'string' },
  json: { type: 'boolean' },
} as const;
const FILTERS = ['kind', 'target', 'state', 'id', 'limit'] as const;

export async function actor([verb, ...args]: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
  const { json = false } = values;
  const service = serviceOf(values);
  const given = FILTERS.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]]));
  const [name, ...more] = positionals;
  if (verb === 'list' && name === undefined) {
    const query = new URLSearchParams(given as [string, string][]);
    const path = `/v1/inspect/entities${query.size > 0 ? `?${query}` : ''}`;
    return show(await request<InspectFound>(service, 'GET', path), json, listedLines);
  }
  const [kind, id] = name === undefined ? [] : parted(name);
  if (verb !== 'show' || kind === undefined || id === undefined || more.length + given.length > 0) {
    process.stderr.write(USAGE);
    return 2;
  }
  const path = `/v1/inspect/entities/${encodeURIComponent(kind)}/${encodeURIComponent(id)}`;
  return show(await request<InspectedEntity>(service, 'GET', path), json, entityLines);
}

function parted(name: string): [string, string] | [] {
  const slash = name.indexOf('/');
  return slash < 1 || slash === name.length - 1 ? [] : [name.slice(0, slash), name.slice(slash + 1)];
}

function show<Reply>(reply: Reply | undefined, json: boolean, lines: (reply: Reply) => string[]): number {
  if (reply === undefined) return 1;
  const text = json ? [JSON.stringify(reply, undefined, 2)] : lines(reply);
  process.stdout.write(`${text.join('\n')}\n`);
  return 0;
}
