/**
 * `mcs sim`: a thin client of simulation control. Lists the faults of a simulated gateway, switches one, and shows the
 * files of its spacecraft. Exit code: 0 when it was done, 1 when the service refused or does not answer, 2 when the
 * command line is none. Mission Control Service, section 4.9.
 */

import { parseArgs } from 'node:util';
import type { FaultSwitch, SimulatedFaults, SimulatedFiles } from '../contract/simulation.ts';
import { request } from './request.ts';
import { SERVICE_OPTIONS, SERVICE_USAGE, type Service, serviceOf } from './service.ts';

const USAGE = `mcs sim faults GATEWAY              which faults there are, and which are on
mcs sim fault GATEWAY FAULT on|off  switch one
mcs sim files GATEWAY               files on board its spacecraft, with their hashes
${SERVICE_USAGE}`;

export async function sim([verb, ...rest]: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: rest,
    allowPositionals: true,
    options: SERVICE_OPTIONS,
  });
  const service = serviceOf(values);
  const [gateway, fault, state, ...more] = positionals;
  if (verb === 'faults' && gateway !== undefined && fault === undefined) return list(gateway, service);
  if (verb === 'files' && gateway !== undefined && fault === undefined) return files(gateway, service);
  if (verb === 'fault' && fault !== undefined && isState(state) && more.length === 0) {
    return change(gateway!, fault, state === 'on', service);
  }
  process.stderr.write(USAGE);
  return 2;
}

function isState(text: string | undefined): text is 'on' | 'off' {
  return text === 'on' || text === 'off';
}

async function list(gateway: string, service: Service): Promise<number> {
  return show(await request<SimulatedFaults>(service, 'GET', pathOf(gateway)));
}

async function files(gateway: string, service: Service): Promise<number> {
  const path = `/v1/sim/${encodeURIComponent(gateway)}/files`;
  const reply = await request<SimulatedFiles>(service, 'GET', path);
  if (reply === undefined) return 1;
  const rows = reply.files.map(({ id, file_type, generation, size, crc32, sha256 }) =>
    [id, String(file_type), String(generation), String(size), crc32, sha256].map((cell) =>
      cell.replace(/\p{Cc}/gu, '.'),
    ),
  );
  if (rows.length > 0) rows.unshift(['file', 'type', 'generation', 'bytes', 'crc32', 'sha256']);
  const widths = [0, 1, 2, 3, 4, 5].map((column) => Math.max(0, ...rows.map((row) => row[column]!.length)));
  for (const row of rows) {
    const cells = row.map((cell, column) =>
      column < 4 ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!),
    );
    process.stdout.write(`${cells.join('  ').trimEnd()}\n`);
  }
  return 0;
}

async function change(gateway: string, fault: string, on: boolean, service: Service): Promise<number> {
  const path = `${pathOf(gateway)}/${encodeURIComponent(fault)}`;
  const body: FaultSwitch = { on };
  return show(await request<SimulatedFaults>(service, 'POST', path, body));
}

function pathOf(gateway: string): string {
  return `/v1/sim/${encodeURIComponent(gateway)}/faults`;
}

/** One line per fault; what is on catches the eye. */
function show(reply: SimulatedFaults | undefined): number {
  if (reply === undefined) return 1;
  const width = Math.max(...reply.faults.map(({ fault }) => fault.length));
  for (const { fault, on } of reply.faults) {
    process.stdout.write(`${fault.padEnd(width)}  ${on ? 'ON' : 'off'}\n`);
  }
  return 0;
}
