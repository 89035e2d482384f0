/** `mcs pass list`: stored passes by AOS. A thin client of `GET /v1/passes`. Mission Control Service, section 4.5. */

import { parseArgs } from 'node:util';
import { PASS_LISTS_READ } from '../contract/limits.ts';
import type { PassList, PassView } from '../contract/pass.ts';
import { realClock } from '../supervision/clock.ts';
import { PassColumns, passRow } from './pass-columns.ts';
import { readTime } from './pass-look.ts';
import { request } from './request.ts';
import { hasColour } from './run-follow.ts';
import { SERVICE_OPTIONS, type Service, serviceOf } from './service.ts';

export const LIST_USAGE = `mcs pass list [--target T] [--all] [--from TIME] [--to TIME] [--json] [--utc | --local]
  passes that are not over; --all: every one; --from, --to: those that touch that time
`;

const OPTIONS = {
  ...SERVICE_OPTIONS,
  target: { type: 'string' },
  all: { type: 'boolean' },
  from: { type: 'string' },
  to: { type: 'string' },
  json: { type: 'boolean' },
  utc: { type: 'boolean' },
  local: { type: 'boolean' },
} as const;

interface Listed {
  readonly passes: readonly PassView[];
  /** More match than are read. */
  readonly more: boolean;
}

export async function list(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
  const { target, all = false, json = false, utc = false, local = false } = values;
  if (positionals.length > 0 || (utc && local)) {
    process.stderr.write(LIST_USAGE);
    return 2;
  }
  const query = new URLSearchParams({
    ...(target !== undefined && { target }),
    ...(all && { all: 'true' }),
    ...(values.from !== undefined && { from: instant(values.from) }),
    ...(values.to !== undefined && { to: instant(values.to) }),
  });
  const listed = await passesOf(serviceOf(values), query);
  if (listed === undefined) return 1;
  if (json) process.stdout.write(`${JSON.stringify(listed.passes, undefined, 2)}\n`);
  else printTable(listed.passes, local);
  if (listed.passes.length === 0 && !json)
    process.stderr.write(all ? 'no passes\n' : 'no passes that are not over (--all lists those that are)\n');
  if (listed.more)
    process.stderr.write(
      `more passes match than ${listed.passes.length}; narrow them with --target, --from, --to\n`,
    );
  return 0;
}

/** A day alone is one of UTC; what is no time the service refuses, with what is wrong with it. */
function instant(text: string): string {
  const ms = readTime(text);
  return Number.isNaN(ms) ? text : new Date(ms).toISOString();
}

/** All that match, list after list; undefined after a refusal. */
async function passesOf(service: Service, query: URLSearchParams): Promise<Listed | undefined> {
  const passes: PassView[] = [];
  for (let lists = 0; lists < PASS_LISTS_READ; lists += 1) {
    const reply = await request<PassList>(service, 'GET', `/v1/passes${query.size > 0 ? `?${query}` : ''}`);
    if (reply === undefined) return undefined;
    passes.push(...reply.passes);
    if (reply.next === undefined) return { passes, more: false };
    query.set('after', reply.next);
  }
  return { passes, more: true };
}

function printTable(passes: readonly PassView[], local: boolean): void {
  if (passes.length === 0) return;
  const columns = new PassColumns({ live: false, local });
  const rows = passes.map(passRow);
  for (const row of rows) columns.add(row);
  const width = process.stdout.isTTY ? process.stdout.columns : undefined;
  const look = { width, colour: hasColour() };
  const now = realClock.now();
  const lines = [columns.heading(look), ...rows.map((row) => columns.line(row, now, look))];
  process.stdout.write(`${lines.join('\n')}\n`);
  const leftOut = columns.leftOut(width);
  if (leftOut.length > 0)
    process.stderr.write(`the terminal is too narrow for ${leftOut.join(', ')}: mcs pass show, or --json\n`);
}
