/**
 * Which links of a mission carry CFDP, and over which gateways they can go.
 *
 * B1. A mission whose links carry none costs one look at each of them.
 */

import type { Driver as DriverDefinition, Link, Mission, Target } from '../../mission/mission.ts';
import { possibleGateways } from '../bindings.ts';
import { carriesCfdp } from '../driver/cfdp-transport.ts';

export interface CfdpLink {
  readonly target: Target;
  readonly link: Link;
  readonly driver: DriverDefinition;
}

/** Every link that carries CFDP, in the order of the topology. */
function cfdpLinks(mission: Mission): CfdpLink[] {
  const found: CfdpLink[] = [];
  for (const target of mission.targets.values())
    for (const link of target.links.values()) {
      const driver = link.driver === undefined ? undefined : mission.drivers.get(link.driver);
      if (driver !== undefined && carriesCfdp(driver, link)) found.push({ target, link, driver });
    }
  return found;
}

/** Names of the gateways that have such a link, always or during passes. */
export function cfdpGateways(mission: Mission): Set<string> {
  const found = new Set<string>();
  for (const { target, link } of cfdpLinks(mission))
    for (const gateway of possibleGateways(mission, target, link)) found.add(gateway);
  return found;
}

/** The links of one gateway. */
export function cfdpLinksOf(mission: Mission, gateway: string): CfdpLink[] {
  return cfdpLinks(mission).filter(({ target, link }) =>
    possibleGateways(mission, target, link).includes(gateway),
  );
}
