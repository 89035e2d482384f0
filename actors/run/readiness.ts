/**
 * Whether the targets of a run are ready for it: their default link bound, its gateway and its driver alive. Mission
 * Control Service, section 3.2 (first row; MC-STM-029).
 *
 * Alive is who answers, whatever it answers; a gateway that says its link cannot work as it is (`down`) is not. A radio
 * that is silent or still connecting is no reason: whether it receives a telecommand shows when one is sent.
 */

import { assertNever } from '../../contract/assert.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { READINESS_ANSWER_MS } from '../../contract/limits/connection.ts';
import { linkStateIn } from '../../contract/link.ts';
import type { Program } from '../../contract/program.ts';
import { type Foreign, readReply } from '../../contract/reply.ts';
import { type Asked, askSettled, type Question } from '../../messaging/ask.ts';
import { toDriver } from '../../messaging/driver-question.ts';
import { type Absence, notRunning } from '../../messaging/hand-overs.ts';
import type { Gateway, Mission } from '../../mission/mission.ts';
import { type CurrentPasses, servingGateway } from '../../mission/pass/serving-gateway.ts';
import { targetsOf } from './leases.ts';
import type { RunServices } from './services.ts';

interface ReadinessServices extends Pick<RunServices, 'bus' | 'clock' | 'handOvers'> {
  readonly passes: CurrentPasses;
  /** Whoever waits is let go. */
  readonly signal: AbortSignal;
}

/** Why each target that is not ready is not; empty when all are. Throws `Outage` while the bus itself is away. */
export async function unreadiness(
  services: ReadinessServices,
  mission: Mission,
  program: Program,
): Promise<readonly string[]> {
  const reasons = await Promise.all(
    targetsOf(program).map((target) => unreadyTarget(services, mission, target, program)),
  );
  return reasons.flat();
}

async function unreadyTarget(
  services: ReadinessServices,
  mission: Mission,
  name: string,
  { environment }: Program,
): Promise<readonly string[]> {
  const { clock, passes } = services;
  const target = mission.targets.get(name);
  const link = target?.links.get(target.defaultLink);
  if (target === undefined || link === undefined) return [`${name} is not in the topology`];
  const served = { target, link, environment };
  const { gateway, reason } = servingGateway(mission, served, passes, clock.now());
  const unbound = [
    ...(link.driver === undefined ? [`no driver is bound to link ${link.name} of ${name}`] : []),
    ...(gateway === undefined
      ? [`no gateway serves link ${link.name} of ${name}${reason === undefined ? '' : `: ${reason}`}`]
      : []),
  ];
  if (link.driver === undefined || gateway === undefined) return unbound;
  const silent = await Promise.all([silentDriver(services, link.driver), silentGateway(services, gateway)]);
  return silent.flatMap((reason) => (reason === undefined ? [] : [`${name} is not ready: ${reason}`]));
}

async function silentDriver({ bus, clock }: ReadinessServices, driver: string): Promise<string | undefined> {
  const state = stateIn(await askSettled(bus, questionTo(toDriver(driver, 'state', clock))));
  return 'silence' in state ? `driver ${driver} ${state.silence}` : undefined;
}

/** One of the cell that nobody serves is waited for (hand-overs.G1). */
async function silentGateway(
  { bus, handOvers, signal }: ReadinessServices,
  { name, kind }: Gateway,
): Promise<string | undefined> {
  const question = questionTo({ to: subject.gatewayVerb(name, 'state') });
  const found = await handOvers.ask(bus, question, { name, isOfCell: kind !== 'external', signal });
  if (found === undefined) return undefined;
  const state = stateIn(found.asked, found.absence);
  if ('silence' in state) return `gateway ${name} ${state.silence}`;
  const link = state.body && linkStateIn(state.body);
  if (link?.state !== 'down') return undefined;
  return `the link of gateway ${name} is down${link.reason === undefined ? '' : ` (${link.reason})`}`;
}

function questionTo(asked: Pick<Question<Foreign>, 'to' | 'all'>): Question<Foreign> {
  return { ...asked, call: {}, read: readReply, timeoutMs: READINESS_ANSWER_MS };
}

/** What it says of itself: undefined where that cannot be read, which is an answer all the same. */
function stateIn(
  asked: Asked<Foreign>,
  absence?: Absence,
): { readonly silence: string } | { readonly body: Foreign | undefined } {
  switch (asked.outcome) {
    case 'answered':
      return { body: asked.answer };
    case 'unreadable':
      return { body: undefined };
    case 'unserved':
      return { silence: notRunning(absence) };
    case 'unanswered':
      return { silence: `did not answer within ${READINESS_ANSWER_MS / 1000} s` };
    default:
      return assertNever(asked);
  }
}
