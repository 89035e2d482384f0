/**
 * `mcs sim`: a thin client of simulation control. Lists the faults of a simulated gateway, and switches one. Exit code:
 * 0 when it was done, 1 when the service refused or does not answer, 2 when the command line is none. Mission Control
 * Service, section 4.9.
 */

import { parseArgs } from 'node:util';
import type { FaultSwitch, SimulatedFaults } from '../contract/simulation.ts';
import { request } from './request.ts';
import { SERVICE_OPTIONS, SERVICE_USAGE, type Service, serviceOf } from './service.ts';

const USAGE = `mcs sim faults GATEWAY              which faults there are, and which are on
mcs sim fault GATEWAY FAULT on|off  switch one
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
