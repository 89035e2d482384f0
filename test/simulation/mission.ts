/**
 * The mission of every simulated run: two spacecraft of the demo platform, each behind a gateway of its own, and
 * procedures for them. One environment has people in front of it, the other none. Where alarms are watched each
 * spacecraft has rigs beside, whose samples are drawn (`instruments.ts`), and a standby waits for its leader less long.
 */

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
  manned:
    identity: declared
    human_orchestration: true
    hazardous_confirmation: [supervisor, director]
gateways:
  sim-1: { simulated: true, model: cubesat-6u, echo: false }
  sim-2: { simulated: true, model: cubesat-6u, echo: true }
drivers:
  pus: { protocol: pus-c }
targets:
  sat1:
    platform: cubesat-6u@1.0.0
    environments: [bench, manned]
    modes: [safe, nominal]
    parameters:
      obc.watchdog: { safe: 60 s, nominal: 120 s }
      battery.heater_on: { safe: 5 degC, nominal: 0 degC }
    links:
      uhf: { default: true, driver: pus, transport: { kind: space-packet, apid: 0x73 }, gateway: sim-1 }
  sat2:
    platform: cubesat-6u@1.0.0
    environments: [bench, manned]
    modes: [safe, nominal]
    parameters:
      obc.watchdog: { safe: 60 s, nominal: 120 s }
      battery.heater_on: { safe: 5 degC, nominal: 0 degC }
    links:
      uhf: { default: true, driver: pus, transport: { kind: space-packet, apid: 0x73 }, gateway: sim-2 }
`;

const LIBRARY = `
library: sim
version: 1.0.0
description: What runs of the simulation do
imports: [cubesat-6u@1.0.0]
procedures:
  look:
    description: Changes nothing
    roles: { sat: cubesat-6u }
    inputs: { serial: { type: u32 } }
    steps:
      - step: alive
        retry: { attempts: 3, delay: 500 ms }
        do:
          - send: sat.obc.ping
            retry: 1
          - expect: sat.obc.uptime >= 0 s
            within: 6 s
      - log: "{$serial}: up for {sat.obc.uptime}"
  tune:
    description: Changes the state, alone and by a configuration
    roles: { sat: cubesat-6u }
    inputs:
      serial: { type: u32 }
      period: { type: u16, unit: s, range: [10 s, 600 s] }
    steps:
      - step: watchdog
        retry: { attempts: 2, delay: 1 s }
        do:
          - send: sat.obc.set_watchdog
            args: { period: $period }
          - expect: sat.obc.watchdog == $period
            within: 6 s
      - step: mode
        do:
          - configure: sat
            mode: nominal
            within: 10 s
      - if failed:
          - call: look
            roles: { sat: sat }
            inputs: { serial: $serial }
  restart:
    description: Asks, and sends a hazardous telecommand
    roles: { sat: cubesat-6u }
    inputs: { serial: { type: u32 } }
    steps:
      - step: safe
        do:
          - ask: Go on?
            timeout: 30 s
          - set_mode: sat
            mode: safe
          - send: sat.obc.set_mode
            args: { mode: SAFE }
          - wait_until: sat.obc.mode == SAFE
            timeout: 10 s
      - step: reboot
        do:
          - send: sat.obc.reboot
      - step: back
        do:
          - ask: Period of the watchdog?
            as: period
            type: { type: u16, unit: s, range: [10 s, 600 s] }
            timeout: 30 s
          - send: sat.obc.set_watchdog
            args: { period: $period }
          - log: "{$serial}: watchdog at {$period}"
`;

/** Measures of every kind of limit and history, and alarms over them, with reactions and without. */
const RIGS = `
  rig:
    description: Instruments of a test rig
    instances: ["1", "2"]
    measures:
      level: { type: f64, unit: V, limits: { soft: [2 V, 8 V], hard: [1 V, 9 V] } }
      flow: { type: f64, calibration: { polynomial: [0, 1], covers: [0, 100] }, limits: { soft: [1, 60] } }
      product: { type: f64, unit: V, derived: level * flow, limits: { hard: [0 V, 400 V] } }
      mean: { type: f64, unit: V, derived: "avg(level, 3 s)", limits: { soft: [3 V, 7 V] } }
    alarms:
      trip: { when: level > 8.5 V, severity: critical, on_raise: run "relieve" }
      sag: { when: level < 1.5 V and stable for 2 s, severity: warning, on_raise: run "look_into" }
      both: { when: level > 6 V and flow > 50, severity: warning }
`;

const REACTIONS = `
library: reactions
version: 1.0.0
description: What alarms of rigs do
imports: [cubesat-6u@1.0.0]
procedures:
  relieve:
    description: Changes the state of the spacecraft
    roles: { sat: cubesat-6u }
    inputs: { rig: { type: instance, of: rig } }
    steps:
      - step: off
        retry: { attempts: 2, delay: 1 s }
        do:
          - send: sat.power.switch
            args: { channel: heater, on: false }
  look_into:
    description: Changes nothing, and does not pass where nothing has recovered
    roles: { sat: cubesat-6u }
    inputs: { rig: { type: instance, of: rig } }
    steps:
      - log: "rig {$rig} at {sat.rig[$rig].level}"
      - wait: 500 ms
      - check: sat.rig[$rig].level > 1 V
        max_age: 60 s
`;

/** A takeover within the time in which things go wrong. */
const SETTINGS = 'reconciler: { leader_ttl: 3 s }\n';

/** Procedures of the alarms that have a reaction. */
export const REACTION_OF: Readonly<Record<string, string>> = { trip: 'relieve', sag: 'look_into' };

export const RIG_INSTANCES = ['1', '2'] as const;
/** As people write them; some of them are never raised. */
export const RIG_ALARMS = [
  'level',
  'flow',
  'product',
  'mean',
  'trip',
  'sag',
  'both',
  'sag-reaction',
] as const;

interface ProcedureDraft {
  readonly run: string;
  readonly inputs: (chance: Chance) => Readonly<Record<string, string>>;
}

/** Procedures with the inputs they take beside `serial`, which makes every program of a simulation another one. */
export const PROCEDURES: readonly [ProcedureDraft, ...ProcedureDraft[]] = [
  { run: 'look', inputs: () => ({}) },
  { run: 'tune', inputs: (chance: Chance) => ({ period: `${chance.whole(10, 600)} s` }) },
  { run: 'restart', inputs: () => ({}) },
];

export const MODES = ['safe', 'nominal'] as const;

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

/** A compiled mission, as it is published. */
export interface Published {
  readonly configuration: Configuration;
  readonly revision: string;
}

/** What is flown where nobody looks at alarms in particular. */
export const published: Published = compiled('', []);
/** With rigs, and reactions to their alarms. */
export const watched: Published = compiled(RIGS, [
  { file: 'reactions.yaml', text: REACTIONS },
  { file: 'config.yaml', text: SETTINGS },
]);

interface Source {
  readonly file: string;
  readonly text: string;
}

function compiled(components: string, more: readonly Source[]): Published {
  const own = [
    { file: 'topology.yaml', text: TOPOLOGY },
    { file: 'procedures.yaml', text: LIBRARY },
  ];
  return compiledWith([...own, ...more], components);
}

/** A mission of the demo platform with these documents beside it. */
export function compiledWith(documents: readonly Source[], components = ''): Published {
  const file = new URL('../../missions/demo/cubesat-6u.yaml', import.meta.url);
  // Its reaction is a procedure of a library that is not flown here.
  const text = readFileSync(file, 'utf8')
    .replace(', on_raise: run "shed_load"', '')
    .replace('\n  power:\n', `${components}\n  power:\n`);
  const result = compile([{ file: 'cubesat-6u.yaml', text }, ...documents]);
  if (!result.ok) throw new Error(JSON.stringify(result.faults, undefined, 1));
  return result.value;
}
