/**
 * `mcs unit simulate`: a bench unit that is not there, as a process of its own with keys of its own. It enrols itself
 * through the API where it has no credential yet; from then on it speaks to the bus alone.
 *
 * S1. Lines on stdin switch faults while it runs: `fault NAME on`, `fault NAME off`.
 * S2. Started by a process that keeps a channel to it, it ends with that one.
 */

import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { isToken } from '../contract/token.ts';
import type { Enrolled } from '../contract/unit.ts';
import { isUnitFault, UNIT_FAULTS, type UnitFault } from '../supervision/unit/faults.ts';
import { simulatedUnit } from '../supervision/unit/simulate.ts';
import { UnitState } from '../supervision/unit/state.ts';
import { defineCommand, type ValuesOf } from './command.ts';
import { WrongUsage } from './command-line.ts';
import { openLog } from './open-log.ts';
import { printable } from './printable.ts';
import { untilItEnds } from './process-end.ts';
import { request } from './request.ts';
import { SERVICE_OPTIONS, type Service, serviceOf } from './service.ts';
import { SIMULATE_USAGE } from './unit-usage.ts';

const OPTIONS = {
  ...SERVICE_OPTIONS,
  nats: { type: 'string' },
  state: { type: 'string' },
  hardware: { type: 'string' },
  version: { type: 'string' },
  gateway: { type: 'string', multiple: true },
  period: { type: 'string' },
  reboot: { type: 'string' },
  install: { type: 'string' },
  trust: { type: 'string' },
  fault: { type: 'string', multiple: true },
} as const;

interface Wanted {
  readonly serial: string;
  readonly nats: string;
  readonly folder: string;
  readonly hardware: string;
  readonly version: string;
  readonly gateways: readonly string[];
  readonly periodMs: number;
  readonly rebootMs: number;
  readonly installMs: number;
  readonly trust: string | undefined;
  readonly faults: readonly UnitFault[];
  readonly service: Service;
}

export const simulate = defineCommand({
  usage: SIMULATE_USAGE,
  words: ['SERIAL'],
  options: OPTIONS,
  run: ({ words: [serial], values }) => simulateUnit(wantedOf(serial, values)),
});

async function simulateUnit(wanted: Wanted): Promise<number> {
  const state = await UnitState.open(wanted.folder, wanted.version);
  if (!(await state.isEnrolled()) && !(await enrolled(wanted, state))) return 1;
  process.env.MCS_LOG_LEVEL ??= 'warn';
  const log = openLog();
  const say = (line: string): void => void process.stdout.write(`${printable(line)}\n`);
  const unit = await simulatedUnit({ ...wanted, log, say }, state);
  return untilItEnds(log, async () => {
    unit.start();
    const stopListening = obeyStdin(unit);
    // S2
    if (process.channel !== undefined) process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
    return {
      stop: () => {
        stopListening();
        if (process.connected) process.disconnect();
        return unit.stop();
      },
    };
  });
}

function wantedOf(serial: string, values: ValuesOf<typeof OPTIONS>): Wanted {
  const { nats = process.env.MCS_NATS, gateway = [], fault = [] } = values;
  if (!isToken(serial)) throw new WrongUsage(`${JSON.stringify(serial)} is not the serial number of a unit`);
  if (nats === undefined) throw new WrongUsage('--nats is missing (or MCS_NATS)');
  if (!fault.every(isUnitFault)) {
    const odd = fault.find((name) => !isUnitFault(name));
    throw new WrongUsage(`there is no fault ${JSON.stringify(odd)}: ${Object.keys(UNIT_FAULTS).join(', ')}`);
  }
  const service = serviceOf(values);
  return {
    serial,
    nats,
    folder: values.state ?? join('var', 'units', serial),
    hardware: values.hardware ?? 'A1',
    version: values.version ?? '1.0.0',
    gateways: gateway,
    periodMs: wholeMs('--period', values.period ?? '1000'),
    rebootMs: wholeMs('--reboot', values.reboot ?? '3000'),
    installMs: wholeMs('--install', values.install ?? '2000'),
    trust: values.trust,
    faults: fault,
    service: { ...service, roles: service.roles ?? 'supervisor' },
  };
}

function wholeMs(option: string, text: string): number {
  if (!/^\d{1,9}$/.test(text))
    throw new WrongUsage(`${option} takes whole milliseconds, not ${JSON.stringify(text)}`);
  return Number(text);
}

/** Its first credential, which a supervisor gives; whoever starts it here says that he is one. */
async function enrolled({ serial, service }: Wanted, state: UnitState): Promise<boolean> {
  const body = { serial, public_key: state.publicKey };
  const reply = await request<Enrolled>(service, 'POST', '/v1/units', body);
  if (reply === undefined) return false;
  await state.keepCredential(reply.jwt);
  return true;
}

/** S1 */
function obeyStdin(unit: { switch(fault: UnitFault, on: boolean): void }): () => void {
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => {
    const [word, fault = '', how = ''] = line.trim().split(/\s+/);
    if (word !== 'fault' || !isUnitFault(fault) || !['on', 'off'].includes(how))
      return void process.stderr.write(
        `fault NAME on|off; faults are ${Object.keys(UNIT_FAULTS).join(', ')}\n`,
      );
    unit.switch(fault, how === 'on');
    process.stdout.write(`fault ${fault} ${how}\n`);
  });
  return () => {
    lines.close();
    process.stdin.destroy();
  };
}
