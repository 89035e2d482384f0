/**
 * The verb `cfdp` of a driver in whichever process takes the call: it is handed on to the one that has the files of the
 * gateway that serves the default link now (`contract/cfdp.ts` C5).
 *
 * W1. Every reason why it cannot be done is an answer that names what is missing and who could help.
 */

import { transferEnvironment } from '../../actors/transfer/links.ts';
import { assertNever } from '../../contract/assert.ts';
import { header } from '../../contract/bus/headers.ts';
import { subject } from '../../contract/bus/subjects.ts';
import {
  type CfdpAnswer,
  type CfdpCall,
  type CfdpLinkCall,
  cfdpFailed,
  readCfdpCall,
  readCfdpReply,
} from '../../contract/cfdp.ts';
import { CFDP_FORWARD_MS } from '../../contract/limits/cfdp.ts';
import { accepted, type Result, refused } from '../../contract/result.ts';
import { cfdpGroupOf } from '../../links/cfdp/cfdp-links.ts';
import { carriesCfdp } from '../../links/driver/cfdp-transport.ts';
import { type Asked, ask } from '../../messaging/ask.ts';
import type { Driver as DriverDefinition, Mission } from '../../mission/mission.ts';
import { type CurrentPasses, servingGateway } from '../../mission/pass/serving-gateway.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';

interface ForwardTools {
  readonly bus: Pick<Bus, 'request'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly passes: CurrentPasses;
}

/** The answer to a call of that driver; rejects with `Outage` while the bus is away. */
export async function forwardCfdp(
  tools: ForwardTools,
  driver: DriverDefinition,
  call: object | undefined,
  mission: Mission,
): Promise<CfdpAnswer> {
  const read = readCfdpCall(call);
  if (!read.ok) return cfdpFailed(read.faults[0]);
  const way = wayOf(tools, driver, read.value, mission);
  if (!way.ok) return cfdpFailed(way.faults[0]);
  const { group, link } = way.value;
  const asked = await ask(tools.bus, {
    to: subject.cfdp(group),
    call: { ...read.value, link } satisfies CfdpLinkCall,
    read: readCfdpReply,
    timeoutMs: CFDP_FORWARD_MS,
    headers: { [header.config]: mission.revision },
  });
  return answerOf(asked, group);
}

/** The link that carries the file, and the group of the gateway that serves it now. */
function wayOf(
  { clock, passes }: ForwardTools,
  driver: DriverDefinition,
  call: CfdpCall,
  mission: Mission,
): Result<{ readonly group: string; readonly link: string }, string> {
  const target = mission.targets.get(call.target);
  if (target === undefined)
    return refused(`configuration ${mission.revision} has no target "${call.target}"`);
  const link = target.links.get(target.defaultLink);
  if (link?.driver !== driver.name)
    return refused(`the default link ${target.defaultLink} of ${target.name} is not bound to ${driver.name}`);
  if (!carriesCfdp(driver, link))
    return refused(`link ${link.name} of ${target.name} carries no CFDP: its transport has no section cfdp`);
  const environment = transferEnvironment(mission, target, link);
  const { gateway, reason } = servingGateway(mission, { target, link, environment }, passes, clock.now());
  if (gateway === undefined)
    return refused(reason ?? `no gateway serves link ${link.name} of ${target.name}`);
  const group = cfdpGroupOf(mission, gateway.name)?.name ?? gateway.name;
  return accepted({ group, link: link.name });
}

function answerOf(asked: Asked<CfdpAnswer>, group: string): CfdpAnswer {
  switch (asked.outcome) {
    case 'answered':
      return asked.answer;
    case 'unserved':
      return cfdpFailed(
        `no process has the files of gateway group ${group} now: start one with role drivers, or wait until one has taken it over`,
      );
    case 'unanswered':
      return cfdpFailed(`the process that has the files of gateway group ${group} did not answer in time`);
    case 'unreadable':
      return cfdpFailed(
        `malformed reply of the process that has the files of gateway group ${group}: ${asked.said}`,
      );
    default:
      return assertNever(asked);
  }
}
