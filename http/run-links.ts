/**
 * Whether a run by hand can reach its spacecraft: in orbit, every target needs a link now. Mission Control Service,
 * section 4.2 rule 3. The executor makes sure once more when it begins.
 *
 * K1. A link that is there and silent is a link: a spacecraft that says nothing is spoken to as well.
 * K2. Gateways of others need not say how their link is; their silence is no fault.
 */

import { assertNever } from '../contract/assert.ts';
import { subject } from '../contract/bus/subjects.ts';
import type { Fault } from '../contract/errors.ts';
import { GATEWAY_STATE_MS } from '../contract/limits/link.ts';
import { linkStateIn } from '../contract/link.ts';
import type { Program } from '../contract/program.ts';
import { readReply } from '../contract/reply.ts';
import { refusedAll } from '../contract/result.ts';
import { askForCaller } from '../messaging/ask.ts';
import type { Gateway, Mission } from '../mission/mission.ts';
import { type CurrentPasses, servingGateway } from '../mission/pass/serving-gateway.ts';
import type { RoutePorts } from './ports.ts';
import type { Refusal } from './reply.ts';

interface LinkPorts extends Pick<RoutePorts, 'bus' | 'clock'> {
  readonly passes: CurrentPasses;
}

/** Undefined when a run may begin as far as links go; else `run::no-link` for each target without one. */
export async function linkRefusal(
  program: Program,
  mission: Mission,
  ports: LinkPorts,
): Promise<Refusal | undefined> {
  const { plan, environment, targets } = program;
  if (plan !== undefined || mission.environments.get(environment)?.kind !== 'in_orbit') return undefined;
  const names = [...new Set(Object.values(targets))].sort();
  const reasons = await Promise.all(names.map((name) => whyNoLink(name, environment, mission, ports)));
  const faults = reasons.flatMap((reason, index) =>
    reason === undefined ? [] : [fault(names[index]!, reason)],
  );
  return faults.length === 0 ? undefined : refusedAll(faults);
}

function fault(target: string, reason: string): Fault {
  return {
    code: 'run::no-link',
    message: `target ${target} has no link: ${reason}`,
    help: 'Wait for the pass, or repair the link; mcs link watch shows it.',
    path: '/targets',
  };
}

async function whyNoLink(
  name: string,
  environment: string,
  mission: Mission,
  ports: LinkPorts,
): Promise<string | undefined> {
  const target = mission.targets.get(name);
  const link = target?.links.get(target.defaultLink);
  if (target === undefined || link?.driver === undefined)
    return `no driver is bound to its default link ${link?.name ?? ''}`;
  const served = { target, link, environment };
  const { gateway, reason } = servingGateway(mission, served, ports.passes, ports.clock.now());
  if (gateway === undefined) {
    const none = `no gateway serves its default link ${link.name} in ${environment}`;
    return reason === undefined ? none : `${none}: ${reason}`;
  }
  return whyDown(gateway, ports);
}

/** K2: what a gateway of others answers, or that it serves no such question, is no fault. */
async function whyDown(
  { name, kind }: Gateway,
  { bus }: Pick<RoutePorts, 'bus'>,
): Promise<string | undefined> {
  const to = subject.gatewayVerb(name, 'state');
  const asked = await askForCaller(bus, { to, read: readReply, timeoutMs: GATEWAY_STATE_MS });
  switch (asked.outcome) {
    case 'answered':
      return whyNotUp(name, linkStateIn(asked.answer));
    case 'unserved':
      return kind === 'external' ? undefined : `gateway ${name} is not running`;
    case 'unanswered':
      return `gateway ${name} did not answer within ${GATEWAY_STATE_MS} ms`;
    case 'unreadable':
      return undefined;
    default:
      return assertNever(asked);
  }
}

/** K1 */
function whyNotUp(gateway: string, link: ReturnType<typeof linkStateIn>): string | undefined {
  if (link === undefined || link.state === 'up' || link.state === 'silent') return undefined;
  const reason = link.reason === undefined ? '' : ` (${link.reason})`;
  return `gateway ${gateway} reports its link ${link.state}${reason}`;
}
