/**
 * The gateway of a telecommand: chosen once, as it is encoded. Mission Control Service, sections 3.1 (ACK 2) and 4.5.
 *
 * V1. What is chosen stands in its ENCODED event, where it is another than the gateway of its link: without that, also
 *     as a version before this one wrote it, the telecommand has the gateway of its link.
 * V2. It keeps it. Whoever asks again, this owner or an heir, before or after LOS, asks the gateway that may have sent
 *     it: no other one knows, and a second one would send it a second time.
 * V3. That nothing served the link is kept likewise: an heir does not find the gateway of the link instead.
 */

import { NO_GATEWAY } from '../../contract/bus/headers.ts';
import type { Gateway } from '../../mission/mission.ts';
import { type CurrentPasses, type ServedLink, servingGateway } from '../../mission/pass/serving-gateway.ts';
import { gatewayOf } from '../../mission/resolve.ts';
import type { Definition } from './work.ts';

type Served = Pick<Definition, 'mission' | 'target' | 'link'>;

/** The name to keep of the gateway that serves the link now; undefined for the gateway of the link (V1). */
export function givenGateway(
  { mission, target, link }: Served,
  environment: string | undefined,
  passes: CurrentPasses,
  now: number,
): string | undefined {
  // Asked for every telecommand: outside passes this is all.
  if (passes.inProgress(target.name, now).length === 0) return undefined;
  const served: ServedLink = { target, link, environment };
  const { gateway, pass, reason } = servingGateway(mission, served, passes, now);
  if (reason !== undefined) return NO_GATEWAY;
  if (pass === undefined || gateway === gatewayOf(mission, link, environment)) return undefined;
  return gateway?.name ?? NO_GATEWAY;
}

/** The gateway of that name; undefined where there is none (V3). */
export function gatewayGiven(
  { mission, link }: Omit<Served, 'target'>,
  environment: string | undefined,
  given: string | undefined,
): Gateway | undefined {
  return given === undefined ? gatewayOf(mission, link, environment) : mission.gateways.get(given);
}

/** Why nothing serves the link now; undefined where no pass is the reason. */
export function whyNotServed(
  { mission, target, link }: Served,
  environment: string | undefined,
  passes: CurrentPasses,
  now: number,
): string | undefined {
  return servingGateway(mission, { target, link, environment }, passes, now).reason;
}
