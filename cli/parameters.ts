/**
 * `mcs parameters`: the parameters of a target as a table: what each is in the current mode, what its measure says, and
 * what it is in the other modes. Exit code as of `mcs mode`. Mission Control Service, section 4.3.
 *
 * P1. A readback that does not match is said by a word, not by colour.
 */

import type { ParametersView, ParameterView } from '../contract/mode.ts';
import { defineCommand } from './command.ts';
import { printJson } from './print-json.ts';
import { printable } from './printable.ts';
import { request } from './request.ts';
import { serviceOf } from './service.ts';
import { JSON_OPTIONS } from './table-options.ts';
import { valueText } from './value-text.ts';

const USAGE = `mcs parameters TARGET [--environment E] [--json]
  its parameters by mode, and whether they read back
`;

export const parameters = defineCommand({
  usage: USAGE,
  words: ['TARGET'],
  options: { ...JSON_OPTIONS, environment: { type: 'string' } },
  async run({ words: [target], values }) {
    const { environment } = values;
    const query = environment === undefined ? '' : `?${new URLSearchParams({ environment })}`;
    const path = `/v1/targets/${encodeURIComponent(target)}/parameters${query}`;
    const view = await request<ParametersView>(serviceOf(values), 'GET', path);
    if (view === undefined) return 1;
    if (values.json === true) printJson(view);
    else process.stdout.write(`${parameterLines(view).join('\n')}\n`);
    return 0;
  },
});

/** The lines of the table, with one over it that says for which mode and environment. */
export function parameterLines({ target, mode, environment, parameters: all }: ParametersView): string[] {
  const overrides = environment === null ? 'without overrides' : `in environment ${environment}`;
  const title = `${target}  ${mode === null ? 'has no modes' : `mode ${mode}`}, ${overrides}`;
  if (all.length === 0) return [title, 'no parameters'];
  const rows = [['parameter', 'value', 'readback', '', 'by mode'], ...all.map(cells)];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return [title, ...lines].map((line) => printable(line.trimEnd()));
}

function cells({ name, unit, value, values, readback }: ParameterView): string[] {
  const of = unit === undefined ? '' : ` ${unit}`;
  const byMode = Object.entries(values).map(([mode, each]) => `${mode} ${each}`);
  return [
    name,
    value === undefined ? '-' : `${value}${of}`,
    readback === undefined ? '' : readbackText(readback),
    matchText(readback),
    byMode.join(', '),
  ];
}

function readbackText({ measure, sample }: NonNullable<ParameterView['readback']>): string {
  if (sample === undefined) return `${measure} never received`;
  const { value } = sample;
  return `${measure} ${valueText(value)}`;
}

function matchText(readback: ParameterView['readback']): string {
  if (readback === undefined || readback.matches === null) return '';
  return readback.matches ? 'matches' : 'DIFFERS';
}
