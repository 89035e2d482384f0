/**
 * The mission of runs that are planned: two spacecraft, procedures that last little and send only where their step was
 * decided to have failed, feeders of passes, and what of it is published again. No part of it needs a driver or a
 * gateway to be there.
 */

import { compiledWith, type Published } from '../mission.ts';

/** Who writes passes of which source. */
export const FEEDERS = { fds: 'flight-dynamics', provider: 'station-network' } as const;
export const STATIONS = ['north', 'south'] as const;
/** In the last one only a booked pass carries a run; in the second a supervisor confirms what is hazardous. */
export const ENVIRONMENTS = ['bench', 'manned', 'orbit'] as const;
/** How long before LOS a run is over, ms. */
export const MARGIN_MS = 2_000;

const SETTINGS = `
passes: { feeders: { ${FEEDERS.fds}: fds, ${FEEDERS.provider}: provider } }
scheduler: { margin: ${MARGIN_MS / 1_000} s }
`;

const TOPOLOGY = `
topology: simulation
environments:
  bench: { identity: declared, human_orchestration: false }
  manned:
    identity: declared
    human_orchestration: true
    hazardous_confirmation: [supervisor, director]
  orbit: { kind: in_orbit, identity: declared, human_orchestration: false }
gateways:
  sim-1: { simulated: true, model: cubesat-6u, echo: false }
  sim-2: { simulated: true, model: cubesat-6u, echo: true }
drivers:
  pus: { protocol: pus-c }
targets:
${['sat1', 'sat2'].map(targetOf).join('')}`;

function targetOf(name: string, index: number): string {
  return `
  ${name}:
    platform: cubesat-6u@1.0.0
    environments: [bench, manned, orbit]
    modes: [safe, nominal]
    parameters:
      obc.watchdog: { safe: 60 s, nominal: 120 s }
      battery.heater_on: { safe: 5 degC, nominal: 0 degC }
    links:
      uhf: { default: true, driver: pus, transport: { kind: space-packet, apid: 0x73 }, gateway: sim-${index + 1} }
`;
}

/** How long the procedures wait, and which there are. */
interface Variant {
  readonly description: string;
  readonly waitMs: number;
  readonly procedures: readonly string[];
}

const SENDS: Readonly<Record<string, string>> = { beat: '', beam: 'sat.obc.ping', purge: 'sat.obc.reboot' };

function libraryOf({ description, waitMs, procedures }: Variant): string {
  return `
library: plans
version: 1.0.0
description: ${description}
imports: [cubesat-6u@1.0.0]
procedures:
${procedures.map((name) => procedureOf(name, waitMs)).join('')}`;
}

function procedureOf(name: string, waitMs: number): string {
  const sends = SENDS[name] === '' ? '' : `      - if failed:\n          - send: ${SENDS[name]}\n`;
  return `
  ${name}:
    description: Waits
    roles: { sat: cubesat-6u }
    inputs: { serial: { type: u32 } }
    steps:
      - step: pause
        do:
          - wait: ${waitMs} ms
          - log: "{$serial}"
${sends}`;
}

const EVERY = ['beat', 'beam', 'purge'] as const;
/** Those of rules send nothing hazardous. */
export const PROCEDURES_OF_RULES = ['beat', 'beat', 'beam'] as const;
export const PROCEDURES_OF_SCHEDULES = ['beat', 'beat', 'beat', 'beam', 'purge', 'purge'] as const;

/** What is flown from the start, the same again under another revision, with other runs, and without some. */
const VARIANTS = {
  first: { description: 'As it began', waitMs: 300, procedures: EVERY },
  renewed: { description: 'Published anew', waitMs: 300, procedures: EVERY },
  altered: { description: 'Waits for longer', waitMs: 700, procedures: EVERY },
  reduced: { description: 'Without some', waitMs: 300, procedures: ['beat', 'purge'] },
} as const;
export type VariantName = keyof typeof VARIANTS;
export const VARIANT_NAMES = Object.keys(VARIANTS) as [VariantName, ...VariantName[]];

let made: Readonly<Record<VariantName, Published>> | undefined;

/** The configurations, made once: others kinds of scenarios need none of them. */
export function variants(): Readonly<Record<VariantName, Published>> {
  made ??= Object.fromEntries(
    VARIANT_NAMES.map((name) => [
      name,
      compiledWith([
        { file: 'topology.yaml', text: TOPOLOGY },
        { file: 'plans.yaml', text: libraryOf(VARIANTS[name]) },
        { file: 'config.yaml', text: SETTINGS },
      ]),
    ]),
  ) as Record<VariantName, Published>;
  return made;
}
