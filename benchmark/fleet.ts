/**
 * A mission of many equal spacecraft, each with a gateway and so a lane of its own: what telecommands are measured on.
 * The spacecraft is the one of the demo; `camera.ping` changes nothing and is verified by nothing.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { subject } from '../contract/bus/subjects.ts';
import { type Compiled, compile } from '../mission/compile.ts';
import type { Bus } from '../ports/bus.ts';
import { DEMO } from './demo-mission.ts';

const FIRST_APID = 0x73;
/** Long: many gateways start at once. */
const SWITCH_MS = 30_000;
const SILENCE = ['tm_silence', 'no_reports'] as const;

export function targetNames(targets: number): string[] {
  return Array.from({ length: targets }, (_, n) => `sat${n + 1}`);
}

/** At most so many of one gateway: each has an APID of its own there. */
interface FleetOptions {
  readonly targetsOfAGateway?: number;
  /** How long every verification waits; default: as the demo has it. */
  readonly within?: string;
  /** That can be switched on, beside those of `silence`. */
  readonly faults?: readonly string[];
  /** Radios over UDP instead of simulated spacecraft: from this port of loopback on, sending to that one. */
  readonly udp?: { readonly from: number; readonly to: number };
}

/** Throws when the documents do not compile. */
export async function compiledFleet(
  targets: number,
  { targetsOfAGateway = 1, within, faults = [], udp }: FleetOptions = {},
): Promise<Compiled> {
  const demo = await readFile(join(DEMO, 'cubesat-6u.yaml'), 'utf8');
  const platform =
    within === undefined ? demo : demo.replace(/within: \d+ (s|min) }/g, `within: ${within} }`);
  const simulated = `simulated: true, model: cubesat-6u, faults: [${[...SILENCE, ...faults].join(', ')}]`;
  const gatewayOf = (n: number): string =>
    udp === undefined
      ? simulated
      : `udp: { port: ${udp.from + n}, peer: { host: 127.0.0.1, port: ${udp.to} } }`;
  const compiled = compile([
    // Its reaction is a procedure of a library that is not flown here.
    { file: 'cubesat-6u.yaml', text: platform.replace(', on_raise: run "shed_load"', '') },
    {
      file: 'topology.yaml',
      text: topology(targetNames(targets), targetsOfAGateway, gatewayOf),
    },
  ]);
  if (!compiled.ok) throw new Error(compiled.faults.map(({ message }) => message).join('\n'));
  return compiled.value;
}

/** One for each group of targets. */
export function gatewayNames(names: readonly string[], targetsOfAGateway: number): string[] {
  return names.filter((_, n) => n % targetsOfAGateway === 0).map((name) => `gw-${name}`);
}

function topology(
  names: readonly string[],
  targetsOfAGateway: number,
  gatewayOf: (n: number) => string,
): string {
  const gateways = gatewayNames(names, targetsOfAGateway);
  const gateway = (n: number): string => gateways[Math.floor(n / targetsOfAGateway)]!;
  return `
topology: fleet
environments:
  bench: { identity: declared, human_orchestration: false }
gateways:
${gateways.map((each, n) => `  ${each}: { ${gatewayOf(n)} }`).join('\n')}
drivers:
  pus: { protocol: pus-c }
targets:
${names.map((name, n) => target(name, gateway(n), FIRST_APID + (n % targetsOfAGateway))).join('')}`;
}

function target(name: string, gateway: string, apid: number): string {
  return `
  ${name}:
    platform: cubesat-6u@1.0.0
    environments: [bench]
    links:
      uhf: { default: true, driver: pus, transport: { kind: space-packet, apid: ${apid} }, gateway: ${gateway} }
`;
}

/** Keeps the spacecraft from sending anything: their telemetry is the affair of another row. */
export async function silence(bus: Bus, gateways: readonly string[]): Promise<void> {
  for (const gateway of gateways) {
    for (const fault of SILENCE) await switchFault(bus, gateway, fault, true);
  }
}

/** Rejects when the gateway refuses or does not answer. */
export async function switchFault(bus: Bus, gateway: string, fault: string, on: boolean): Promise<void> {
  const call = Buffer.from(JSON.stringify({ fault, on }));
  const answer = await bus.request(subject.gatewayVerb(gateway, 'fault'), call, { timeoutMs: SWITCH_MS });
  const text = Buffer.from(answer).toString();
  if (!text.startsWith('{"ok":true')) throw new Error(text);
}
