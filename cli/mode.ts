/**
 * `mcs mode`: a thin client of the mode of a target: shows it, or declares it. Exit code: 0 when it was done, 1 when
 * the service refused or does not answer, 2 when the command line is none. Mission Control Service, section 4.3.
 */

import { parseArgs } from 'node:util';
import type { ModeView } from '../contract/mode.ts';
import { request } from './request.ts';
import { SERVICE_OPTIONS, SERVICE_USAGE, serviceOf } from './service.ts';

const USAGE = `mcs mode get TARGET       the mode it is in, since when, and the others it has
mcs mode set TARGET MODE  declare that it is in a mode; sends nothing to it
${SERVICE_USAGE}`;

export async function mode([verb, ...rest]: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: rest, allowPositionals: true, options: SERVICE_OPTIONS });
  const service = serviceOf(values);
  const [target, wanted, ...more] = positionals;
  const path = `/v1/targets/${encodeURIComponent(target ?? '')}/mode`;
  if (verb === 'get' && target !== undefined && wanted === undefined) {
    return show(await request<ModeView>(service, 'GET', path));
  }
  if (verb === 'set' && wanted !== undefined && more.length === 0) {
    return show(await request<ModeView>(service, 'PUT', path, { mode: wanted }));
  }
  process.stderr.write(USAGE);
  return 2;
}

function show(view: ModeView | undefined): number {
  if (view === undefined) return 1;
  process.stdout.write(`${modeLine(view)}\n`);
  return 0;
}

/** `sat1  imaging since … by ada (run …); modes: nominal, imaging` */
export function modeLine({ target, mode: current, default: usual, modes, since, by, run }: ModeView): string {
  if (current === null) return `${target}  has no modes`;
  const how =
    since === null
      ? 'by default, never set'
      : `since ${since}${by === undefined ? '' : ` by ${by}`}${run === undefined ? '' : ` (run ${run})`}`;
  const others = modes.map((each) => (each === usual ? `${each} (default)` : each)).join(', ');
  return `${target}  ${current} ${how}; modes: ${others}`.replace(/\p{Cc}/gu, '.');
}
