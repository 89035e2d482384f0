/**
 * Which links of a mission carry CFDP, over which gateways they can go, and which gateways belong together for that.
 *
 * B1. A mission whose links carry none costs one look at each of them.
 * B2. A transaction goes on over every gateway that may serve its link, whatever station the next pass is over. So
 *     gateways that may serve the same link are one group, with those that share a link with one of them. A group is
 *     called as the first of its gateways in the order of the alphabet.
 */

import type { Driver as DriverDefinition, Link, Mission, Target } from '../../mission/mission.ts';
import { possibleGateways } from '../bindings.ts';
import { carriesCfdp } from '../driver/cfdp-transport.ts';

export interface CfdpLink {
  readonly target: Target;
  readonly link: Link;
  readonly driver: DriverDefinition;
  /** Names of those that may serve it, always or during passes. */
  readonly gateways: readonly string[];
}

/** Gateways that may serve the same links (B2). */
export interface CfdpGroup {
  readonly name: string;
  /** In the order of the alphabet. */
  readonly gateways: readonly string[];
  /** In the order of the topology. */
  readonly links: readonly CfdpLink[];
}

const found = new WeakMap<Mission, ReadonlyMap<string, CfdpGroup>>();

/** The groups of a mission by their names. */
export function cfdpGroups(mission: Mission): ReadonlyMap<string, CfdpGroup> {
  const known = found.get(mission);
  if (known !== undefined) return known;
  const groups = groupsOf(cfdpLinks(mission));
  found.set(mission, groups);
  return groups;
}

/** The group of a gateway; undefined where it has no link that carries CFDP. */
export function cfdpGroupOf(mission: Mission, gateway: string): CfdpGroup | undefined {
  for (const group of cfdpGroups(mission).values()) if (group.gateways.includes(gateway)) return group;
  return undefined;
}

/** Every link that carries CFDP over some gateway, in the order of the topology. */
function cfdpLinks(mission: Mission): CfdpLink[] {
  const links: CfdpLink[] = [];
  for (const target of mission.targets.values())
    for (const link of target.links.values()) {
      const driver = link.driver === undefined ? undefined : mission.drivers.get(link.driver);
      if (driver === undefined || !carriesCfdp(driver, link)) continue;
      const gateways = possibleGateways(mission, target, link);
      if (gateways.length > 0) links.push({ target, link, driver, gateways });
    }
  return links;
}

/** B2 */
function groupsOf(links: readonly CfdpLink[]): Map<string, CfdpGroup> {
  const first = new Map<string, string>();
  const firstOf = (gateway: string): string => {
    const before = first.get(gateway) ?? gateway;
    return before === gateway ? gateway : firstOf(before);
  };
  for (const { gateways } of links) {
    const [lowest, ...others] = gateways.map(firstOf).sort();
    first.set(lowest!, lowest!);
    for (const each of others) first.set(each, lowest!);
  }
  const groups = new Map<string, CfdpGroup>();
  for (const name of [...new Set([...first.keys()].map(firstOf))].sort()) {
    const gateways = [...first.keys()].filter((gateway) => firstOf(gateway) === name).sort();
    groups.set(name, { name, gateways, links: links.filter((link) => gateways.includes(link.gateways[0]!)) });
  }
  return groups;
}
