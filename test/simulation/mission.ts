/** The mission of every simulated run: two spacecraft of the demo platform, each behind a gateway of its own. */

import { readFileSync } from 'node:fs';
import { compile } from '../../mission/compile.ts';
import type { Configuration } from '../../mission/configuration.ts';
import type { Chance } from './chance.ts';

export const TARGETS = ['sat1', 'sat2'] as const;
export const GATEWAYS = ['sim-1', 'sim-2'] as const;

/** The target behind a gateway. */
export function targetBehind(gateway: string): string {
  return gateway === 'sim-1' ? 'sat1' : 'sat2';
}

const TOPOLOGY = `
topology: simulation
environments:
  bench: { identity: declared, human_orchestration: false }
gateways:
  sim-1: { simulated: true, model: cubesat-6u, echo: false }
  sim-2: { simulated: true, model: cubesat-6u, echo: true }
drivers:
  pus: { protocol: pus-c }
targets:
  sat1:
    platform: cubesat-6u@1.0.0
    environments: [bench]
    links:
      uhf: { default: true, driver: pus, transport: { kind: space-packet, apid: 0x73 }, gateway: sim-1 }
  sat2:
    platform: cubesat-6u@1.0.0
    environments: [bench]
    links:
      uhf: { default: true, driver: pus, transport: { kind: space-packet, apid: 0x73 }, gateway: sim-2 }
`;

export interface Draft {
  readonly telecommand: string;
  readonly instance?: string;
  readonly args: (chance: Chance) => Readonly<Record<string, string | number | boolean>>;
}

/** Harmless ones, verified and not; ones that change the state, verified by reports, by values and by both. */
export const TELECOMMANDS: readonly [Draft, ...Draft[]] = [
  { telecommand: 'obc.ping', args: () => ({}) },
  { telecommand: 'camera.ping', args: () => ({}) },
  { telecommand: 'obc.set_watchdog', args: (chance) => ({ period: `${chance.whole(10, 600)} s` }) },
  { telecommand: 'obc.set_mode', args: (chance) => ({ mode: chance.one(['SAFE', 'NOMINAL']) }) },
  { telecommand: 'power.switch', args: (chance) => ({ channel: 'heater', on: chance.happens(0.5) }) },
  {
    telecommand: 'battery.set_heater',
    instance: '2',
    args: (chance) => ({ on_below: `${chance.whole(-20, 20)} degC` }),
  },
];

/** The compiled mission, as it is published. */
export const published: { readonly configuration: Configuration; readonly revision: string } = compiled();

function compiled(): typeof published {
  const file = new URL('../../missions/demo/cubesat-6u.yaml', import.meta.url);
  const result = compile([
    { file: 'cubesat-6u.yaml', text: readFileSync(file, 'utf8') },
    { file: 'topology.yaml', text: TOPOLOGY },
  ]);
  if (!result.ok) throw new Error(JSON.stringify(result.faults, undefined, 1));
  return result.value;
}
