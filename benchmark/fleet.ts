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

export function targetNames(targets: number): string[] {
  return Array.from({ length: targets }, (_, n) => `sat${n + 1}`);
}

/** At most so many of one gateway: each has an APID of its own there. */
interface FleetOptions {
  readonly targetsOfAGateway?: number;
  /** How long every verification waits; default: as the demo has it. */
  readonly within?: string;
}

/** Throws when the documents do not compile. */
export async function compiledFleet(
  targets: number,
  { targetsOfAGateway = 1, within }: FleetOptions = {},
): Promise<Compiled> {
  const demo = await readFile(join(DEMO, 'cubesat-6u.yaml'), 'utf8');
  const platform =
    within === undefined ? demo : demo.replace(/within: \d+ (s|min) }/g, `within: ${within} }`);
  const compiled = compile([
    // Its reaction is a procedure of a library that is not flown here.
    { file: 'cubesat-6u.yaml', text: platform.replace(', on_raise: run "shed_load"', '') },
    { file: 'topology.yaml', text: topology(targetNames(targets), targetsOfAGateway) },
  ]);
  if (!compiled.ok) throw new Error(compiled.faults.map(({ message }) => message).join('\n'));
  return compiled.value;
}

function topology(names: readonly string[], targetsOfAGateway: number): string {
  const gateway = (n: number): string => `gw-${names[n - (n % targetsOfAGateway)]}`;
  const gateways = names.map((_, n) => gateway(n)).filter((each, n, all) => all.indexOf(each) === n);
  return `
topology: fleet
environments:
  bench: { identity: declared, human_orchestration: false }
gateways:
${gateways.map((each) => `  ${each}: { simulated: true, model: cubesat-6u, faults: [tm_silence, no_reports] }`).join('\n')}
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
export async function silence(bus: Bus, targets: readonly string[]): Promise<void> {
  for (const name of targets) {
    for (const fault of ['tm_silence', 'no_reports']) {
      const call = Buffer.from(JSON.stringify({ fault, on: true }));
      const answer = await bus.request(subject.gatewayVerb(`gw-${name}`, 'fault'), call, {
        timeoutMs: 5_000,
      });
      if (!Buffer.from(answer).toString().startsWith('{"ok":true'))
        throw new Error(Buffer.from(answer).toString());
    }
  }
}
