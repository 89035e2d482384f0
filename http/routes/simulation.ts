/**
 * Simulation control: which faults a simulated gateway knows, switching them, and what its spacecraft has in files.
 * Mission Control Service, sections 4.9 and 7.5; the paths are ours (MC-SIM-006). The gateway switches and reports it
 * on the bus, this asks.
 *
 * S1. The answer to a switch is the state after it, as the gateway says it: nothing is remembered here.
 */

import Type from 'typebox';
import { nameBound } from '../../contract/bounded.ts';
import { NAME_CHARACTERS } from '../../contract/limits/request.ts';
import { FaultSwitch, SimulatedFaults, SimulatedFiles } from '../../contract/simulation.ts';
import { isToken, TOKEN_PATTERN } from '../../contract/token.ts';
import type { Mission } from '../../mission/mission.ts';
import { refuse } from '../errors.ts';
import { askForFaults, askForFiles } from '../gateway.ts';
import { nameOf } from '../identity.ts';
import { currentMission } from '../mission-of.ts';
import type { RoutePorts } from '../ports.ts';
import type { Handled } from '../reply.ts';
import { defineRoute, type PathParameter } from '../route.ts';

const gatewayInPath: PathParameter = {
  accepts: isToken,
  schema: Type.String({ pattern: TOKEN_PATTERN, description: 'Simulated gateway.', examples: ['sim-1'] }),
  code: 'sim::unknown-gateway',
  expected: 'a gateway name: letters, digits, - and _',
};

/** Any text: which faults there are is for the gateway to say. */
const faultInPath: PathParameter = {
  accepts: (text) => text.length <= NAME_CHARACTERS,
  schema: Type.String({
    ...nameBound,
    description: 'As the simulation names it.',
    examples: ['reject_all'],
  }),
  code: 'api::unknown-route',
  expected: `percent-encoded text of at most ${NAME_CHARACTERS} characters`,
};

const ERRORS = [
  'api::no-configuration',
  'sim::unknown-gateway',
  'sim::not-simulated',
  'sim::refused',
  'sim::timeout',
  'api::unavailable',
] as const;

export const readFaults = defineRoute({
  method: 'GET',
  path: '/v1/sim/:gateway/faults',
  operationId: 'readFaults',
  summary: 'Faults a simulated gateway knows, and which are on',
  description:
    'A document that lists faults for its gateway restricts those that can be switched to its list.',
  tag: 'Simulation',
  params: { gateway: gatewayInPath },
  replies: { 200: SimulatedFaults },
  errors: ERRORS,
  async handle({ params: { gateway } }, ports) {
    const simulated = checkSimulated(gateway, ports);
    if (!simulated.ok) return simulated;
    const faults = await askForFaults(gateway, undefined, ports);
    if (!faults.ok) return faults;
    return { ok: true, value: { status: 200, body: { gateway, faults: [...faults.value] } } };
  },
});

export const switchFault = defineRoute({
  method: 'POST',
  path: '/v1/sim/:gateway/faults/:fault',
  operationId: 'switchFault',
  summary: 'Switch a fault of a simulated gateway on or off',
  description:
    'The spacecraft behind the gateway has the fault from now on until it is switched off or the gateway restarts. ' +
    'Each switch is published on `mcs.sim.evt.<target>` for every target the gateway reaches, before the answer. ' +
    'Switching on what is on changes nothing, so a switch without an answer may be repeated.',
  tag: 'Simulation',
  params: { gateway: gatewayInPath, fault: faultInPath },
  body: FaultSwitch,
  replies: { 200: SimulatedFaults },
  errors: ERRORS,
  async handle({ params: { gateway, fault }, body: { on }, caller }, ports) {
    const simulated = checkSimulated(gateway, ports);
    if (!simulated.ok) return simulated;
    const by = nameOf(caller);
    const faults = await askForFaults(gateway, { fault, on, ...(by !== undefined && { by }) }, ports);
    if (!faults.ok) return faults;
    return { ok: true, value: { status: 200, body: { gateway, faults: [...faults.value] } } };
  },
});

export const readSimulatedFiles = defineRoute({
  method: 'GET',
  path: '/v1/sim/:gateway/files',
  operationId: 'readSimulatedFiles',
  summary: 'Files on board a simulated spacecraft, with their hashes',
  description:
    'What there is, whatever the spacecraft says of it, and without its link: to compare with what came down. Empty where ' +
    'the simulation has no file memory.',
  tag: 'Simulation',
  params: { gateway: gatewayInPath },
  replies: { 200: SimulatedFiles },
  errors: ERRORS,
  async handle({ params: { gateway } }, ports) {
    const simulated = checkSimulated(gateway, ports);
    if (!simulated.ok) return simulated;
    const files = await askForFiles(gateway, ports);
    if (!files.ok) return files;
    return { ok: true, value: { status: 200, body: { gateway, files: [...files.value] } } };
  },
});

/** Refuses what the topology does not have (404), and what it has and is no simulation (422). */
function checkSimulated(name: string, ports: RoutePorts): Handled<undefined> {
  const mission = currentMission(ports);
  if (!mission.ok) return mission;
  const gateway = mission.value.gateways.get(name);
  if (gateway?.kind === 'simulated') return { ok: true, value: undefined };
  const help = `Simulated gateways: ${simulatedOf(mission.value).join(', ') || 'none'}.`;
  return gateway === undefined
    ? refuse('sim::unknown-gateway', `no gateway ${name} in the topology`, { help })
    : refuse('sim::not-simulated', `gateway ${name} is not simulated, its kind is ${gateway.kind}`, { help });
}

function simulatedOf({ gateways }: Mission): string[] {
  return [...gateways.values()].flatMap(({ kind, name }) => (kind === 'simulated' ? [name] : []));
}

export const simulationRoutes = [readFaults, switchFault, readSimulatedFiles];
