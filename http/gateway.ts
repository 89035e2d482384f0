/**
 * A question of simulation control to a gateway over the bus. Mission Control Service, sections 4.9 and 7.5. Whether the
 * gateway is simulated at all is decided by the route; what it answers is decided by the gateway.
 */

import { subject } from '../contract/bus/subjects.ts';
import { SIM_ANSWER_MS } from '../contract/limits.ts';
import { type FaultCall, readFaultReply } from '../contract/link.ts';
import { Outage } from '../contract/outage.ts';
import type { SimulatedFault } from '../contract/simulation.ts';
import { refuse } from './errors.ts';
import type { RoutePorts } from './ports.ts';
import type { Handled, Refusal } from './reply.ts';

/** Every fault of the gateway, after the switch when there is one; refuses with what it refused, or with its silence. */
export async function askForFaults(
  gateway: string,
  change: FaultCall | undefined,
  { bus, log }: Pick<RoutePorts, 'bus' | 'log'>,
): Promise<Handled<readonly SimulatedFault[]>> {
  const about = subject.gatewayVerb(gateway, change === undefined ? 'faults' : 'fault');
  const call = Buffer.from(JSON.stringify(change ?? {}));
  try {
    const answer = readFaultReply(await bus.request(about, call, { timeoutMs: SIM_ANSWER_MS }));
    if (answer === undefined) {
      log.error({ gateway }, 'a gateway answered with what is no answer');
      return refuse('sim::timeout', `gateway ${gateway} answered with what is no answer`);
    }
    return answer.ok ? { ok: true, value: answer.value.faults } : answer;
  } catch (error) {
    return silence(gateway, error);
  }
}

/** Rethrows what is not the silence of a gateway. */
function silence(gateway: string, error: unknown): Refusal {
  if (!(error instanceof Outage) || error.code === 'bus.unavailable') throw error;
  const why =
    error.code === 'bus.no-responder' ? 'is not running' : `did not answer within ${SIM_ANSWER_MS} ms`;
  return refuse('sim::timeout', `gateway ${gateway} ${why}`, {
    help: 'A process with the role gateways runs it; read the state of the fault again before switching it again.',
  });
}
