/**
 * A question of simulation control to a gateway over the bus. Mission Control Service, sections 4.9 and 7.5. Whether
 * the gateway is simulated at all is decided by the route; what it answers is decided by the gateway.
 */

import { assertNever } from '../contract/assert.ts';
import { subject } from '../contract/bus/subjects.ts';
import { SIM_ANSWER_MS } from '../contract/limits.ts';
import { type FaultCall, readFaultReply } from '../contract/link.ts';
import type { SimulatedFault } from '../contract/simulation.ts';
import { ask } from '../messaging/ask.ts';
import { refuse } from './errors.ts';
import type { RoutePorts } from './ports.ts';
import type { Handled, Refusal } from './reply.ts';

/**
 * Every fault of the gateway, after the switch when there is one; refuses with what it refused, or with its silence.
 * Throws `Outage` while the bus is away.
 */
export async function askForFaults(
  gateway: string,
  change: FaultCall | undefined,
  { bus, log }: Pick<RoutePorts, 'bus' | 'log'>,
): Promise<Handled<readonly SimulatedFault[]>> {
  const to = subject.gatewayVerb(gateway, change === undefined ? 'faults' : 'fault');
  const asked = await ask(bus, { to, call: change ?? {}, read: readFaultReply, timeoutMs: SIM_ANSWER_MS });
  switch (asked.outcome) {
    case 'answered':
      return asked.answer.ok ? { ok: true, value: asked.answer.value.faults } : asked.answer;
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
