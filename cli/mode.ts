/**
 * `mcs mode`: a thin client of the mode of a target: shows it, or declares it. Exit code: 0 when it was done, 1 when
 * the service refused or does not answer, 2 when the command line is none. Mission Control Service, section 4.3.
 */

import type { ModeView } from '../contract/mode.ts';
import { defineCommand, defineVerbs } from './command.ts';
import { printJson } from './print-json.ts';
import { printable } from './printable.ts';
import { request } from './request.ts';
import { serviceOf } from './service.ts';
import { JSON_OPTIONS } from './table-options.ts';

const GET_USAGE = `mcs mode get TARGET [--json]
  the mode it is in, since when, and the others it has
`;

const SET_USAGE = `mcs mode set TARGET MODE [--json]
  declares that it is in a mode; sends nothing to it
`;

const get = defineCommand({
  usage: GET_USAGE,
  words: ['TARGET'],
  options: JSON_OPTIONS,
  run: async ({ words: [target], values }) =>
    show(await request<ModeView>(serviceOf(values), 'GET', pathOf(target)), values.json),
});

const set = defineCommand({
  usage: SET_USAGE,
  words: ['TARGET', 'MODE'],
  options: JSON_OPTIONS,
  run: async ({ words: [target, wanted], values }) =>
    show(await request<ModeView>(serviceOf(values), 'PUT', pathOf(target), { mode: wanted }), values.json),
});

export const mode = defineVerbs('mode', { get, set });

function pathOf(target: string): string {
  return `/v1/targets/${encodeURIComponent(target)}/mode`;
}

function show(view: ModeView | undefined, json = false): number {
  if (view === undefined) return 1;
  if (json) printJson(view);
  else process.stdout.write(`${modeLine(view)}\n`);
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
  return printable(`${target}  ${current} ${how}; modes: ${others}`);
}
