/**
 * Whether the targets of a run are ready for it: their default link bound, its gateway and its driver alive. Mission
 * Control Service, section 3.2 (first row; MC-STM-029).
 *
 * Alive is who answers, whatever it answers; a gateway that says its link cannot work as it is (`down`) is not. A radio that
 * is silent or still connecting is no reason: whether it hears a telecommand shows when one is sent.
 */

import { subject } from '../../contract/bus/subjects.ts';
import { READINESS_ANSWER_MS } from '../../contract/limits.ts';
import { linkStateIn } from '../../contract/link.ts';
import { Outage } from '../../contract/outage.ts';
import type { Program } from '../../contract/program.ts';
import { type Foreign, readReply } from '../../contract/reply.ts';
import type { Mission } from '../../mission/mission.ts';
import { gatewayOf } from '../../mission/resolve.ts';
import type { Bus } from '../../ports/bus.ts';
import { targetsOf } from './leases.ts';

/** Why each target that is not ready is not; empty when all are. Throws `Outage` while the bus itself is away. */
export async function unreadiness(bus: Bus, mission: Mission, program: Program): Promise<readonly string[]> {
  const reasons = await Promise.all(
    targetsOf(program).map((target) => unreadyTarget(bus, mission, target, program)),
  );
  return reasons.flat();
}

async function unreadyTarget(
  bus: Bus,
  mission: Mission,
  name: string,
  { environment }: Program,
): Promise<readonly string[]> {
  const target = mission.targets.get(name);
  const link = target?.links.get(target.defaultLink);
  if (target === undefined || link === undefined) return [`${name} is not in the topology`];
  const gateway = gatewayOf(mission, link, environment);
  const unbound = [
    ...(link.driver === undefined ? [`no driver is bound to link ${link.name} of ${name}`] : []),
    ...(gateway === undefined ? [`no gateway serves link ${link.name} of ${name}`] : []),
  ];
  if (link.driver === undefined || gateway === undefined) return unbound;
  const silent = await Promise.all([silentDriver(bus, link.driver), silentGateway(bus, gateway.name)]);
  return silent.flatMap((reason) => (reason === undefined ? [] : [`${name} is not ready: ${reason}`]));
}

async function silentDriver(bus: Bus, driver: string): Promise<string | undefined> {
  const answer = await ask(bus, subject.driverVerb(driver, 'state'));
  return 'silence' in answer ? `driver ${driver} ${answer.silence}` : undefined;
}

async function silentGateway(bus: Bus, gateway: string): Promise<string | undefined> {
  const answer = await ask(bus, subject.gatewayVerb(gateway, 'state'));
  if ('silence' in answer) return `gateway ${gateway} ${answer.silence}`;
  const link = answer.body && linkStateIn(answer.body);
  if (link?.state !== 'down') return undefined;
  return `the link of gateway ${gateway} is down${link.reason === undefined ? '' : ` (${link.reason})`}`;
}

async function ask(bus: Bus, to: string): Promise<{ silence: string } | { body: Foreign | undefined }> {
  try {
    const reply = await bus.request(to, Buffer.from('{}'), { timeoutMs: READINESS_ANSWER_MS });
    return { body: readReply(reply) };
  } catch (error) {
    if (!(error instanceof Outage) || error.code === 'bus.unavailable' || error.unsettled) throw error;
    if (error.code === 'bus.no-responder') return { silence: 'is not running' };
    return { silence: `did not answer within ${READINESS_ANSWER_MS / 1000} s` };
  }
}
