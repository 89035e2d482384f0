/**
 * A question of simulation control to a gateway over the bus. Mission Control Service, sections 4.9 and 7.5. Whether
 * the gateway is simulated at all is decided by the route; what it answers is decided by the gateway.
 */

import { assertNever } from '../contract/assert.ts';
import { subject } from '../contract/bus/subjects.ts';
import { SIM_ANSWER_MS } from '../contract/limits/simulation.ts';
import { type FaultCall, readFaultReply, readFileReply, type SimulationRefusal } from '../contract/link.ts';
import type { SimulatedFault, SimulatedFile } from '../contract/simulation.ts';
import { askForCaller } from '../messaging/ask.ts';
import { refuse } from './errors.ts';
import type { RoutePorts } from './ports.ts';
import type { Handled, Refusal } from './reply.ts';

type Asking = Pick<RoutePorts, 'bus' | 'log'>;

/**
 * Every fault of the gateway, after the switch when there is one; refuses with what it refused, or with its silence.
 * Throws `Outage` while the bus is away.
 */
export async function askForFaults(
  gateway: string,
  change: FaultCall | undefined,
  ports: Asking,
): Promise<Handled<readonly SimulatedFault[]>> {
  const verb = change === undefined ? 'faults' : 'fault';
  const answer = await askGateway(gateway, { verb, call: change ?? {}, read: readFaultReply }, ports);
  return answer.ok ? { ok: true, value: answer.value.faults } : answer;
}

/** What a simulated spacecraft has in its file memory; refuses and throws alike. */
export async function askForFiles(
  gateway: string,
  ports: Asking,
): Promise<Handled<readonly SimulatedFile[]>> {
  const answer = await askGateway(gateway, { verb: 'files', call: {}, read: readFileReply }, ports);
  return answer.ok ? { ok: true, value: answer.value.files } : answer;
}

interface Question<Value> {
  readonly verb: string;
  readonly call: object;
  readonly read: (
    bytes: Uint8Array,
  ) => { readonly ok: true; readonly value: Value } | SimulationRefusal | undefined;
}

async function askGateway<Value>(
  gateway: string,
  { verb, call, read }: Question<Value>,
  { bus, log }: Asking,
): Promise<Handled<Value>> {
  const to = subject.gatewayVerb(gateway, verb);
  const asked = await askForCaller(bus, { to, call, read, timeoutMs: SIM_ANSWER_MS });
  switch (asked.outcome) {
    case 'answered':
      return asked.answer;
    case 'unserved':
      return silent(`gateway ${gateway} is not running`);
    case 'unanswered':
      return silent(`gateway ${gateway} did not answer within ${SIM_ANSWER_MS} ms`);
    case 'unreadable':
      log.error({ gateway, said: asked.said }, 'malformed reply from a gateway');
      return refuse('sim::timeout', `malformed reply from gateway ${gateway}`);
    default:
      return assertNever(asked);
  }
}

function silent(message: string): Refusal {
  return refuse('sim::timeout', message, {
    help: 'A process with the role gateways runs it; read the state of the fault again before switching it again.',
  });
}
