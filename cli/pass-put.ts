/**
 * `mcs pass put`: contributes passes, one after the other. A thin client of `POST /v1/passes`. Mission Control Service,
 * section 4.5.
 *
 * U1. It stops at the first pass that is refused or not answered, and reports how many are written: what is behind a
 *     fault may depend on it. All of it can be put again, since a contribution that is there already changes nothing.
 */

import { parseArgs } from 'node:util';
import type { PassView } from '../contract/pass.ts';
import { passLine, passRow } from './pass-columns.ts';
import { readPassFile } from './pass-file.ts';
import { printable } from './pass-look.ts';
import { type Answered, ask, faultLine } from './request.ts';
import { SERVICE_OPTIONS, type Service, serviceOf } from './service.ts';

export const PUT_USAGE = `mcs pass put FILE|- [--json] [--utc | --local]
  contributes a pass or a list of passes, JSON or YAML; stops at the first that is refused
`;

const OPTIONS = {
  ...SERVICE_OPTIONS,
  json: { type: 'boolean' },
  utc: { type: 'boolean' },
  local: { type: 'boolean' },
} as const;

export async function put(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
  const [file, ...more] = positionals;
  const { json = false, utc = false, local = false } = values;
  if (file === undefined || more.length > 0 || (utc && local)) {
    process.stderr.write(PUT_USAGE);
    return 2;
  }
  const read = await readPassFile(file);
  if (read.kind === 'snapshots')
    throw new Error(`${file} holds snapshots, which replace what was said before: mcs pass feed ${file}`);
  if (read.passes.length === 0) throw new Error(`${file} has no passes`);
  const show = (view: PassView): void => {
    const line = json ? JSON.stringify(view) : printable(passLine(passRow(view), local));
    process.stdout.write(`${line}\n`);
  };
  return putAll(serviceOf(values), read.passes, show);
}

/** U1 */
async function putAll(
  service: Service,
  passes: readonly unknown[],
  show: (view: PassView) => void,
): Promise<number> {
  for (const [done, pass] of passes.entries()) {
    const said = await putOne(service, pass, show);
    if (said.length === 0) continue;
    for (const line of said) process.stderr.write(`${printable(`${nameOf(pass, done)}: ${line}`)}\n`);
    const left = passes.length - done - 1;
    if (passes.length > 1)
      process.stderr.write(
        `${done} of ${passes.length} passes are written; this one and ${left} behind it are not\n`,
      );
    return 1;
  }
  return 0;
}

/** What is wrong; nothing where it is written. */
async function putOne(service: Service, pass: unknown, show: (view: PassView) => void): Promise<string[]> {
  let answer: Answered<PassView>;
  try {
    answer = await ask<PassView>(service, 'POST', '/v1/passes', pass);
  } catch (error) {
    return [`${error instanceof Error ? error.message : String(error)}; whether it is written is not known`];
  }
  if (!answer.ok) return answer.faults.map(faultLine);
  show(answer.reply);
  return [];
}

/** As the file names it. */
function nameOf(pass: unknown, index: number): string {
  const { id } = pass as { readonly id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? `pass ${id}` : `pass ${index + 1} of the file`;
}
