/**
 * `mcs sim`: a thin client of simulation control. Lists the faults of a simulated gateway, switches one, and shows the
 * files of its spacecraft. Exit code: 0 when it was done, 1 when the service refused or does not answer, 2 when the
 * command line is none. Mission Control Service, section 4.9.
 */

import type { FaultSwitch, SimulatedFaults, SimulatedFiles } from '../contract/simulation.ts';
import { defineCommand, defineVerbs } from './command.ts';
import { WrongUsage } from './command-line.ts';
import { printJson } from './print-json.ts';
import { printable } from './printable.ts';
import { request } from './request.ts';
import { serviceOf } from './service.ts';
import { JSON_OPTIONS } from './table-options.ts';

const FAULTS_USAGE = `mcs sim faults GATEWAY [--json]
  which faults there are, and which are on
`;

const FAULT_USAGE = `mcs sim fault GATEWAY FAULT on|off [--json]
  switches one
`;

const FILES_USAGE = `mcs sim files GATEWAY [--json]
  files on board its spacecraft, with their hashes
`;

const faults = defineCommand({
  usage: FAULTS_USAGE,
  words: ['GATEWAY'],
  options: JSON_OPTIONS,
  run: async ({ words: [gateway], values }) =>
    show(await request<SimulatedFaults>(serviceOf(values), 'GET', pathOf(gateway)), values.json),
});

const fault = defineCommand({
  usage: FAULT_USAGE,
  words: ['GATEWAY', 'FAULT', 'on|off'],
  options: JSON_OPTIONS,
  async run({ words: [gateway, name, state], values }) {
    if (state !== 'on' && state !== 'off')
      throw new WrongUsage(`a fault is switched on or off, not ${JSON.stringify(state)}`);
    const path = `${pathOf(gateway)}/${encodeURIComponent(name)}`;
    const body: FaultSwitch = { on: state === 'on' };
    return show(await request<SimulatedFaults>(serviceOf(values), 'POST', path, body), values.json);
  },
});

const files = defineCommand({
  usage: FILES_USAGE,
  words: ['GATEWAY'],
  options: JSON_OPTIONS,
  async run({ words: [gateway], values }) {
    const path = `/v1/sim/${encodeURIComponent(gateway)}/files`;
    const reply = await request<SimulatedFiles>(serviceOf(values), 'GET', path);
    if (reply === undefined) return 1;
    if (values.json === true) printJson(reply);
    else printFiles(reply);
    return 0;
  },
});

export const sim = defineVerbs('sim', { faults, fault, files });

function printFiles({ files: listed }: SimulatedFiles): void {
  const rows = listed.map(({ id, file_type, generation, size, crc32, sha256 }) =>
    [id, String(file_type), String(generation), String(size), crc32, sha256].map(printable),
  );
  if (rows.length > 0) rows.unshift(['file', 'type', 'generation', 'bytes', 'crc32', 'sha256']);
  const widths = [0, 1, 2, 3, 4, 5].map((column) => Math.max(0, ...rows.map((row) => row[column]!.length)));
  for (const row of rows) {
    const cells = row.map((cell, column) =>
      column < 4 ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!),
    );
    process.stdout.write(`${cells.join('  ').trimEnd()}\n`);
  }
}

function pathOf(gateway: string): string {
  return `/v1/sim/${encodeURIComponent(gateway)}/faults`;
}

/** One line per fault; what is on catches the eye. */
function show(reply: SimulatedFaults | undefined, json = false): number {
  if (reply === undefined) return 1;
  if (json) {
    printJson(reply);
    return 0;
  }
  const width = Math.max(...reply.faults.map(({ fault: name }) => name.length));
  for (const { fault: name, on } of reply.faults) {
    process.stdout.write(`${name.padEnd(width)}  ${on ? 'ON' : 'off'}\n`);
  }
  return 0;
}
