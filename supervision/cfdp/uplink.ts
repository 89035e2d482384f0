/** Which gateway takes PDUs of a link now, and how fast. */

import { type Links, transferEnvironment } from '../../actors/transfer/links.ts';
import type { Uplink } from '../../links/cfdp/group-files.ts';
import type { Link, Mission, Target } from '../../mission/mission.ts';
import { type CurrentPasses, servingGateway } from '../../mission/pass/serving-gateway.ts';
import type { Clock } from '../../ports/clock.ts';

interface UplinkTools {
  readonly links: Pick<Links, 'of'>;
  readonly passes: CurrentPasses;
  readonly clock: Pick<Clock, 'now'>;
}

export function uplinkOf(
  { links, passes, clock }: UplinkTools,
  mission: Mission,
  { target, link }: { readonly target: Target; readonly link: Link },
): Uplink {
  const found = links.of(mission, target, link);
  if (!('reason' in found)) return { gateway: found.gateway, rate: found.stated('uplink').rate };
  const environment = transferEnvironment(mission, target, link);
  const { gateway } = servingGateway(mission, { target, link, environment }, passes, clock.now());
  return { reason: found.reason, ...(gateway === undefined && { isServed: false }) };
}
